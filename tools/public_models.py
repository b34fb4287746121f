#!/usr/bin/env python3
"""Compare `count_solutions` with a full listing by Gecode, for every model of a folder.

    tools/public_models.py FOLDER            run the models, and go on where an earlier run ended
    tools/public_models.py FOLDER --table    print the results as tables in Markdown

FOLDER has one folder per repository of models, with the commit in its file ``COMMIT``. Results are stored in
``FOLDER/results.jsonl``, one line per model. Remove a line to run its model again.

The reference is ``minizinc --solver gecode -a MODEL [DATA]``, which compiles the model with Gecode's own
versions of global constraints. A model without values for its parameters runs with the smallest data file
that fits, in its folder or one beside it. Models whose listing does not end in time are counted with a
shorter time limit, to measure whether the limit holds.
"""

import argparse
import json
import subprocess
import textwrap
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from catan_cp.anymodel.count import solution_count
from catan_cp.errors import CatanError
from catan_cp.solving.find import find_solver

LISTING, COUNTING, BRIEF = 8.0, 25.0, 4.0
"""Seconds of the listing, of a count, and of a count after a listing that did not end."""
TRIED = 12
"""The maximum number of data files to try."""
REPOSITORIES = ("csplib", "minizinc-examples", "libminizinc")
"""The repositories that run first, in this order."""


def main() -> None:
    """Run the models, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of repositories")
    parser.add_argument("--table", action="store_true", help="print the stored results")
    words = parser.parse_args()
    store = words.folder / "results.jsonl"
    results = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    if words.table:
        print_tables(words.folder, results)
        return
    warnings.simplefilter("ignore")
    known_models = {result["model"] for result in results}
    with store.open("a") as file:
        for model in models_of(words.folder):
            name = model.relative_to(words.folder).as_posix()
            if name not in known_models:
                result = {"model": name, **result_of(model)}
                file.write(json.dumps(result) + "\n")
                file.flush()
                print(*result.values(), flush=True)


def models_of(folder: Path) -> list[Path]:
    """Return the files ``*.mzn``, those of `REPOSITORIES` first."""

    def order(path: Path) -> tuple[int, str]:
        repository = path.relative_to(folder).parts[0]
        place = REPOSITORIES.index(repository) if repository in REPOSITORIES else len(REPOSITORIES)
        return place, path.as_posix()

    return sorted((path for path in folder.rglob("*.mzn") if path.is_file()), key=order)


def result_of(model: Path) -> dict[str, Any]:
    """Return the listing and the count of a model, or the reason why it is left out."""
    if model.name.endswith((".mzc.mzn", "_checker.mzn")):
        return {"reason": "checker of solutions"}
    data, reason = data_of(model)
    if reason:
        return {"reason": reason}
    result: dict[str, Any] = {"data": None if data is None else data.name}
    start = time.monotonic()
    listed, reason = listing(model, data)
    result |= {"listed": listed, "listing": round(time.monotonic() - start, 2), "reason": reason}
    if reason not in ("", "listing does not end"):
        return result
    limit = BRIEF if listed is None else COUNTING
    start = time.monotonic()
    try:
        number, method = solution_count(model, data, timeout=limit)
        result |= {"counted": number, "method": method}
    except CatanError as error:
        result["error"] = f"{type(error).__name__}: {error}"[:300]
    return {**result, "counting": round(time.monotonic() - start, 2), "limit": limit}


def data_of(model: Path) -> tuple[Path | None, str]:
    """Return the data file of a model, or None and the reason why it has none that fits."""
    result = minizinc("--model-interface-only", model)
    if result.returncode:
        return None, f"not valid: {last_line(result.stderr)}"
    interface = json.loads(result.stdout)
    if interface["method"] != "sat":
        return None, "objective"
    if not interface["output"]:
        return None, "no variables"
    if not any(value.get("optional") is not True for value in interface["input"].values()):
        return None, ""
    folders = {model.parent, model.parent / "data", model.parent.parent / "data", model.parent / model.stem}
    files = [file for folder in folders for file in folder.glob("*.dzn")]
    files += [file for folder in folders for file in folder.glob("*.json")]
    for file in sorted(files, key=lambda file: file.stat().st_size)[:TRIED]:
        if minizinc("--instance-check-only", model, file).returncode == 0:
            return file, ""
    return None, "no data that fits"


def listing(model: Path, data: Path | None) -> tuple[int | None, str]:
    """Return the number of solutions that Gecode lists, or None and the reason why there is none."""
    solutions, status = set[str](), ""
    for message in messages(model, data):
        if not message:
            return None, "MiniZinc prints no valid JSON"
        if message["type"] == "solution":
            solutions.add(json.dumps(message["output"].get("json"), sort_keys=True))
        elif message["type"] == "status":
            status = message["status"]
        elif message["type"] == "error":
            return None, f"not valid: {message.get('message', '')}"[:160]
    if status in ("ALL_SOLUTIONS", "UNSATISFIABLE"):
        return len(solutions), ""
    return None, "Gecode fails" if status == "ERROR" else "listing does not end"


def messages(model: Path, data: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the messages of a listing by Gecode."""
    options = ("-a", "--json-stream", "--output-mode", "json", "--time-limit", int(1000 * LISTING))
    files = [model] if data is None else [model, data]
    command = [str(find_solver("gecode").minizinc.executable), "--solver", "gecode", *map(str, options)]
    with subprocess.Popen(
        [*command, *map(str, files)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                yield json.loads(line)
            except ValueError:
                yield {}


def minizinc(*words: object) -> subprocess.CompletedProcess[str]:
    """Run MiniZinc's compiler."""
    command = [str(find_solver("gecode").minizinc.executable), "--solver", "gecode", *map(str, words)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "MiniZinc takes more than 20 s")


def last_line(text: str) -> str:
    """Return the error in messages of MiniZinc."""
    lines = (
        [line.strip() for line in text.splitlines() if "rror" in line] or text.splitlines() or ["no message"]
    )
    return lines[0][:160]


def print_tables(folder: Path, results: list[dict[str, Any]]) -> None:
    """Print numbers per repository, each difference, and the files left out by reason."""
    print("| repository | commit | files | compared | equal | left out |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for repository in sorted({result["model"].partition("/")[0] for result in results}):
        in_repository = [result for result in results if result["model"].startswith(f"{repository}/")]
        compared = [result for result in in_repository if result.get("listed") is not None]
        equal = [result for result in compared if _is_equal(result)]
        commit = (folder / repository / "COMMIT").read_text().split()[0][:12]
        cells = (
            repository,
            f"`{commit}`",
            len(in_repository),
            len(compared),
            len(equal),
            len(in_repository) - len(compared),
        )
        print("|", " | ".join(map(str, cells)), "|")
    limits = [result["counting"] - result["limit"] for result in results if "limit" in result]
    print(f"\nLongest time above a limit: {max(limits, default=0):.1f} s\n\n## Compared, and not equal\n")
    for result in results:
        if result.get("listed") is not None and not _is_equal(result):
            answer = f"counted {result['counted']}" if "counted" in result else result["error"]
            _print_wrapped(f"* `{result['model']}`: listed {result['listed']}, {answer}")
    print("\n## Left out")
    left_out: dict[str, dict[str, list[str]]] = {}
    for result in sorted(results, key=lambda result: str(result["model"])):
        if result.get("listed") is None:
            place, _, name = str(result["model"]).rpartition("/")
            folders = left_out.setdefault(result["reason"].partition(":")[0], {})
            folders.setdefault(place, []).append(name.removesuffix(".mzn"))
    for reason, folders in sorted(left_out.items()):
        print(f"\n### {reason}: {sum(map(len, folders.values()))}\n")
        for place, names in folders.items():
            _print_wrapped(f"* `{place}`: {', '.join(names)}")


def _is_equal(result: dict[str, Any]) -> bool:
    return bool(result.get("counted") == result["listed"])


def _print_wrapped(text: str) -> None:
    print(textwrap.fill(text, 110, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


if __name__ == "__main__":
    main()
