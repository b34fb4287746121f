"""The study of games: tables of the stored data, and games that are played again."""

import json
import re

import numpy as np
import pytest

from catan_cp import Board, sample_boards, win_chances
from catan_cp.boards.pieces import RESOURCES
from catan_cp.compiled import is_fast
from catan_cp.placement import chances, objective
from catan_cp.play.games import unfairness
from catan_cp.play.tables import EXPERT, GREEDY, WEIGHT
from research.games import answers, estimate, fairness, openings, pairs, study

PAGE = study.PAGE


@pytest.fixture(scope="module")
def rows():
    return study.read()


@pytest.fixture(scope="module")
def stored_study(rows):
    return answers.Study(rows)


def test_the_page_has_the_tables_of_the_data(stored_study, tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "Study", lambda rows: stored_study)
    copy = tmp_path / "page.md"
    copy.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    answers.write_tables([], copy)
    estimate.write_page(copy)
    assert copy.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_the_data_are_those_of_the_design(rows):
    assert [(row["rules"], row["number"]) for row in rows] == [
        (rules, number) for number in range(study.BOARDS) for rules in study.PRESETS
    ]
    for row in rows:
        for arm, (_, many, games) in study.ARMS.items():
            assert len(row[arm]) == many
            assert all(sum(wins) <= games for _, wins, _, _ in row[arm])
        assert all(len(row[plan]) == 4 for plan in study.PLANS)
    boards = openings.boards_of("official", 2, study.SEED)
    assert [board.notation() for board in boards] == [rows[1]["board"], rows[6]["board"]]


@pytest.mark.skipif(not is_fast(), reason="a thousand games need numba")
@pytest.mark.parametrize("number", [0, 403])
def test_stored_games_are_played_again(rows, number):
    """The chances in the data are those of the estimate before."""
    row = rows[number]
    again = json.loads(json.dumps(study.play(row["rules"], row["number"], row["board"])))
    assert again.keys() == row.keys()
    for key in row:
        if key in study.ARMS:
            assert [opening[:3] for opening in again[key]] == [opening[:3] for opening in row[key]]
        else:
            assert again[key] == row[key]


def in_this_process(work, tasks, workers):
    return ((k, work(*task)) for k, task in enumerate(tasks))


@pytest.mark.skipif(not is_fast(), reason="thousands of games need numba")
def test_a_stopped_run_resumes_and_its_tables_go_to_a_file_of_choice(tmp_path, monkeypatch, capsys):
    arms = {arm: few._replace(games=4) for arm, few in study.ARMS.items()}
    for module in (study, answers):
        monkeypatch.setattr(module, "ARMS", arms)
        monkeypatch.setattr(module, "PRESETS", ("open", "official"))
    monkeypatch.setattr(openings, "share_out", in_this_process)
    files, page = [tmp_path / "a.gz", tmp_path / "b.gz"], PAGE.read_text(encoding="utf-8")
    study.main(["run", str(files[0]), "--scale", "0.01", "--workers", "1"])
    whole = study.read(files[0])
    part = tmp_path / "b.part"
    stored = [(json.dumps((row["rules"], row["number"], row["board"])), row) for row in whole[:2]]
    part.write_text("".join(json.dumps(line) + "\n" for line in stored)[:-20])  # killed while writing
    capsys.readouterr()
    study.main(["run", str(files[1]), "--scale", "0.01", "--workers", "1"])
    assert "3 of 3 parts" in capsys.readouterr().err
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not part.exists()
    study.main(["tables", str(files[0]), "--to", str(tmp_path / "tables.md")])
    assert "| own choice | all | " in (tmp_path / "tables.md").read_text()
    assert PAGE.read_text(encoding="utf-8") == page
    for words in ([], ["run"], ["tables", str(files[0])], ["tables", "--to", "x", "y", "z"]):
        with pytest.raises(SystemExit):
            study.main(words)


class _Made(answers.Study):
    """A study with known chances: 3,000 boards, 4 openings each and 10 games per opening."""

    def __init__(self):
        source = np.random.default_rng(1)
        board, opening = (source.normal(0, 0.05, (3000, many, 4)) for many in (1, 4))
        chances = (
            0.25
            + np.array([0.1, 0, 0, -0.1])
            + sum(x - x.mean(axis=2, keepdims=True) for x in (board, opening))
        )
        chances = np.clip(chances, 0, 1) / np.clip(chances, 0, 1).sum(axis=2, keepdims=True)
        self.shares = {"own": source.multinomial(10, chances) / 10}
        self.rules, self.weights = np.full(3000, "open"), np.ones((1, 3000))


def test_estimates_of_known_chances_are_unbiased(monkeypatch):
    monkeypatch.setattr(answers, "ARMS", {"own": study.Arm("greedy", 4, 10)})
    result = _Made()
    seat, part = 0.02, 3 * 0.05**2
    assert result.between("own")[0] == pytest.approx(seat, abs=0.002)
    assert result.mean(result.average("own"))[0] == pytest.approx(seat + part, abs=0.002)
    assert result.mean(result.one_opening("own"))[0] == pytest.approx(seat + 2 * part, abs=0.002)


@pytest.mark.parametrize(
    ("middle", "margin", "verdict"),
    [
        (0.0, 0.5, "none within 0.5"),
        (0.3, 0.5, "differs by less than 0.5"),
        (0.3, 0.2, "differs"),
        (0.05, 0.1, "open"),
        (0.05, None, "open"),
        (0.9, None, "differs"),
    ],
)
def test_a_difference_is_none_within_a_margin_set_in_advance(middle, margin, verdict):
    values = middle + np.array([0, *np.linspace(-0.1, 0.1, 1001)])
    cells = answers.Answer("a", values, margin).cells()
    assert cells == f"a | {middle:.3f} | {middle - 0.095:.3f} to {middle + 0.095:.3f} | {verdict}"


def test_ranks_of_equal_numbers_are_shared():
    assert answers.midranks([5, 1, 5, 9]).tolist() == [2.5, 1, 2.5, 4]


def sample_of(x, wins, plays, board):
    return estimate.Sample(x, wins, plays, board, np.full(len(wins), "own 4"), board < 0, 0 * wins)


def test_the_fit_finds_the_coefficients_of_known_games():
    source = np.random.default_rng(1)
    x, truth = source.normal(size=(4000, 4, 2)), np.array([0.7, -0.3])
    plays = np.arange(4) < np.where(np.arange(4000) % 3, 4, 3)[:, None]
    wins = np.array([source.multinomial(20, p) for p in estimate.shares(x, plays, truth)], float)
    sample = sample_of(x, wins, plays, np.arange(4000) // 2)
    assert not sample.wins[~sample.plays].any()
    beta, errors = estimate.fit(sample)
    assert np.abs(beta - truth).max() < 4 * errors.max() < 0.04
    twice = sample.take(np.repeat(np.arange(4000), 2))  # the same games again add nothing to a board
    assert estimate.fit(twice)[1] == pytest.approx(errors, rel=0.01)
    assert estimate.fit(sample, np.full(4000, 2.0))[0] == pytest.approx(beta)


def test_the_slope_of_chances_that_are_too_bold_is_below_one(monkeypatch):
    monkeypatch.setattr(estimate, "SAMPLES", 100)
    source = np.random.default_rng(2)
    x, plays = source.normal(size=(500, 4, 1)), np.ones((500, 4), dtype=bool)
    wins = np.array([source.multinomial(40, p) for p in estimate.shares(x, plays, np.array([0.8]))], float)
    mid, low, high = estimate.slope(sample_of(x, wins, plays, np.arange(500)), np.array([1.0]))
    assert low < mid < high
    assert low < 0.8 < high < 1


@pytest.mark.skipif(not is_fast(), reason="thousands of games need numba")
def test_a_small_fit_is_resumed_and_writes_nothing_without_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(openings, "share_out", in_this_process)
    monkeypatch.setattr(estimate, "SAMPLES", 10)
    monkeypatch.setattr(estimate, "PRESETS", ("open",))
    monkeypatch.setattr(chances, "pair_worth", chances.pair_worth)  # which the fit replaces
    file, before = tmp_path / "games", estimate.FILE.read_bytes()
    fits = []
    for _ in range(2):
        estimate.main([str(file), "--scale", "0.04", "--workers", "1"])
        fits.append(json.loads(capsys.readouterr().out))
        estimate.use({name: float(value) for name, value in objective.read_worth("pairs").items()})
    assert fits[0] == fits[1]
    assert list(fits[0]["pairs"]) == list(objective.read_worth("pairs"))
    assert {*fits[0]["tests"]} >= {"line 4", "neighbor 4", "line 3", "own 4", "expert 4", "random 3"}
    assert estimate.FILE.read_bytes() == before


def test_pairs_have_every_seat(rows):
    board = Board.from_notation(rows[0]["board"])
    won = [pairs.share(*names, board, 20, 1) for names in (("expert", "weighted"), ("weighted", "expert"))]
    assert sum(won) == 1
    assert won[0] > 0.9


@pytest.mark.skipif(not is_fast(), reason="thousands of games need numba")
@pytest.mark.parametrize("stronger", ["greedy", pytest.param("expert:odds", marks=pytest.mark.slow)])
def test_rows_of_pairs_are_played_again(stronger):
    row = pairs.row(stronger, {"greedy": "weighted", "expert:odds": "expert"}[stronger])
    assert row in pairs.PAGE.read_text(encoding="utf-8").splitlines()


def test_weights_of_experts_are_those_of_their_page():
    pips = [dict(zip(WEIGHT._fields, row, strict=True)) for row in (EXPERT, GREEDY)]
    new = [{round(value / 40) for name, value in row.items() if name.startswith("any_")} for row in pips]
    (expert, greedy) = [[round(row[name] / 40) for name in ("point", "card")] for row in pips]
    assert (min(new[0]), max(new[0]), new[1]) == (2, 8, {2})
    assert (expert, greedy) == ([8, 10], [4, 4])
    assert [round(row["patience"] / 10) for row in pips] == [2, 8]
    table = pairs.PAGE.read_text(encoding="utf-8")
    for row in (
        "lacks | two to eight pips | two",
        "point | eight pips | four",
        "card | ten pips | four",
        "gain | two rolls | eight",
    ):
        assert row in table


def text_of(path):
    return " ".join((PAGE.parents[1] / path).read_text(encoding="utf-8").split())


def test_sentences_hold_in_the_data(stored_study, rows):
    """Compute the numbers of sentences about games on several pages."""
    paper = text_of("docs/play_paper.md")
    values = {
        one.name: one
        for table in (answers.order, answers.unfairness, answers.split, answers.chances, answers.plans)
        for one in table(stored_study)
    }
    values |= {one.name: one for one in answers.lengths(stored_study)}
    value = {name: one.value for name, one in values.items()}

    def seats(arm, *rules):
        shares = (
            stored_study.shares[arm][:, :1].mean(axis=1)
            if arm == "perfect"
            else stored_study.shares[arm].mean(axis=1)
        )
        return [100 * float(stored_study.mean(shares[:, seat], *rules)[0]) for seat in range(4)]

    games = sum(arm.openings * arm.games for arm in study.ARMS.values()) * len(rows)
    own, perfect = seats("own"), {rules: seats("perfect", *rules) for rules in ((), ("open",), ("optimal",))}
    ends = {rules: f"{row[0]:.1f} and {row[3]:.1f} %" for rules, row in perfect.items()}
    error = stored_study.chances["perfect"][:, :1] - stored_study.shares["perfect"][:, :1]
    share = stored_study.shares["perfect"][:, :1]
    typical = float((error**2 - share * (1 - share) / 99).mean() ** 0.5)
    low, high = np.quantile(values["experts: `optimal` less `open`"].values[1:], (0.025, 0.975))
    plan_games = len(rows) * len(study.PLANS) * 4 * study.PLAN_GAMES
    for sentence in (
        f"{games:,} games",
        f"{len(rows) // len(study.PRESETS)} boards for each of five presets, {len(rows)} in all",
        f"In {plan_games:,} further games, one seat follows a plan",
        f"seats win {own[0]:.1f}, {own[1]:.1f}, {own[2]:.1f} and {own[3]:.1f} %",
        f"win {ends[()]}: {ends['open',]} on `open`, {ends['optimal',]} on `optimal`",
        f"seat 1 win {100 * value['settlements of seat 1, in each turn']:.1f} points more",
        f"seat 4 win {-100 * value['settlements of seat 4, in each turn']:.1f} points less",
        f"an unfairness of {value['own choice, one opening, `open`']:.3f} on `open` and "
        f"{value['own choice, one opening, `optimal`']:.3f} on `optimal`",
        f"reduce it by {100 - 100 * value['own choice, one opening, `optimal` by `open`']:.0f} and "
        f"{100 - 100 * value['own choice, one opening, `blog` by `open`']:.0f} %",
        f"from {value['perfect, one opening, `open`']:.3f} to {value['perfect, one opening, `blog`']:.3f}",
        f"looks fairer, {value['own choice, average, `open`']:.3f} on `open`",
        f"are {100 * value['one opening, perfect by own choice'] - 100:.0f} % less fair",
        f"experts {100 * value['one opening, experts by own choice'] - 100:.0f} %",
        f"are {100 - 100 * value['one opening, by own odds by own choice']:.0f} % fairer",
        f"states only {100 * value['own choice: stated by games']:.0f} % of",
        f"{100 * value['perfect: stated by games']:.0f} % of that of perfect settlements",
        f"its typical error is {100 * typical:.0f} points",
        f"wins {100 * value['`odds`, less 1/4']:.1f} points more than a quarter",
        f"(`optimal`) wins {-100 * value['`optimal`, less 1/4']:.1f} points less, and the sum of pips "
        f"{-100 * value['`pips`, less 1/4']:.1f} less",
        f"they are {-value['own choice: `optimal` less `open`']:.1f} turns shorter",
        f"({-low:.1f} turns shorter to {high:.1f} longer)",
    ):
        assert sentence in paper, sentence
    assert max(abs(value[name]) for name in value if name.startswith("turn ")) < 0.005
    assert values["own choice, one opening, `official` by `open`"].cells().endswith("none within 0.15")
    assert values["perfect: `optimal` less `open`"].cells().endswith("none within 2")
    assert 0.35 < value["own choice: board, share"] < 0.4 and 0.6 < value["own choice: opening, share"] < 0.65
    for arm in ("own choice", "experts"):
        one = np.mean(study_mean(stored_study, arm))
        assert 7.5 < value[f"{arm}: dice, variance of one game"] / one < 9.5
    assert all(
        sum(wins) == study.ARMS[arm].games for row in rows for arm in study.ARMS for _, wins, _, _ in row[arm]
    )


def study_mean(stored_study, title):
    arm = next(arm for arm, name in answers.TITLES.items() if name == title)
    return stored_study.one_opening(arm)


def test_sentences_on_other_pages_hold(stored_study):
    perfect = 100 * float(stored_study.mean(stored_study.shares["perfect"][:, 0, 3])[0])
    assert f"it wins {perfect:.1f} %." in text_of("notebooks/7_play_testing.ipynb")
    value = {
        one.name: one.value for one in (*answers.unfairness(stored_study), *answers.chances(stored_study))
    }
    for title in ("own choice", "perfect", "by own odds"):  # "about a quarter fairer"
        assert 0.2 < 1 - value[f"{title}, one opening, `optimal` by `open`"] < 0.3
    for title in ("own choice", "perfect"):  # "about two thirds of the unfairness"
        assert 0.6 < value[f"{title}: stated by games"] < 0.75
    assert "its typical error is 8 points" in text_of("docs/play_paper.md")  # see above
    assert 0.95 < value["own choice: slope of shares on chances"] < 1.05  # "right on average"
    for page in ("docs/play.md", "CHANGELOG.md", "notebooks/7_play_testing.ipynb"):
        assert "880,000 games" in text_of(page)


@pytest.mark.skipif(not is_fast(), reason="thousands of games need numba")
@pytest.mark.parametrize("players", [5, 6])
@pytest.mark.filterwarnings("ignore:the chances to win")
def test_chances_of_more_players_state_less_of_their_unfairness(stored_study, players):
    """With five and six players, chances differ more from the estimate than with four."""
    ratio, n = {one.name: one.value for one in answers.chances(stored_study)}, 40
    stated, played = [], []
    for k, board in enumerate(sample_boards(40, "open", layout="base-5-6", seed=1)):
        (opening,) = openings.chosen(board, ["greedy"] * players, 1, k)
        wins = openings.wins_of(openings.rows_of(board, ["greedy"] * players, n, 1000 + k, opening))
        played.append(unfairness(wins, n))
        stated.append(sum((chance - 1 / players) ** 2 for chance in win_chances(board, opening)))
    assert sum(stated) / sum(played) < ratio["own choice: stated by games"] - 0.05


def test_sentences_about_the_fit_hold():
    worth = {name: float(value) for name, value in objective.worth().items()}

    def curve(name, pips):
        return worth[name] * pips + sum(worth[f"{name}_{step}"] * min(step, pips) for step in objective.STEPS)

    ratios = [9 * curve(name, 1) / (curve(name, 10) - curve(name, 1)) for name in RESOURCES]
    assert (round(min(ratios)), round(max(ratios))) == (1, 4)
    paper = text_of("docs/play_paper.md")
    assert "is worth as much as one to four later ones" in paper


def test_the_page_has_the_table_of_even_boards(tmp_path):
    stored = tmp_path / "games"
    stored.write_bytes((estimate.FILE.parents[2] / "research/games/fairness.jsonl").read_bytes())
    lines = fairness.table(stored, 1, 1)
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")
    line, *rest = [[float(x) for x in re.findall(r"-?\d+\.\d", row.split("|")[-2])] for row in lines[5:]]
    assert line[2] < 0  # even boards are fairer from the line of the game
    assert all(low < 0 < high for _, low, high in rest)  # "all intervals of the difference contain 0"
    assert lines[0].startswith("14 of 300 boards") and "With 14 even boards" in text_of("docs/play_paper.md")
