"""What is published: files of the wheel and the sdist, versions and requirements that agree."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import fairordinal

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def built(kind, folder):
    """The names of the files of a wheel or an sdist."""
    pytest.importorskip("hatchling")
    code = f"import hatchling.build as build; build.build_{kind}({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
    (file,) = folder.iterdir()
    if kind == "wheel":
        return {*zipfile.ZipFile(file).namelist()}
    with tarfile.open(file) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_the_wheel_holds_the_package_and_nothing_else(tmp_path):
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    names = {name for name in built("wheel", tmp_path) if ".dist-info/" not in name}
    assert names == {name for name in files if "__pycache__" not in name}
    assert {"fairordinal/py.typed", "fairordinal/report/templates/report.html"} <= names


def test_the_sdist_holds_what_tests_read(tmp_path):
    names = built("sdist", tmp_path)
    pages = {"README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "docs/scale.md"}
    assert pages | {"pyproject.toml", "LICENSE", "tests/conftest.py", "Makefile"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_the_changelog_and_the_citation_are_of_this_version():
    number = Version(fairordinal.__version__).base_version
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)[0] == number
    assert f"\nversion: {number}\n" in (ROOT / "CITATION.cff").read_text()


def requirements(*groups):
    """Requirements of users, of all extras but `docs`, and of groups."""
    extras = PROJECT["project"]["optional-dependencies"]
    lists = [PROJECT["project"]["dependencies"]]
    lists += [extras[name] for name in extras if name not in ("all", "docs")]
    lists += [PROJECT["dependency-groups"][group] for group in groups]
    return [Requirement(line) for lines in lists for line in lines if isinstance(line, str)]


def test_the_extra_all_has_all_extras():
    (line,) = PROJECT["project"]["optional-dependencies"]["all"]
    extras = {*PROJECT["project"]["optional-dependencies"]}
    assert Requirement(line).extras == extras - {"all", "docs"}


def test_no_package_is_in_two_lists():
    names = [each.name for each in requirements("test", "lint", "track", "release")]
    assert sorted(names) == sorted({*names})


@pytest.mark.skipif(
    os.environ.get("FAIRORDINAL_VERSIONS") != "lowest", reason="`make test-oldest` tests it"
)
def test_the_lowest_versions_are_installed():
    lowest = {each.name: str(each.specifier).removeprefix(">=") for each in requirements("test")}
    other = {n: (v, version(n)) for n, v in lowest.items() if not release(version(n), v)}
    assert not other


def release(installed, lowest):
    """Whether a version is the first of those that begin with the lowest one."""
    parts = len(Version(lowest).release)
    return Version(installed).release[:parts] == Version(lowest).release
