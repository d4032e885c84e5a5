"""Settings of hypothesis, the paper's data, fixtures of the command line, a table of slow tests."""

import os

import pytest
from hypothesis import settings

from paper_data import HOME

# one data home for all tests and for the processes they start
if HOME.is_dir():
    os.environ["FAIRORDINAL_DATA"] = str(HOME)

# machines are noisy, so that no example has a deadline; in CI the examples are the same each time
settings.register_profile("fairordinal", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("fairordinal")


@pytest.fixture(scope="module")
def small_effort():
    """Models of this module are chosen among few candidates, unless a test uses `full_effort`."""
    from fitted import effort

    with effort():
        yield


@pytest.fixture
def full_effort():
    """Models are chosen among as many candidates as users have tried for them."""
    from fitted import full_effort

    with full_effort():
        yield


@pytest.fixture
def frame():
    """The table of the tests of the command line."""
    from cli_runner import graded_people

    return graded_people()


@pytest.fixture
def expected(frame):
    """What the audit of this table prints."""
    from cli_runner import ORDER
    from fairordinal import audit

    found = audit(frame.grade, frame.predicted, sensitive_features=frame[["sex"]], labels=ORDER)
    return str(found)


def pytest_terminal_summary(terminalreporter):
    rows = sorted(
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for key, value in report.user_properties
        if key == "measured"
    )
    if not rows:
        return
    terminalreporter.section("measured")
    terminalreporter.line("| what | criterion | groups | rows | law | share |")
    terminalreporter.line("|---|---|---|---|---|---|")
    for what, criterion, groups, n, law, share in rows:
        terminalreporter.line(f"| {what} | {criterion} | {groups} | {n} | {law} | {share:.4f} |")
