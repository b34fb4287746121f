"""The choice of MiniZinc and of solver configurations, with small scripts as programs."""

import json
import os
import re
import subprocess
import sys

import pytest

from catan_cp import SolverNotFound, enumerate_terrains, terrain_instance
from tests.conftest import script
from tests.fake_minizinc import FakeMiniZinc

REAL_ENVIRONMENT = dict(os.environ)
NAMED = "CATAN_CP_MINIZINC"
INSTALL = "catan-cp doctor --install"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins for MiniZinc are shell scripts")


@pytest.fixture(autouse=True)
def _bare_machine(bare_machine):
    """No MiniZinc: empty cache, nothing on PATH, no variable."""


def rejected(message, solver="auto"):
    """Check that no solver is found, and return the message."""
    with pytest.raises(SolverNotFound, match=message) as caught:
        enumerate_terrains("blog", solver=solver)
    return str(caught.value)


def test_missing_minizinc_names_places(cache):
    message = rejected(f"{NAMED} is not set.* PATH.*{INSTALL}$")
    assert f"private copy in {cache / 'catan-cp/minizinc'}" in message
    assert f"portable one in {cache / 'catan-cp/portable'}" in message


@pytest.mark.parametrize("place", [".", "bin", "bin/minizinc", "..", "../.."])
@pytest.mark.parametrize("mode, owner", [(0o777, None), (0o755, 65_534)])
def test_untrusted_private_copy_is_not_started(place, mode, owner, cache, doctor):
    private = FakeMiniZinc(cache / "catan-cp/minizinc")
    assert "private copy" in doctor()
    private.asked.unlink()
    spoilt = (cache / "catan-cp/minizinc" / place).resolve()
    spoilt.chmod(mode)
    if owner is not None:
        if os.geteuid() != 0:
            pytest.skip("only root gives files away")
        os.chown(spoilt, owner, owner)
    rejected(rf"is not started, since {spoilt} belongs to another user, or others may write to it")
    assert not private.asked.exists()


def test_order_of_choice(cache, doctor, tmp_path, monkeypatch):
    """The variable, the private copy, PATH, the portable solver. This one is earlier if requested."""

    def choice():
        return re.search(r"MiniZinc +ok +(\S+), ([^,]*), (.*)", doctor()).groups()

    portable = FakeMiniZinc(cache / "catan-cp/portable", "2.10.0")
    assert choice() == ("2.10.0", "portable", str(portable.program))
    on_path = FakeMiniZinc(tmp_path / "system", "2.6.4")
    monkeypatch.setenv("PATH", str(on_path.bin))
    assert choice() == ("2.6.4", "PATH", str(on_path.program))
    private = FakeMiniZinc(cache / "catan-cp/minizinc")
    assert choice() == ("2.9.2", "private copy", str(private.program))
    (cache / "catan-cp/portable/first").touch()
    assert choice()[1] == "portable"
    named = FakeMiniZinc(tmp_path / "named", "2.8.0")
    for value in (named.program, named.bin, named.bin.parent):
        monkeypatch.setenv(NAMED, str(value))
        assert choice() == ("2.8.0", NAMED, str(named.program))
    monkeypatch.setenv(NAMED, "")
    (cache / "catan-cp/portable").chmod(0o777)
    rejected("others may write to it")


@pytest.mark.parametrize(
    "value", ["/nowhere/minizinc", "empty", "home", "locked", "~nobody-of-this-name/bin"]
)
def test_wrong_variable_never_falls_through(value, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(FakeMiniZinc(tmp_path / "system").bin))
    monkeypatch.chdir(tmp_path)
    script(tmp_path / "locked", "").chmod(0o644)
    monkeypatch.setenv(NAMED, value)
    problem = "/.* may not be executed" if value == "locked" else "there"
    rejected(f"{NAMED} is set to '{value}', but {problem}")


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
def test_unusable_minizinc_rejected(text, complaint, fake):
    fake.program.write_text(text)
    assert str(fake.program) in rejected(complaint)


def test_list_of_solvers_read_once(fake, doctor, monkeypatch):
    """A search asks for its solver once per solution. A changed program is asked again."""
    fake.add("gecode")
    texts = []
    monkeypatch.setattr("json.loads", lambda text, loads=json.loads: texts.append(text) or loads(text))
    for _ in range(2):
        assert re.search("gecode +ok", doctor())
    asked = fake.asked.read_text().split()
    assert sorted(word for word in asked if word != "--solver") == ["--solvers-json", "--version"]
    assert texts.count(fake.listing.read_text()) == 1
    (fake.bin.parent / "version").write_text("version 2.10.1")
    os.utime(fake.program, (9, 9))
    assert "2.10.1" in doctor()


def test_auto_prefers_chuffed(fake):
    def title(name="auto"):
        return repr(terrain_instance("blog", "mini", name))

    rejected("no chuffed and no gecode")
    fake.add("gecode")
    assert "for gecode" in title()
    rejected(f"no chuffed; install it with.*{INSTALL}$", "chuffed")
    fake.add("chuffed")
    assert "for chuffed" in title()
    for name in ("GECODE", " gecode", "org.gecode.gecode", "Org.Gecode.Gecode"):
        assert "for gecode" in title(name)


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
        rejected("does not list its solvers as JSON", name)


def test_listed_solver_without_solutions(fake, doctor, monkeypatch):
    """Like HiGHS if its library is missing."""
    fake.listing.write_text('[{"id": "org.minizinc.mip.highs", "extraInfo": {"configFile": ""}}]')
    fake.solution.write_text("hello\n")
    monkeypatch.setattr("catan_cp.solving.find.find_spec", lambda _: None)
    rejected(r"lists highs, but .* three lines.*; pip install highspy", "HiGHS")
    assert "highs" not in doctor()
    fake.add("gecode")  # whose program, which we start ourselves, was believed untried
    assert "does not solve three lines" in doctor()


@pytest.mark.parametrize("name", ["chufed", "glucose", "", "org.gecode.gist", "chuffed@0.13", None, 3])
def test_unknown_solvers_rejected(name, fake):
    fake.add("gecode")
    fake.add("chuffed")
    hint = r"did you mean 'chuffed'\? " if name == "chufed" else ""
    assert f"unknown solver {name!r}" in rejected(f"{hint}.*auto, chuffed, gecode", name)


@pytest.mark.parametrize("kind", ["absolute", "relative", "name", "list", "on path"])
def test_every_way_to_name_program(kind, fake, doctor, tmp_path, monkeypatch):
    program = script((tmp_path / "elsewhere" if kind == "on path" else fake.bin) / "fzn-gecode", "")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    beside = "../../../bin/fzn-gecode"
    stated = {"absolute": str(program), "relative": beside, "list": [beside]}
    fake.add("gecode", stated.get(kind, "fzn-gecode"))
    assert f"6.2.0, solves, lists in order, {program}\n" in doctor()


@pytest.mark.parametrize("stated", ["/nowhere/fzn-gecode", ["fzn-gecode", "-mode", "gist"], None, []])
def test_unusable_configurations_do_not_count(stated, fake):
    fake.add("gecode")
    fake.entries[0]["executable"] = stated
    fake.listing.write_text(json.dumps(fake.entries))
    rejected("no gecode", "gecode")


@pytest.mark.parametrize("own_first", [True, False])
def test_configuration_of_installation_preferred(own_first, fake, doctor, tmp_path):
    own = script(fake.bin / "fzn-gecode", "")
    other = script(tmp_path / "other/fzn-gecode", "")
    places = [(own, None), (other, tmp_path / "home/.minizinc/solvers")]
    for program, folder in places if own_first else reversed(places):
        fake.add("gecode", str(program), folder=folder)
    assert f"{own}\n" in doctor()


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
    broken = script(tmp_path / "broken/minizinc", f"touch '{tmp_path}/started'; echo nonsense")
    environment = {**os.environ, "PATH": f"{broken.parent}:/usr/bin:/bin", "LATER": str(fake.program)}
    del environment[NAMED]
    result = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == (f"{fake.program}\n", "")
    assert not (tmp_path / "started").exists()


REALLY = """
import sys
import catan_cp
assert "minizinc" not in sys.modules
for name in ("gecode", "auto"):
    print(catan_cp.terrain_instance("open", "mini", name).solve().status)
"""


def test_real_solvers_without_warning():
    """In a separate process, so that the package is really imported, with the installed solvers."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-W", "error::RuntimeWarning", "-c", REALLY],
        env=REAL_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.split(), result.stderr) == (["SATISFIED"] * 2, "")
