"""What the README shows is what happens."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_first_example_prints_what_the_readme_shows():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("python")[0], {})
    assert printed.getvalue().strip() == blocks("text")[0].strip()


def test_the_first_example_has_six_lines():
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) == 6


@pytest.mark.parametrize("code", blocks("python")[1:])
def test_other_examples_are_python(code):
    compile(code, "README.md", "exec")


@pytest.mark.parametrize("path", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(script):
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
