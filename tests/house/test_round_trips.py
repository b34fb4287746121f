"""Written data is read back equal.

A run that was stopped anywhere ends like a complete one.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st

from catan_cp import (
    Games,
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Objective,
    Rules,
    Study,
    play_games,
)
from catan_cp.placement import Draft
from tests.agreement.cases import random_case
from tests.properties import few_and_many
from tests.stored import BOARDS, everything, score

LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"

weights = st.one_of(st.integers(0, 9), st.fractions(0, 9, max_denominator=10), st.floats(0, 9))
positive = st.one_of(st.integers(1, 9), st.fractions(1, 9, max_denominator=10), st.floats(0.1, 9))
objectives = st.builds(Objective, positive, weights, weights, rivalry=weights, expansion=weights)
POLICIES = ("weighted", "greedy", "trader", "expert")
players = st.lists(st.sampled_from(POLICIES), min_size=2, max_size=4)


@few_and_many(25, 300, st.integers(0, 10**6))
def test_random_rules_survive_mappings_and_files(seed):
    rules = random_case(seed, most=60)[0].rules
    assert Rules.from_mapping(rules.to_mapping()) == rules
    with TemporaryDirectory() as folder:
        path = Path(folder, "rules.toml")
        path.write_text(rules.to_toml(), encoding="utf-8")
        assert Rules.from_toml(path) == rules


@few_and_many(
    50,
    500,
    st.integers(1, 10**6),
    st.one_of(st.none(), st.integers(0, 2**63 - 1)),
    st.lists(objectives, min_size=2, max_size=4),
    st.integers(1, 300),
    st.text(min_size=1, max_size=30),
    st.sampled_from(POLICIES),
)
def test_studies_survive_json(n, seed, goals, chunk, name, policy):
    try:
        study = Study(
            n, seed=seed, players=len(goals), objective=goals, chunk=chunk, name=name, games=2,
            played_by=policy,
        )  # fmt: skip
    except InvalidArgument as error:
        assert "name" in str(error)
        return
    assert Study.from_json(study.to_json()) == study


@few_and_many(
    25, 500, st.lists(st.tuples(st.integers(1, 6), st.integers(0, 53), st.none() | st.integers(0, 53)))
)
def test_drafts_survive_text(settlements):
    try:
        draft = Draft(tuple((p, v) for p, v, _ in settlements), tuple(road for *_, road in settlements))
    except (InvalidArgument, InvalidBoard, InvalidRules):
        return
    assert Draft.from_text(str(draft)) == draft


@few_and_many(6, 60, st.integers(1, 9), st.integers(0, 10**6), players)
def test_games_survive_json(n, seed, players):
    games = play_games(LINE, n, players=players, seed=seed)
    assert Games.from_json(games.to_json()) == games


# Stopped anywhere


@cache
def whole_study():
    with TemporaryDirectory() as folder:
        path = Path(folder, "study.db")
        score(path)
        return everything(path)


@few_and_many(4, 40, st.lists(st.integers(0, len(BOARDS)), min_size=1, max_size=3))
def test_stopped_study_ends_same(stops):
    def boards(stop):
        for number, board in enumerate(BOARDS):
            if number == stop:
                raise KeyboardInterrupt
            yield board

    with TemporaryDirectory() as folder:
        path = Path(folder, "study.db")
        for stop in stops:
            if stop < len(BOARDS):
                with pytest.raises((Interrupted, KeyboardInterrupt)):
                    score(path, boards(stop))
        score(path)
        assert everything(path) == whole_study()


@few_and_many(8, 100, st.floats(0, 1))
def test_truncated_games_file_completed(share):
    """A kill ends the file anywhere in the batch that was written."""
    expected = play_games(LINE, 6, seed=5)
    with TemporaryDirectory() as folder:
        file = Path(folder, "games.jsonl")
        play_games(LINE, 3, seed=5, file=file)
        size = file.stat().st_size
        play_games(LINE, 6, seed=5, file=file)
        content = file.read_bytes()
        file.write_bytes(content[: size + round(share * (len(content) - size))])
        assert play_games(LINE, 6, seed=5, file=file) == expected
        assert file.read_bytes() == content
