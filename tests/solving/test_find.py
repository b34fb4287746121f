"""The choice of MiniZinc and of solver configurations, with small scripts as programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import SolverNotFound
from catan_cp.solving import find
from catan_cp.solving.find import BACKENDS, OWN_COMMAND, find_minizinc, find_solver, private_folder

REAL_ENVIRONMENT = dict(os.environ)
NAMED = "CATAN_CP_MINIZINC"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins for MiniZinc are shell scripts")


def script(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class FakeMiniZinc:
    """A folder ``bin`` with a script that answers the calls of `find`, and solver configurations."""

    def __init__(self, prefix: Path, version="2.9.2"):
        self.solvers = prefix / "share/minizinc/solvers"
        self.solvers.mkdir(parents=True)
        self.entries = []
        (prefix / "version").write_text(f"MiniZinc to FlatZinc converter, version {version}, build 1\n")
        self.listing, self.asked = prefix / "listing", prefix / "asked"
        self.listing.write_text("[]")
        self.program = script(
            prefix / "bin/minizinc",
            "#!/bin/sh\ncase $1 in --version) f=version;; --solvers-json) f=listing;; esac\n"
            f"echo $1 >> '{prefix}/asked'\nexec /bin/cat \"{prefix}/$f\"\n",
        )
        self.bin = self.program.parent

    def add(self, name, executable=None, *, folder=None, version="1.0"):
        """List a solver whose configuration is in *folder*.

        Return the configuration's path.
        """
        config = (folder or self.solvers) / f"{name}.msc"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.touch()
        self.entries.append(
            {
                "id": BACKENDS[name].ids[0],
                "name": name,
                "version": version,
                "mznlib": f"-G{name}",
                "executable": executable or str(script(self.bin / f"fzn-{name}")),
                "extraInfo": {"configFile": str(config)},
                "tags": ["cp"],
                "stdFlags": ["-a"],
            }
        )
        self.listing.write_text(json.dumps(self.entries))
        os.utime(self.program, (len(self.entries),) * 2)  # what it said before is asked again
        return config


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch, tmp_path):
    """A machine without any MiniZinc: empty cache, nothing on PATH, no variable."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv(NAMED, raising=False)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A script that the environment variable names."""
    program = FakeMiniZinc(tmp_path / "named", "2.8.0")
    monkeypatch.setenv(NAMED, str(program.program))
    return program


def test_missing_minizinc_names_places(tmp_path):
    with pytest.raises(SolverNotFound) as caught:
        find_minizinc()
    message = str(caught.value)
    assert f"{NAMED} is not set" in message
    assert str(tmp_path / "cache") in message
    assert "PATH" in message
    assert message.endswith(OWN_COMMAND)


@pytest.mark.parametrize("place", [".", "bin", "bin/minizinc", "..", "../.."])
@pytest.mark.parametrize("mode, owner", [(0o777, None), (0o755, 65_534)])
def test_untrusted_private_copy_is_not_started(place, mode, owner):
    private = FakeMiniZinc(private_folder())
    assert find_minizinc().origin == "private copy"
    private.asked.unlink()
    spoilt = (private_folder() / place).resolve()
    spoilt.chmod(mode)
    if owner is not None:
        if os.geteuid() != 0:
            pytest.skip("only root gives files away")
        os.chown(spoilt, owner, owner)
    with pytest.raises(SolverNotFound, match=rf"is not started, since {spoilt} belongs to another user"):
        find_minizinc()
    assert not private.asked.exists()


def test_variable_then_private_copy_then_path(tmp_path, monkeypatch):
    def found():
        program = find_minizinc()
        return program.executable, program.version, program.origin

    on_path = FakeMiniZinc(tmp_path / "system", "2.6.4")
    monkeypatch.setenv("PATH", str(on_path.bin))
    assert found() == (on_path.program, (2, 6, 4), "PATH")
    private = FakeMiniZinc(private_folder(), "2.9.2")
    assert found() == (private.program, (2, 9, 2), "private copy")
    named = FakeMiniZinc(tmp_path / "named", "2.8.0")
    for value in (named.program, named.bin, named.bin.parent):
        monkeypatch.setenv(NAMED, str(value))
        assert found() == (named.program, (2, 8, 0), NAMED)
    monkeypatch.setenv(NAMED, "")
    assert found()[2] == "private copy"


@pytest.mark.parametrize(
    "value", ["/nowhere/minizinc", "empty", "home", "locked", "~nobody-of-this-name/bin"]
)
def test_wrong_variable_never_falls_through(value, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(FakeMiniZinc(tmp_path / "system").bin))
    monkeypatch.chdir(tmp_path)
    script(tmp_path / "locked").chmod(0o644)
    monkeypatch.setenv(NAMED, value)
    message = f"{NAMED} is set to '{value}', but " + (
        "/.* may not be executed" if value == "locked" else "there"
    )
    with pytest.raises(SolverNotFound, match=message):
        find_minizinc()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("#!/bin/sh\necho hello\n", "is not MiniZinc"),
        ("#!/bin/sh\necho broken library >&2\nexit 3\n", "status 3.*broken library"),
        ("\x7fELF nonsense", "does not start"),
        ("#!/bin/sh\necho version 2.6.3\n", "2.6.3 .* is too old: 2.6.4 or newer"),
        ("#!/bin/sh\necho version 1.10.9\n", "1.10.9 .* is too old"),
    ],
)
def test_programs_that_are_not_usable_minizinc(text, complaint, fake):
    script(fake.program, text)
    with pytest.raises(SolverNotFound, match=complaint) as caught:
        find_minizinc()
    assert str(fake.program) in str(caught.value)


def test_asked_once_until_program_changes(fake, tmp_path):
    fake.add("gecode")
    first = find_solver("gecode")
    assert find_solver("gecode") == first
    assert find_minizinc() == first.minizinc
    assert sorted(fake.asked.read_text().split()) == ["--solvers-json", "--version"]
    (tmp_path / "named/version").write_text("version 2.10.1")
    os.utime(fake.program, (9, 9))
    assert find_minizinc().version == (2, 10, 1)


def test_auto_prefers_chuffed(fake):
    with pytest.raises(SolverNotFound, match="no chuffed and no gecode"):
        find_solver()
    gecode = fake.add("gecode", version="6.2.0")
    backend = find_solver()
    assert (backend.name, backend.version, backend.config_file) == ("gecode", "6.2.0", gecode)
    with pytest.raises(SolverNotFound, match=f"no chuffed; install it with.*{OWN_COMMAND}$"):
        find_solver("chuffed")
    fake.add("chuffed")
    assert find_solver().name == "chuffed"
    for name in ("GECODE", " gecode", "org.gecode.gecode", "Org.Gecode.Gecode"):
        assert find_solver(name).name == "gecode"


@pytest.mark.parametrize(
    "listing",
    ["", "hello", "null", "3", "{}", "[1]", '["id"]', '[{"id": 3}]', "[{}]", '[{"id": "x"', "[" * 100_000]
    + [json.dumps([{"id": "x", "extraInfo": value}]) for value in (None, 3, [], {"configFile": 3})]
    + [json.dumps([{"id": "org.gecode.gecode", "executable": value}]) for value in (3, {"a": 1}, [3])]
    + ['[{"id": "x", "stdFlags": 3}]'],
)
def test_nonsense_listing_reported(listing, fake):
    fake.listing.write_text(listing)
    for name in ("auto", "chuffed", "highs"):
        with pytest.raises(SolverNotFound, match="does not list its solvers as JSON"):
            find_solver(name)


def test_listed_solver_without_solutions(fake, monkeypatch):
    """Like HiGHS if its library is missing.

    The output of the script is not a solution.
    """
    fake.listing.write_text('[{"id": "org.minizinc.mip.highs", "extraInfo": {"configFile": ""}}]')
    monkeypatch.setattr("catan_cp.solving.find.find_spec", lambda _: None)
    with pytest.raises(SolverNotFound, match=r"lists highs, but .* three lines.*; pip install highspy"):
        find_solver("HiGHS")
    assert list(find.found_solvers()) == []
    fake.add("gecode")  # whose program, which we start ourselves, was believed untried
    assert find_solver("gecode").name == "gecode"
    assert list(find.found_solvers()) == []


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("chufed", r"did you mean 'chuffed'\? "),
        *((name, "") for name in ("glucose", "", "org.gecode.gist", "chuffed@0.13", None, 3)),
    ],
)
def test_unknown_solvers_rejected(name, suggestion, fake):
    fake.add("gecode")
    fake.add("chuffed")
    with pytest.raises(SolverNotFound, match=f"{suggestion}.*auto, chuffed, gecode") as caught:
        find_solver(name)
    assert f"unknown solver {name!r}" in str(caught.value)


@pytest.mark.parametrize("kind", ["absolute", "relative", "name", "list", "on path"])
def test_every_way_to_name_flatzinc_program(kind, fake, tmp_path, monkeypatch):
    program = script((tmp_path / "elsewhere" if kind == "on path" else fake.bin) / "fzn-gecode")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    beside = "../../../bin/fzn-gecode"
    fake.add(
        "gecode", {"absolute": str(program), "relative": beside, "list": [beside]}.get(kind, "fzn-gecode")
    )
    assert find_solver("gecode").executable == program


@pytest.mark.parametrize("stated", ["/nowhere/fzn-gecode", ["fzn-gecode", "-mode", "gist"], None, []])
def test_unusable_configurations_do_not_count(stated, fake):
    fake.add("gecode")
    fake.entries[0]["executable"] = stated
    fake.listing.write_text(json.dumps(fake.entries))
    with pytest.raises(SolverNotFound, match="no gecode"):
        find_solver("gecode")


@pytest.mark.parametrize("own_first", [True, False])
def test_of_two_configurations_own_one_taken(own_first, fake, tmp_path):
    own = script(fake.bin / "fzn-gecode")
    other = script(tmp_path / "other/fzn-gecode")
    places = [(own, None), (other, tmp_path / "home/.minizinc/solvers")]
    for program, folder in places if own_first else reversed(places):
        fake.add("gecode", str(program), folder=folder)
    backend = find_solver("gecode")
    assert (backend.executable, backend.config_file) == (own, fake.solvers / "gecode.msc")


REALLY = """
import sys
from catan_cp.solving.find import find_solver

for name in ("gecode", "auto"):
    solver = find_solver(name)
    assert "minizinc" not in sys.modules or name == "auto"
    from catan_cp.solving.driver import package
    from minizinc import Instance, Model, Solver
    assert package().default_driver.parsed_version == solver.minizinc.version
    model = Model()
    model.add_string("var 1..9: x; constraint x * x = 49; solve satisfy;")
    print(Instance(Solver.lookup(solver.entry["id"]), model).solve()["x"])
"""


def test_list_of_solvers_read_once(fake, monkeypatch):
    """A search asks for its solver once per solution."""
    fake.add("gecode")
    texts = []
    monkeypatch.setattr("json.loads", lambda text, loads=json.loads: texts.append(text) or loads(text))
    assert find_solver("gecode") == find_solver("gecode")
    fake.add("chuffed")
    assert find_solver("auto").name == "chuffed"
    assert len(texts) == 2


IMPORTS = """
import os
before = dict(os.environ)
import catan_cp.solving.binding
assert os.environ == before
import minizinc
assert minizinc.Driver.find(["/nowhere"]) is None
os.environ["CATAN_CP_MINIZINC"] = before["LATER"]
print(catan_cp.solving.driver.package().default_driver.executable)
"""


def test_importing_package_starts_no_minizinc(fake, tmp_path):
    """Nor fails on a broken one.

    Its default driver is the one that this library finds later.
    """
    broken = script(tmp_path / "broken/minizinc", f"#!/bin/sh\ntouch '{tmp_path}/started'; echo nonsense\n")
    environment = {**os.environ, "PATH": f"{broken.parent}:/usr/bin:/bin", "LATER": str(fake.program)}
    del environment[NAMED]
    result = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == (f"{fake.program}\n", "")
    assert not (tmp_path / "started").exists()


def test_real_solvers_without_warning():
    """In a separate process, so that the package is really imported, with the installed solvers."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-W", "error::RuntimeWarning", "-c", REALLY],
        env=REAL_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.split(), result.stderr) == (["7", "7"], "")
