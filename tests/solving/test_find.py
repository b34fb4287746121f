"""Which MiniZinc and which solver configuration are found, with small scripts in the place of programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp.errors import SolverNotFound
from catan_cp.solving import find
from catan_cp.solving.backends import BACKENDS
from catan_cp.solving.find import OWN_COMMAND, private_folder

REAL_ENVIRONMENT = dict(os.environ)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins for MiniZinc are shell scripts")


class FakeMiniZinc:
    """A folder ``bin`` with a script that answers what `find` asks, and solver configurations beside it."""

    def __init__(self, prefix: Path, version: str = "2.9.2") -> None:
        self.library = prefix / "share/minizinc"
        self.bin = prefix / "bin"
        self.program = self.bin / "minizinc"
        (self.library / "solvers").mkdir(parents=True)
        self.bin.mkdir()
        self.entries: list[dict[str, object]] = []
        (prefix / "version").write_text(f"MiniZinc to FlatZinc converter, version {version}, build 1\n")
        (prefix / "dirs").write_text(json.dumps({"mznStdlibDir": str(self.library)}))
        self.listing = prefix / "listing"
        self.listing.write_text("[]")
        self.program.write_text(
            "#!/bin/sh\n"
            f"case $1 in --version) f=version;; --solvers-json) f=listing;; --config-dirs) f=dirs;; esac\n"
            f"echo $1 >> '{prefix}/asked'\nexec /bin/cat \"{prefix}/$f\"\n"
        )
        self.program.chmod(0o755)
        self.asked = prefix / "asked"

    def add(self, name: str, executable: object, *, folder: Path | None = None, version: str = "1.0") -> Path:
        """List a solver whose configuration stands in *folder*; return the configuration's path."""
        config = (folder or self.library / "solvers") / f"{name}.msc"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.touch()
        entry = {
            "id": BACKENDS[name].ids[0] if name in BACKENDS else name,
            "name": name,
            "version": version,
            "mznlib": f"-G{name}",
            "executable": executable,
            "extraInfo": {"configFile": str(config)},
            "tags": ["cp"],
            "stdFlags": ["-a"],
        }
        self.entries.append(entry)
        self.listing.write_text(json.dumps(self.entries))
        return config

    def program_called(self, name: str) -> Path:
        """Put a FlatZinc program beside MiniZinc."""
        path = self.bin / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any MiniZinc: empty cache, nothing on PATH, no variable."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)


def test_nothing_there_names_all_places_and_a_command(tmp_path: Path) -> None:
    with pytest.raises(SolverNotFound) as caught:
        find.find_minizinc()
    message = str(caught.value)
    assert "CATAN_CP_MINIZINC is not set" in message
    assert str(tmp_path / "cache") in message
    assert "PATH" in message
    assert message.endswith(OWN_COMMAND)


@pytest.mark.parametrize("place", [".", "bin", "bin/minizinc", ".."])
@pytest.mark.parametrize("mode, owner", [(0o777, None), (0o755, 65_534)])
def test_a_private_copy_that_others_could_have_put_there_is_not_started(
    place: str, mode: int, owner: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    private = FakeMiniZinc(private_folder())
    assert find.find_minizinc().origin == "private copy"
    private.asked.unlink()
    spoilt = (private_folder() / place).resolve()
    spoilt.chmod(mode)
    if owner is not None:
        if os.geteuid() != 0:
            pytest.skip("only root gives files away")
        os.chown(spoilt, owner, owner)
    with pytest.raises(SolverNotFound, match=rf"is not started, since {spoilt} belongs to another user"):
        find.find_minizinc()
    assert not private.asked.exists()


def test_variable_then_private_copy_then_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = FakeMiniZinc(tmp_path / "system", "2.6.4")
    monkeypatch.setenv("PATH", str(on_path.bin))
    found = find.find_minizinc()
    assert (found.executable, found.version, found.origin) == (on_path.program, (2, 6, 4), "PATH")

    private = FakeMiniZinc(private_folder(), "2.9.2")
    found = find.find_minizinc()
    assert (found.executable, found.version, found.origin) == (private.program, (2, 9, 2), "private copy")

    named = FakeMiniZinc(tmp_path / "named", "2.8.0")
    for value in (named.program, named.bin, named.bin.parent):
        monkeypatch.setenv("CATAN_CP_MINIZINC", str(value))
        found = find.find_minizinc()
        assert (found.executable, found.version, found.origin) == (
            named.program,
            (2, 8, 0),
            "CATAN_CP_MINIZINC",
        )

    monkeypatch.setenv("CATAN_CP_MINIZINC", "")
    assert find.find_minizinc().origin == "private copy"


@pytest.mark.parametrize("value", ["/nowhere/minizinc", "empty", "home"])
def test_wrong_variable_never_falls_through(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(FakeMiniZinc(tmp_path / "system").bin))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CATAN_CP_MINIZINC", value)
    with pytest.raises(SolverNotFound, match=f"CATAN_CP_MINIZINC is set to '{value}'"):
        find.find_minizinc()


def test_variable_with_a_program_that_may_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.program.chmod(0o644)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    with pytest.raises(SolverNotFound, match="may not be executed"):
        find.find_minizinc()


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("#!/bin/sh\necho hello\n", "is not MiniZinc"),
        ("#!/bin/sh\necho broken library >&2\nexit 3\n", "status 3.*broken library"),
        ("\x7fELF nonsense", "does not start"),
        ("#!/bin/sh\necho version 2.6.3\n", "2.6.3 .* is too old: 2.6.4 or newer"),
        ("#!/bin/sh\necho version 1.10.9\n", "1.10.9 .* is too old"),
    ],
)
def test_programs_that_are_not_a_usable_minizinc(
    script: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "minizinc"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(program))
    with pytest.raises(SolverNotFound, match=complaint) as caught:
        find.find_minizinc()
    assert str(program) in str(caught.value)


def test_asked_once_until_the_program_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.add("gecode", str(fake.program_called("fzn-gecode")))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    first = find.find_solver("gecode")
    assert find.find_solver("gecode") == first
    assert find.find_minizinc() == first.minizinc
    assert sorted(fake.asked.read_text().split()) == ["--solvers-json", "--version"]
    (tmp_path / "named/version").write_text("version 2.10.1")
    os.utime(fake.program, (1, 1))
    assert find.find_minizinc().version == (2, 10, 1)


def test_auto_prefers_chuffed_and_takes_gecode_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    with pytest.raises(SolverNotFound, match="no chuffed and no gecode"):
        find.find_solver()
    gecode = fake.add("gecode", str(fake.program_called("fzn-gecode")), version="6.2.0")
    os.utime(fake.program, (1, 1))
    found = find.find_solver()
    assert (found.name, found.version, found.config_file) == ("gecode", "6.2.0", gecode)
    with pytest.raises(SolverNotFound, match="no chuffed; bring it with") as caught:
        find.find_solver("chuffed")
    assert str(caught.value).endswith(OWN_COMMAND)
    fake.add("chuffed", str(fake.program_called("fzn-chuffed")))
    os.utime(fake.program, (2, 2))
    assert find.find_solver().name == "chuffed"
    for name in ("GECODE", " gecode", "org.gecode.gecode", "Org.Gecode.Gecode"):
        assert find.find_solver(name).name == "gecode"


@pytest.mark.parametrize(
    "listing",
    ["", "hello", "null", "3", "{}", "[1]", '["id"]', '[{"id": 3}]', "[{}]", '[{"id": "x"', "[" * 100_000]
    + [json.dumps([{"id": "x", "extraInfo": value}]) for value in (None, 3, [], {"configFile": 3})]
    + [json.dumps([{"id": "org.gecode.gecode", "executable": value}]) for value in (3, {"a": 1}, [3])]
    + ['[{"id": "x", "stdFlags": 3}]'],
)
def test_a_listing_that_is_nonsense_is_told(
    listing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.listing.write_text(listing)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    for name in ("auto", "chuffed", "highs"):
        with pytest.raises(SolverNotFound, match="does not list its solvers as JSON"):
            find.find_solver(name)


def test_a_solver_that_is_listed_and_does_not_solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As HiGHS is where its library is missing; what the stand-in answers is no solution."""
    fake = FakeMiniZinc(tmp_path / "named")
    fake.entries.append({"id": "org.minizinc.mip.highs", "extraInfo": {"configFile": ""}})
    fake.listing.write_text(json.dumps(fake.entries))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    monkeypatch.setattr("catan_cp.solving.backends.find_spec", lambda _: None)
    with pytest.raises(
        SolverNotFound, match=r"MiniZinc lists highs, but .* three lines.*; pip install highspy"
    ):
        find.find_solver("HiGHS")
    assert list(find.found_solvers()) == []


@pytest.mark.parametrize("name", ["glucose", "", "org.gecode.gist", "chuffed@0.13", None, 3])
def test_unknown_solvers_are_named_with_what_is_allowed(
    name: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.add("gecode", str(fake.program_called("fzn-gecode")))
    fake.add("chuffed", str(fake.program_called("fzn-chuffed")))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    with pytest.raises(SolverNotFound, match="auto, chuffed, gecode") as caught:
        find.find_solver(name)  # type: ignore[arg-type]
    assert repr(name) in str(caught.value)


def test_a_misspelt_solver_is_answered_with_the_one_that_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.add("chuffed", str(fake.program_called("fzn-chuffed")))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    with pytest.raises(SolverNotFound, match=r"unknown solver 'chufed'; did you mean 'chuffed'\? "):
        find.find_solver("chufed")


@pytest.mark.parametrize("kind", ["absolute", "relative", "name", "list", "on path"])
def test_every_way_to_name_the_flatzinc_program(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    program = fake.program_called("fzn-gecode")
    if kind == "on path":
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        program = program.rename(elsewhere / "fzn-gecode")
        monkeypatch.setenv("PATH", str(elsewhere))
    stated = {
        "absolute": str(program),
        "relative": "../../../bin/fzn-gecode",
        "list": ["../../../bin/fzn-gecode"],
    }
    fake.add("gecode", stated.get(kind, "fzn-gecode"))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    assert find.find_solver("gecode").executable == program


@pytest.mark.parametrize("stated", ["/nowhere/fzn-gecode", ["fzn-gecode", "-mode", "gist"], None, []])
def test_configurations_that_cannot_be_run_as_they_are_do_not_count(
    stated: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    fake.program_called("fzn-gecode")
    fake.add("gecode", stated)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    with pytest.raises(SolverNotFound, match="no gecode"):
        find.find_solver("gecode")


@pytest.mark.parametrize("own_first", [True, False])
def test_of_two_configurations_the_own_one_is_taken(
    own_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMiniZinc(tmp_path / "named")
    own = fake.program_called("fzn-gecode")
    other = tmp_path / "other/fzn-gecode"
    other.parent.mkdir()
    other.touch(0o755)
    places = [(own, None), (other, tmp_path / "home/.minizinc/solvers")]
    for program, folder in places if own_first else reversed(places):
        fake.add("gecode", str(program), folder=folder)
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(fake.program))
    found = find.find_solver("gecode")
    assert found.executable == own
    assert found.config_file == fake.library / "solvers/gecode.msc"


def test_real_solvers_solve_through_the_minizinc_package_without_a_warning() -> None:
    """In a process of its own, so that the package is really imported, with what this machine really has."""
    code = """
import sys
from catan_cp.solving.find import find_solver

for name in ("gecode", "auto"):
    solver = find_solver(name)
    assert "minizinc" not in sys.modules or name == "auto"
    from catan_cp.solving.binding import Driver, OpenInstance, configuration
    from minizinc import Model
    model = Model()
    model.add_string("var 1..9: x; constraint x * x = 49; solve satisfy;")
    print(OpenInstance(configuration(solver), model, Driver(solver)).solve()["x"])
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-W", "error::RuntimeWarning", "-c", code],
        env=REAL_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["7", "7"], "")
