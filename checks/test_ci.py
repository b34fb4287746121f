"""The scripts and workflows that run the tests and publish the pages."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import script

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the sdist has no workflows")

MAKE = """
case "$*" in *page/node_modules/ready*) exit $PACKAGES;; .venv/fuzz) exit $FUZZER;;
esac
echo "make $*"
"""


def jobs(workflow: str) -> dict[str, str]:
    """Split the text of a workflow into its jobs."""
    parts = re.split(r"(?m)^  ([\w-]+):\n", workflow.partition("\njobs:\n")[2])
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_zizmor_finds_nothing():
    """Among others, every action is pinned to a commit."""
    zizmor = shutil.which("zizmor", path=Path(sys.executable).parent) or pytest.skip("needs zizmor")
    command = [zizmor, "--offline", "--quiet", "--min-severity", "medium", ".github/workflows"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_publishing_jobs_run_no_command():
    """A package from npm or pip must never see the rights to publish."""
    publishing = []
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert "write" not in text.partition("\njobs:\n")[0], "rights belong to a job"
        for name, job in jobs(text).items():
            if ": write" in job:
                publishing.append(name)
                assert "run:" not in job
    assert publishing == ["test-index", "index", "github", "pages"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bare_machine_script_keeps_mounts(tmp_path):
    """The replacement of debootstrap leaves a mount behind, as an interrupted one does."""
    lines = {
        "debootstrap": "exit 1",
        "apt-get": "",
        "mktemp": f"mkdir {tmp_path}/root && echo {tmp_path}/root",
    }
    for name, text in lines.items():
        script(tmp_path / "bin" / name, text)
    mounted = f"1 1 0:1 / {tmp_path}/root/dev rw - devtmpfs none rw"
    script(tmp_path / "bin" / "awk", f"""case $1 in *5*) echo "{mounted}" | cut -d' ' -f5;; esac""")
    command = ["bash", ROOT / "tools" / "bare.sh"]
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1 and "root was not removed, because something is mounted" in result.stderr
    assert (tmp_path / "root").exists()
    (tmp_path / "root").rmdir()
    (tmp_path / "bin" / "awk").unlink()
    assert (
        subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, check=False).returncode
        == 1
    )
    assert not (tmp_path / "root").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("environment", "packages", "npm", "status"),
    [
        ({}, 0, True, 0),
        ({"CI": "true"}, 0, True, 0),
        ({}, 1, True, 0),
        ({"CI": "true"}, 1, True, 1),
        ({"CI": "true"}, 0, False, 1),
        ({"WHEEL": "1"}, 0, True, 123),
    ],
)
def test_failing_parts_fail_ci(tmp_path, environment, packages, npm, status):
    tools = tmp_path / "tools"
    scripts = {tools / "make": MAKE, tools / "chromedriver": ""}
    scripts |= {
        tools / name: 'echo "$0 $*"' for name in ("oldest.sh", "ordinary.sh", "examples.sh", "test_page.sh")
    }
    scripts[tools / "wheel.sh"] = "exit ${WHEEL:-0}"
    for path, text in {**scripts, **({tools / "npm": ""} if npm else {})}.items():
        script(path, text)
    for name in ("bash", "dirname", "timeout", "env", "id", "sh", "xargs"):
        (tools / name).symlink_to(str(shutil.which(name)))
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    outcome = {name: value for name, value in os.environ.items() if name != "CI"}
    result = subprocess.run(
        ["bash", ".ci/run"],
        cwd=tmp_path,
        env={**outcome, "PATH": str(tools), "PACKAGES": str(packages), "FUZZER": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    has_page = npm and not packages
    assert ("test_page.sh unit" in result.stdout) == ("test_page.sh e2e" in result.stdout) == has_page
    assert ("the browser tests did not run" in result.stderr) == (not has_page)
    ran = "test_page.sh visits" in result.stdout
    assert (result.returncode, ran) == (status, has_page and status == 0), result.stderr
