"""The article's two experiments: their figures, their files, their pictures."""

import csv
import itertools
import math
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.entropy import efficiency, efficiency_error, official_boards, search_swaps
from catan_cp.entropy.search import random_terrain
from catan_cp.errors import CatanError, Interrupted, InvalidArgument, InvalidBoard
from catan_cp.experiments import plot_skew_powers, plot_swap_hypothesis, plot_swaps
from catan_cp.experiments.swaps import POWERS, SwapHypothesis, SwapPoint, skew_powers, swap_hypothesis


@pytest.fixture(scope="module")
def many():
    return swap_hypothesis(boards=20, seed=1)


@pytest.mark.parametrize(("kept", "figure"), [("all", 0.27220), ("improving", 0.56734)])
def test_correlations_of_the_article(many, kept, figure):
    points = many.of(kept)
    distances = [abs(p.first_error - p.second_error) / math.sqrt(2) for p in points]
    r = np.corrcoef(distances, [-p.change for p in points])[0, 1]
    assert many.correlation(kept) == pytest.approx(r)
    assert abs(r - figure) < 0.08  # 20 boards scatter by 0.04


@pytest.mark.slow
def test_correlations_over_many_boards():
    found = swap_hypothesis(boards=200, seed=1)
    assert found.correlation("all") == pytest.approx(0.267, abs=0.04)
    assert found.correlation("improving") == pytest.approx(0.543, abs=0.04)


def test_points_are_what_the_runs_should_hold_and_quartiles_part_them_by_change(many):
    everything, improving = many.of("all"), many.of("improving")
    assert len(everything) == 20 * 1000
    assert max(p.change for p in improving) < 0 < max(p.change for p in everything)
    assert {p.board for p in improving} == {p.board for p in everything} == set(range(20))
    for kept in ("all", "improving"):
        parts = many.quartiles(kept)
        assert sorted(p for part in parts for p in part) == sorted(many.of(kept))
        for part, following in itertools.pairwise(parts):
            assert max(p.change for p in part) <= min(p.change for p in following)
        assert all(abs(len(part) / len(many.of(kept)) - 0.25) < 0.02 for part in parts)


@pytest.fixture(scope="module")
def skewed():
    return skew_powers(boards=20, steps=1200, seed=1)


def test_the_curves_are_those_of_the_article(skewed):
    """All begin alike and never rise; infinity is ahead for the first steps and stops improving early."""
    assert set(skewed.curves) == {(name, power) for name in ("static", "dynamic") for power in POWERS}
    assert len({curve[0] for curve in skewed.curves.values()}) == 1
    assert all((np.diff(curve) <= 0).all() for curve in skewed.curves.values())
    assert skewed.curves["static", 0.0] == skewed.curves["dynamic", 0.0]  # power 0 forgets the errors
    for name in ("static", "dynamic"):
        soon = skewed.curves[name, math.inf]
        assert soon[600] == soon[1200]
        for power in POWERS[:-1]:
            finite = skewed.curves[name, power]
            assert finite[1200] < finite[600] < soon[1200]
            assert power > 1 or soon[20] < finite[20]


def test_the_same_seed_gives_the_same_data():
    assert swap_hypothesis(2, 30, "base", seed=4) == swap_hypothesis(2, 30, "base", seed=4)
    assert swap_hypothesis(2, 30, "base", seed=4) != swap_hypothesis(2, 30, "base", seed=5)
    assert skew_powers(2, 30, "base", seed=4) == skew_powers(2, 30, "base", seed=4)
    assert skew_powers(2, 30, "base", seed=None) != skew_powers(2, 30, "base", seed=None)


def rows_of(path, table):
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return list(csv.reader(file))
    with closing(sqlite3.connect(path)) as connection:
        cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
        return [tuple(c[0] for c in cursor.description), *cursor]


@pytest.mark.parametrize("name", ["swaps.csv", "swaps.db", "swaps.sqlite"])
def test_swaps_are_written_whole(tmp_path, name):
    result = swap_hypothesis(2, 40, "base", seed=1, file=tmp_path / name)
    header, *rows = rows_of(tmp_path / name, "swaps")
    base = LAYOUTS["base"]
    per_terrain = [f"{what}_{name}" for name in base.terrains for what in ("efficiency", "error")]
    assert list(header) == [*SwapPoint._fields[:-1], *per_terrain]
    types = (str, int, int, str, str, float, float, float)
    assert len(rows) == len(result.points)
    for row, point in zip(rows, result.points, strict=True):
        assert [of(value) for of, value in zip(types, row, strict=False)] == list(point[:8])
        assert [float(value) for value in row[9::2]] == [point.errors[name] for name in base.terrains]


def test_the_swaps_errors_are_those_of_the_boards_they_were_made_on(tmp_path):
    """Each row's efficiencies are those of the board before its swap, measured by `efficiency` itself."""
    swap_hypothesis(2, 25, "base", seed=3, file=tmp_path / "swaps.db")
    header, *rows = rows_of(tmp_path / "swaps.db", "swaps")
    rows, rng = [dict(zip(header, row, strict=True)) for row in rows], Random(3)
    for number in range(2):
        terrain, seed = random_terrain("base", rng), rng.getrandbits(64)
        swaps = (row for row in rows if (row["kept"], row["board"]) == ("all", number))
        for step, row in enumerate(swaps):
            before = search_swaps(Board("base", terrain), step, 0, reject=False, seed=seed).board
            for name, value in efficiency(before).items():
                assert row[f"efficiency_{name}"] == pytest.approx(value)
                target = LAYOUTS["base"].target_efficiency[name]
                assert row[f"error_{name}"] == pytest.approx(value - target)
            for which in ("first", "second"):
                assert row[f"error_{row[which]}"] / 2 + 0.5 == pytest.approx(row[f"{which}_error"])


@pytest.mark.parametrize("name", ["errors.csv", "errors.sqlite3"])
def test_mean_errors_are_written_whole(tmp_path, name):
    result = skew_powers(3, 20, "base", seed=1, file=str(tmp_path / name), powers=(1, math.inf))
    header, *rows = rows_of(tmp_path / name, "mean_errors")
    assert tuple(header) == ("normalization", "skew_power", "step", "mean_error")
    expected = [
        (normalization, power, step, error)
        for (normalization, power), curve in result.curves.items()
        for step, error in enumerate(curve)
    ]
    assert [(row[0], float(row[1]), int(row[2]), float(row[3])) for row in rows] == expected
    assert len(rows) == 4 * 21


@pytest.mark.parametrize("name", ["swaps.csv", "swaps.db"])
def test_ctrl_c_keeps_the_swaps_so_far(tmp_path, name):
    whole = swap_hypothesis(3, 40, "base", seed=1)
    told = []

    def stop(done, to_do):
        told.append((done, to_do))
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        swap_hypothesis(3, 40, "base", seed=1, file=tmp_path / name, progress=stop)
    assert told == [(n, 6) for n in range(1, 5)]
    points = caught.value.result.points
    assert points == tuple(p for p in whole.points if p.kept == "all" or p.board == 0)
    assert len(rows_of(tmp_path / name, "swaps")) == 1 + len(points)


def test_ctrl_c_keeps_the_curves_so_far(tmp_path, monkeypatch):
    monkeypatch.setattr("catan_cp.entropy.many._BLOCK_NUMBERS", 4 * 5 * 10)
    whole = skew_powers(5, 50, "base", seed=1)

    def stop(done, to_do):
        assert to_do == 600
        if done == 120:  # in the third curve
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="curve 3 of 12") as caught:
        skew_powers(5, 50, "base", seed=1, file=tmp_path / "errors.csv", progress=stop)
    curves = list(caught.value.result.curves.values())
    full = list(whole.curves.values())
    assert curves == [full[0], full[1], full[2][:21]]
    assert len(rows_of(tmp_path / "errors.csv", "mean_errors")) == 1 + 51 + 51 + 21


def test_a_real_interrupt_keeps_what_the_file_holds(tmp_path):
    """The signal itself, at any moment of a run in another process."""
    path = tmp_path / "swaps.db"
    code = f"""
from catan_cp.errors import Interrupted
from catan_cp.experiments.swaps import swap_hypothesis
try:
    swap_hypothesis(10_000, 200, "base", file={str(path)!r}, progress=lambda *now: print(*now, flush=True))
except Interrupted as stop:
    print("kept", len(stop.result.points))
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(20)]
        process.send_signal(2)
        rest = process.communicate(timeout=300)[0].splitlines()
    assert lines[0] == "1 20000\n"
    kept = int(rest[-1].removeprefix("kept "))
    assert kept >= 20 * 200
    assert 0 <= len(rows_of(path, "swaps")) - 1 - kept <= 200


@pytest.mark.parametrize("name", ["swaps.csv", "swaps.db"])
def test_a_full_disk_is_told_and_keeps_the_rows_before(tmp_path, name):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(done, to_do):
        if done == 2:
            size = (tmp_path / name).stat().st_size + 500
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))

    try:
        with pytest.raises(CatanError, match=rf"cannot write more to .*{name}', which keeps its rows"):
            swap_hypothesis(50, 100, "base", seed=1, file=tmp_path / name, progress=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(rows_of(tmp_path / name, "swaps")) == 1 + 200


def test_files_are_never_written_over(tmp_path):
    path = tmp_path / "swaps.csv"
    path.write_text("mine")
    with pytest.raises(InvalidArgument, match=r"swaps\.csv' exists already"):
        swap_hypothesis(1, 1, file=path)
    assert path.read_text() == "mine"
    with pytest.raises(InvalidArgument, match=r"its suffix is one of \.csv"):
        skew_powers(1, 1, file=tmp_path / "errors.txt")
    with pytest.raises(InvalidArgument, match="cannot write"):
        skew_powers(1, 1, file=tmp_path / "nowhere" / "errors.csv")


@pytest.mark.parametrize("experiment", [swap_hypothesis, skew_powers])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"boards": 0}, InvalidArgument, "boards is .*, not 0"),
        ({"steps": -1}, InvalidArgument, "steps is .*, not -1"),
        ({"seed": "1"}, InvalidArgument, "seed is .*, not"),
        ({"layout": "moon"}, InvalidBoard, "unknown layout"),
        ({"layout": "caravans"}, InvalidArgument, "no target"),
        ({"powers": (1, -1)}, InvalidArgument, "skew_power is -1"),
        ({"powers": 5}, InvalidArgument, "powers are a list, not 5"),
        ({"normalizations": ("other",)}, InvalidArgument, "normalization is 'other'"),
    ],
)
def test_bad_arguments_are_refused_before_a_file_is_made(tmp_path, experiment, arguments, error, message):
    if arguments.keys() & {"powers", "normalizations"}:
        experiment = skew_powers
    with pytest.raises(error, match=message):
        experiment(**{"boards": 1, "steps": 1, "file": tmp_path / "rows.csv"} | arguments)
    assert not list(tmp_path.iterdir())


def test_the_hypothesis_is_drawn(tmp_path):
    result = swap_hypothesis(3, 300, seed=1)
    figure = plot_swap_hypothesis(result)
    panels = [ax for ax in figure.axes if ax.collections and ax.get_title()]
    drawn = [len(ax.collections[0].get_offsets()) for ax in panels]
    assert drawn == [len(part) for kept in ("all", "improving") for part in result.quartiles(kept)]
    figure.savefig(tmp_path / "hypothesis.png", dpi=30)
    assert (tmp_path / "hypothesis.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (plot_swaps, "points are swaps, .*, not 5"),
        (plot_swap_hypothesis, "SwapHypothesis, as its experiment returns it, not 5"),
        (plot_skew_powers, "SkewPowers, as its experiment returns it, not 5"),
    ],
)
def test_what_is_no_result_is_not_drawn(draw, says):
    with pytest.raises(InvalidArgument, match=says):
        draw(5)


def test_a_run_cut_short_is_drawn_without_what_it_lacks():
    whole = swap_hypothesis(2, 50, seed=1)
    with pytest.raises(InvalidArgument, match="kept is 'both'; choose from all, improving"):
        whole.correlation("both")
    figure = plot_swap_hypothesis(SwapHypothesis(whole.layout, tuple(whole.of("all"))))
    assert len([ax for ax in figure.axes if ax.get_title()]) == 4


def test_skew_powers_are_drawn(skewed, tmp_path):
    longer = {run: (*curve, *curve[-1:] * 1300) for run, curve in skewed.curves.items()}
    figure = plot_skew_powers(replace(skewed, curves=longer))
    titles = [ax.get_title() for ax in figure.axes]
    spans = (2500, 2500, 2000, 2000, 100, 100)
    names = ("static", "dynamic") * 3
    assert titles == [f"{name}, {span:,} steps" for name, span in zip(names, spans, strict=True)]
    for ax, steps in zip(figure.axes, spans, strict=True):
        assert [len(line.get_ydata()) for line in ax.lines] == [steps + 1] * len(POWERS)
        assert ax.get_yscale() == "log"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["0", "0.5", "1", "2", "4", "infinity"]
    figure.savefig(tmp_path / "skew.png", dpi=20)
    assert (tmp_path / "skew.png").stat().st_size > 1000


@pytest.mark.parametrize("steps", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3))])
def test_even_the_shortest_runs_are_drawn(steps, tmp_path):
    plot_swap_hypothesis(swap_hypothesis(1, steps, "base")).savefig(tmp_path / "a.png", dpi=20)
    plot_skew_powers(skew_powers(1, steps, "base")).savefig(tmp_path / "b.png", dpi=20)
    assert math.isnan(swap_hypothesis(1, 0, "base").correlation("all"))


def test_a_search_makes_boards_like_a_designers():
    """What it is all for: 5,000 swaps come nearer to the targets than the official boards are."""
    result = search_swaps("seafarers-8", 5000, seed=1)
    assert result.error < min(map(efficiency_error, official_boards("seafarers-8"))) / 10
