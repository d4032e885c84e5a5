"""The table of what the slow tests measured, printed after them."""


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
    terminalreporter.line("| what | notion | groups | rows | law | share |")
    terminalreporter.line("|---|---|---|---|---|---|")
    for what, notion, groups, n, law, share in rows:
        terminalreporter.line(f"| {what} | {notion} | {groups} | {n} | {law} | {share:.4f} |")
