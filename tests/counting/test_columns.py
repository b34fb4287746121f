"""Counts column by column in a folder: the same numbers, in any number of files, interrupted or not."""

import hashlib
import shutil
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from catan_cp import LAYOUTS, CatanError, InvalidArgument, Layout, Rules, count_terrain
from catan_cp.counting import columns, states

KEPT = ("lock", "step-019")
"""What a finished count leaves."""
TOURNAMENT = 55_320_286_440


def stopped_after(step):
    """What a caller passes as progress to be interrupted after so many steps, and the steps it was told."""
    told = []

    def progress(done, total):
        told.append(done)
        if done == step:
            raise KeyboardInterrupt

    return progress, told


@pytest.mark.parametrize("preset, number", [("open", 244_432_188_000), ("tournament", TOURNAMENT)])
def test_the_number_is_the_one_known_otherwise(preset, number, tmp_path):
    assert count_terrain(preset, scratch=tmp_path) == number
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {*KEPT}


@pytest.mark.parametrize(
    "rules",
    [Rules(terrain_cluster_max=3), pytest.param(Rules(terrain_cluster_max=1), marks=pytest.mark.slow)],
)
def test_classes_and_rules_with_longer_keys_are_counted_too(rules, tmp_path):
    for distinct in (False, True):
        known = count_terrain(rules, distinct=distinct)
        assert count_terrain(rules, distinct=distinct, scratch=tmp_path) == known


def test_columns_of_many_shares_have_the_same_number(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "_FILE", 2000)
    shares = []
    merged = columns._Columns._merged
    monkeypatch.setattr(
        columns._Columns, "_merged", lambda self, raw: shares.append(raw) or merged(self, raw)
    )
    assert count_terrain("tournament", scratch=tmp_path) == TOURNAMENT
    assert len({file.name for file in shares}) > 20


def test_an_interrupted_count_goes_on_where_it_was_and_a_finished_one_is_read(tmp_path):
    progress, told = stopped_after(9)
    with pytest.raises(KeyboardInterrupt):
        count_terrain("tournament", scratch=tmp_path, progress=progress)
    assert told == list(range(1, 10))
    (place,) = tmp_path.iterdir()
    (place / "tmpleft").mkdir()  # what a killed count leaves is not taken for a column
    (place / "tmpleft" / "00000").write_bytes(bytes(1000))
    progress, told = stopped_after(None)
    assert count_terrain("tournament", scratch=tmp_path, progress=progress) == TOURNAMENT
    assert told == list(range(10, 20))
    told.clear()
    assert count_terrain("tournament", scratch=tmp_path, progress=progress) == TOURNAMENT
    assert told == []
    assert count_terrain("optimal", scratch=tmp_path) == 188_160  # other rules in the same folder


def test_layouts_that_differ_in_what_is_dealt_at_the_end_share_their_columns(tmp_path):
    """Sea and desert touch anything: which of them a tile has is dealt once the others stand."""
    for deserts in (1, 2):
        pieces = {"wool": 3, "ore": 3, "sea": 4 - deserts, "desert": deserts}
        layout = Layout("dealt", (3, 4, 3), pieces, {})
        known = count_terrain(Rules(terrain_cluster_max=2), layout)
        assert count_terrain(Rules(terrain_cluster_max=2), layout, scratch=tmp_path) == known
        assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.slow
def test_random_fillings_agree_with_what_was_counted_on_a_disk():
    """What took eleven minutes to count: as large a share of 400,000 fillings keeps the bound on clusters."""
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    shares = []
    for name in ("seafarers-8", "new-world-expanded"):
        told = next(line for line in page.splitlines() if line.startswith(f"| `{name}` | ") and "," in line)
        every, allowed = (int(cell.replace(",", "")) for cell in told.split(" | ")[1:3])
        shares.append(Fraction(allowed, every))
    assert shares[0] == shares[1]
    layout = LAYOUTS["seafarers-8"]
    near = layout.tile_neighbors("hex")
    codes = [code for code in range(1, 6) for _ in range(5)] + [0] * 24
    rows = np.random.default_rng(1).permuted(np.tile(np.array(codes, dtype=np.uint8), (400_000, 1)), axis=1)
    bad = np.zeros(len(rows), dtype=bool)
    for tile in range(layout.n_tiles):  # a group of three has a tile with two of its kind beside it
        alike = sum((rows[:, other] == rows[:, tile]).astype(np.uint8) for other in near[tile])
        bad |= (alike > 1) & (rows[:, tile] > 0)
    assert abs(float(shares[0]) - (~bad).mean()) < 0.0035  # four and a half standard deviations


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


SPOILT = {
    "its end is missing": lambda file: file.write_bytes(file.read_bytes()[:-3]),
    "its last state is missing": lambda file: file.write_bytes(file.read_bytes()[:-24]),
    "it is empty": lambda file: file.write_bytes(b""),
    "its states are there twice": lambda file: file.write_bytes(file.read_bytes() + file.read_bytes()[32:]),
    "a bit is flipped": flip,
    "its digest is flipped": lambda file: file.write_bytes(bytes(32) + file.read_bytes()[32:]),
    "it is another count's": lambda file: file.write_bytes(hashlib.sha256(b"").digest()),
    "it is called by a later step": lambda file: file.rename(file.with_name("step-013")),
    "it is there for two steps": lambda file: shutil.copy(file, file.with_name("step-013")),
    "it is there by another name": lambda file: shutil.copy(file, file.with_name("step-12")),
}


@pytest.mark.parametrize("step", [12, 19])
def test_a_column_that_is_not_as_it_was_written_is_refused(step, tmp_path):
    """Of a step midway, and of the last one, which is the total."""
    progress, _ = stopped_after(step)
    with pytest.raises(KeyboardInterrupt):
        count_terrain("tournament", scratch=tmp_path / "whole", progress=progress)
    for number, (name, spoil) in enumerate(SPOILT.items()):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        (file,) = folder.glob("*/step-*")
        assert file.name == f"step-{step:03}"
        if step == 12 or "step" not in name:
            spoil(file)
            with pytest.raises(CatanError, match=r"is not what a count has left \(.*\); delete it"):
                count_terrain("tournament", scratch=folder)
                pytest.fail(f"counted although {name}")
    assert count_terrain("tournament", scratch=tmp_path / "whole") == TOURNAMENT


def test_two_counts_at_once_do_not_share_a_folder(tmp_path):
    def progress(done, total):
        with pytest.raises(CatanError, match=r"another count is at work in .*; wait for its end"):
            count_terrain("optimal", scratch=tmp_path)

    assert count_terrain("optimal", scratch=tmp_path, progress=progress) == 188_160


@pytest.mark.parametrize("everything_alike", [True, False])
def test_keys_whose_hashes_are_equal_are_told_apart(everything_alike, monkeypatch):
    rules = Rules(terrain_cluster_max=3)
    known = count_terrain(rules)
    few = np.uint64(0 if everything_alike else 7)
    monkeypatch.setattr(states, "hashes", lambda keys: keys[0].view(np.uint64) & few)
    assert count_terrain(rules.replace(apart=[("ore", "gold")])) == known


def test_what_only_listing_counts_needs_no_folder(tmp_path):
    own = Rules.preset("optimal").replace(constraints=("constraint terrain[1] = ORE;",))
    with pytest.raises(InvalidArgument, match=r"scratch=.*constraints of your own.*leave it out"):
        count_terrain(own, scratch=tmp_path)
    corners = Rules.preset("optimal").replace(symmetry="corners")
    with pytest.raises(InvalidArgument, match="classes under rules that rotations and mirrors do not keep"):
        count_terrain(corners, distinct=True, scratch=tmp_path)


FULL = """
    import resource, signal, sys
    import catan_cp
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        catan_cp.count_terrain("tournament", scratch=sys.argv[1])
    except catan_cp.CatanError as problem:
        print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are POSIX's")
def test_a_full_disk_is_said_and_what_was_done_is_kept(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(FULL), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.startswith(f"the count stopped in {str(tmp_path)!r}: ")
    assert "it goes on with the step at which it stopped" in done.stdout
    progress, told = stopped_after(None)
    assert count_terrain("tournament", scratch=tmp_path, progress=progress) == TOURNAMENT
    assert told[0] > 5


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(CatanError, match="the count stopped in"):
        count_terrain("tournament", scratch=tmp_path / "file")


@pytest.mark.slow
@pytest.mark.parametrize("name, draws", [("new-world", 10), ("seafarers-6", 20)])
def test_large_counts_are_those_of_the_page_and_agree_with_random_fillings(name, draws, tmp_path):
    """Of so many million random fillings, about as many are `optimal` as the counts say."""
    layout = LAYOUTS[name]
    counted = count_terrain("optimal", name, scratch=tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert row.split(" | ")[-1] == f"{counted:,} |"
    code = layout.terrain_codes
    pieces = [code[terrain] for terrain, n in layout.terrain_counts.items() for _ in range(n)]
    here, there = np.array([tiles for tiles in layout.edge_tiles.values() if len(tiles) == 2]).T
    source, found = np.random.default_rng(1), 0
    for _ in range(10 * draws):
        rows = source.permuted(np.tile(np.array(pieces, dtype=np.uint8), (100_000, 1)), axis=1)
        a, b = rows[:, here], rows[:, there]
        clash = (a == b) & ~np.isin(a, [code["sea"], code["desert"]])
        clash |= (np.minimum(a, b) == code["brick"]) & (np.maximum(a, b) == code["lumber"])
        found += int((~clash.any(axis=1)).sum())
    expected = draws * 1_000_000 * counted / count_terrain("open", name)
    assert expected > 100
    assert abs(found - expected) < 5 * expected**0.5
