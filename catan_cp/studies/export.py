"""A study's boards and scores handed on: as CSV, as Parquet, as a pandas DataFrame."""

from __future__ import annotations

import csv
import os
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catan_cp.errors import CatanError, InvalidArgument, extra, show_path
from catan_cp.files import replacing
from catan_cp.studies.measures import MEASURES
from catan_cp.studies.places import as_path
from catan_cp.studies.schema import telling

if TYPE_CHECKING:
    import pandas

    from catan_cp.studies.store import Store

_BATCH = 10_000
"""Boards that are in memory at a time, and in a row group of a Parquet file."""


def write_csv(store: Store, path: str | os.PathLike[str], study: str | None, force: bool) -> Path:
    """Write a study to a CSV file: see `Store.to_csv`."""
    target = _checked_target(path, force)
    rows = store.results(study)
    with (
        telling(target, "write"),
        replacing(target) as beside,
        beside.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(store.fields)
        writer.writerows(row.values() for row in rows)
    return target


def write_parquet(store: Store, path: str | os.PathLike[str], study: str | None, force: bool) -> Path:
    """Write a study to a Parquet file: see `Store.to_parquet`."""
    arrow, parquet = _needed("pyarrow", "Parquet"), _needed("pyarrow.parquet", "Parquet")
    target = _checked_target(path, force)
    types = {"int": arrow.int64(), "float": arrow.float64(), "str": arrow.string()}
    schema = arrow.schema([(name, types[kind]) for name, kind in _kinds(store).items()])
    rows = store.results(study)
    with (
        telling(target, "write"),
        replacing(target) as beside,
        parquet.ParquetWriter(beside, schema) as writer,
    ):
        while batch := list(islice(rows, _BATCH)):
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
    return target


def frame(store: Store, study: str | None) -> pandas.DataFrame:
    """Return a study as a DataFrame: see `Store.to_frame`."""
    library = _needed("pandas", "a DataFrame")
    types = {"int": "Int64", "float": "float64", "str": "str"}
    rows = list(store.results(study))
    columns = {
        name: library.Series([row[name] for row in rows], dtype=types[kind])
        for name, kind in _kinds(store).items()
    }
    made: pandas.DataFrame = library.DataFrame(columns).set_index("board")
    return made


def _kinds(store: Store) -> dict[str, str]:
    """Return the type of each field of a row: ``int``, ``float`` or ``str``."""
    known = {"board": "int", "notation": "str", "times": "int", "presets": "str"}
    return {name: known[name] if name in known else MEASURES[name].kind.__name__ for name in store.fields}


def _needed(module: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise CatanError(f"{what} needs {name}: {extra('frame')} brings it") from None


def _checked_target(path: str | os.PathLike[str], force: bool) -> Path:
    target = as_path(path)
    if target.is_dir() or not target.parent.is_dir():
        raise InvalidArgument(f"{show_path(target)} is no name for a file in a folder that is there")
    if target.exists() and not force:
        raise InvalidArgument(f"{show_path(target)} exists; choose another name, or overwrite with force")
    return target
