"""The report in a real browser: picked points, files, themes, paper, and nothing leaves the page.

Needs Chromium (Debian's ``chromium``; ``make browser`` installs it where it may) and playwright.
"""

import itertools
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from fairordinal import FairOrdinalFrontier, audit, optimize_thresholds
from fairordinal._render import number, percent
from fairordinal.models import TrainingTable, load_model, model_text
from fairordinal.report import report, report_compare
from fairordinal.report._numbers import score_texts
from made_up import people
from made_up_frontier import made_up_frontier, scored_rows
from made_up_report import HOSTILE, hostile_report

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next((path for name in NAMES if (path := shutil.which(name))), None)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: make browser"),
    pytest.mark.usefixtures("small_effort"),
]
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
PATIENCE = 180_000  # milliseconds; machines are busy
A4 = 688  # pixels between the margins
GROUPS = ["women", "men", "people who did not say"]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a report from its file; at the end nothing was asked for and nothing complained."""
    contexts, complaints, asked, own = [], [], [], []

    def open_page(page, *, width=1280, scheme="light", scripts=True):
        path = page.save(tmp_path / f"report-{len(contexts)}.html")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True,
            java_script_enabled=scripts, accept_downloads=True, reduced_motion="reduce",
        )  # fmt: skip
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: asked.append(request.url))
        own.append(path.resolve().as_uri())
        tab.goto(own[-1])
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    outside = [url for url in asked if url not in own and not url.startswith(("data:", "blob:"))]
    assert outside == []


@pytest.fixture(scope="module")
def frontier():
    X, y, a = people(300)
    frontier = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=2)
    return frontier.fit(X, y, sensitive_features=a, eval_set=people(200, seed=1))


@pytest.fixture(scope="module")
def models(frontier):
    return [f'{{"model": {i}, "é": "\u2028</script>"}}\r\n' for i in range(len(frontier.points_))]


@pytest.fixture(scope="module")
def whole(frontier, models):
    """A report with all parts."""
    labels = ["poor", "fair", "good", "great"]
    scores, y, a = scored_rows(GROUPS, labels, n_rows=480)
    codes = np.array([labels.index(label) for label in y])
    predicted = scores.round().clip(0, 3).astype(int)
    found = audit(codes, predicted, sensitive_features=a.tolist())
    cuts = optimize_thresholds(scores, codes, sensitive_features=a.tolist(), max_violation=0.02)
    return report(
        found, thresholds=cuts, frontier=frontier, chosen=2, models=models, max_violation=0.1,
        title="Grades", data={"Source": "made up"},
    )  # fmt: skip


def big_report(n_groups, tail=""):
    groups, labels = [f"group {i:02d}{tail}" for i in range(n_groups)], [*range(1, 10)]
    scores, y, a = scored_rows(groups, labels)
    predicted = (scores.round() + 1).clip(1, 9).astype(int)
    found = audit(y.astype(int), predicted, sensitive_features=a.tolist(), labels=labels)
    return report(found, frontier=made_up_frontier(groups, labels, 60), chosen=20)


def measures_shown(tab):
    return [tab.locator("[data-measure]").nth(i).inner_text() for i in range(12)]


def measures_of(frontier, i):
    rows, values = frontier.frame(), []
    for _, row in rows[rows["model"] == i].iterrows():
        for key in ("cost", "violation"):
            ends = f"{number(row[f'{key}_lower'])} to {number(row[f'{key}_upper'])}"
            values += [number(row[key]), ends]
    return values


def wait_for_parts(tab, i):
    """Wait until the parts that follow the picked point are those of model i."""
    tab.wait_for_selector(f"html[data-shown='{i}']", state="attached")


def shows(tab, frontier, i):
    """Whether all that the page says of the picked model is that of model i."""
    model = frontier.model(i)
    assert tab.locator(".model-name").first.inner_text().lower() == f"model {i}"
    assert measures_shown(tab) == measures_of(frontier, i)
    used = (model.result_.after.table.cube.sum(axis=(0, 1)) > 0).sum()
    assert tab.locator("[data-fact]").first.inner_text() == f"{used} of 4"
    wait_for_parts(tab, i)
    table = frontier.points_[i].candidate.table
    shares = table.cube.sum(axis=1) / table.group_totals[:, None]
    shown = [text.split()[-1] for text in tab.locator("[data-share]").all_inner_texts()]
    assert shown == [percent(share) for share in shares.ravel()]
    pressed = tab.locator("button.point[aria-pressed=true]")
    assert pressed.get_attribute("data-point") == str(i)


def test_the_chosen_model_is_picked_at_first(visit, whole, frontier):
    shows(visit(whole), frontier, 2)


def click_on(tab, number):
    point = tab.locator(f'[data-point="{number}"]')
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_clicking_a_point_shows_its_model(visit, whole, frontier):
    tab = visit(whole)
    for i in (0, len(frontier.points_) - 1, len(frontier.points_) // 2):
        click_on(tab, i)
        shows(tab, frontier, i)
    said = tab.locator("[role=status]").inner_text()
    assert said.startswith(f"Model {i}: violation ")
    assert said.endswith("Selected.")


@pytest.fixture(scope="module")
def following(frontier):
    """A report all parts of which follow the picked point."""
    return report(frontier=frontier, chosen=2, max_violation=0.1)


PARTS = "[...document.querySelectorAll('[data-part]')].map((part) => part.textContent.trim())"


def test_points_that_overlap_are_picked_one_after_the_other(visit):
    made_up = made_up_frontier(["a", "b"], [0, 1, 2])
    made_up.points_[5] = made_up.points_[4]
    tab = visit(report(frontier=made_up, chosen=0))
    shown = []
    for _ in range(3):
        click_on(tab, 4)
        shown.append(tab.locator('.point[aria-pressed="true"]').get_attribute("data-point"))
        assert tab.locator("#tip").inner_text().startswith(f"Model {shown[-1]}:")
    assert shown == ["4", "5", "4"]


def test_all_parts_follow_the_picked_point(visit, following, frontier):
    tab = visit(following)
    tab.click("text=Cost parity of too-low ratings, pair by pair")
    last = len(frontier.points_) - 1
    for i in (0, last, 2):
        click_on(tab, i)
        wait_for_parts(tab, i)
        own = visit(report(frontier=frontier, chosen=i, max_violation=0.1))
        assert tab.evaluate(PARTS) == own.evaluate(PARTS)
    assert len(tab.evaluate(PARTS)) == 5
    assert tab.locator("details[open] summary").all_inner_texts() == [
        "Cost parity of too-low ratings, pair by pair"
    ]
    cuts = tab.locator("[data-cut]").all_inner_texts()
    highest = score_texts([*frontier.model(2).thresholds_.tolist(), np.inf])
    assert all(words in text for words, text in zip(highest, cuts, strict=False))
    assert len(cuts) >= len(highest)


def test_the_last_of_several_quick_picks_is_shown(visit, following, frontier):
    tab = visit(following)
    for i in (0, 1, 3, 0, 3):
        click_on(tab, i)
    wait_for_parts(tab, 3)
    tab.wait_for_timeout(200)  # nothing that was picked before it comes later
    shows(tab, frontier, 3)
    assert "Model 3, one of" in tab.inner_text("[data-part=verdict]")
    assert not tab.locator("#stale").is_visible()


def test_sections_of_another_model_are_said_to_be_its(visit, frontier, monkeypatch):
    monkeypatch.setattr("fairordinal.report._report.LARGEST", 90_000)
    last = len(frontier.points_) - 1
    tab = visit(report(frontier=frontier, chosen=0))
    assert not tab.locator("#stale").is_visible()
    click_on(tab, last)
    tab.wait_for_selector("#stale", state="visible")
    assert f"does not contain the details of model {last}" in tab.inner_text("#stale")
    assert "those of model 0" in tab.inner_text("#stale")
    assert "Model 0, one of" in tab.inner_text("[data-part=verdict]")
    click_on(tab, 0)
    tab.wait_for_selector("#stale", state="hidden")


def test_points_are_reached_and_picked_with_the_keyboard(visit, whole, frontier):
    tab = visit(whole)
    tab.locator('[data-point="2"]').focus()
    tab.keyboard.press("ArrowRight")
    tip = tab.locator("#tip")
    expected = frontier.points_[3].expected
    text = f"Model 3: violation {number(expected.violation)}, mean cost {number(expected.cost)}"
    assert tip.inner_text() == text
    assert measures_shown(tab) == measures_of(frontier, 2)
    tab.keyboard.press("Enter")
    shows(tab, frontier, 3)
    tab.keyboard.press("Home")
    tab.keyboard.press("Space")
    shows(tab, frontier, 0)
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    shows(tab, frontier, len(frontier.points_) - 1)
    tab.keyboard.press("Tab")
    assert not tip.is_visible()


def test_one_tab_stop_for_all_points(visit, whole):
    tab = visit(whole)
    stops = tab.locator("button.point").evaluate_all(
        "all => all.filter(b => b.tabIndex === 0).length"
    )
    assert stops == 1


def test_hovering_shows_values(visit, whole, frontier):
    tab = visit(whole)
    tab.locator("#chart").scroll_into_view_if_needed()
    box = tab.locator('[data-point="0"]').bounding_box()
    tab.mouse.move(box["x"] + 3, box["y"] + 3)
    assert f"Model 0: violation {number(frontier.points_[0].expected.violation)}" in tab.inner_text(
        "#tip"
    )
    assert measures_shown(tab) == measures_of(frontier, 2)


def test_buttons_and_rows_pick_models_too(visit, whole, frontier):
    tab = visit(whole)
    tab.click("#fairer")
    shows(tab, frontier, 1)
    tab.click("#cheaper")
    tab.click("#cheaper")
    shows(tab, frontier, 3)
    tab.click("text=/All .* models as a table/")
    tab.click('[data-row="0"]')
    shows(tab, frontier, 0)
    assert tab.locator("#fairer").is_disabled()


def test_the_focus_stays_when_there_is_nothing_fairer(visit, whole, frontier):
    tab = visit(whole)
    tab.locator("#fairer").focus()
    for _ in range(3):  # the third is on the other button
        tab.keyboard.press("Enter")
    shows(tab, frontier, 1)
    assert tab.evaluate("document.activeElement.id") == "cheaper"


def test_tables_are_tab_stops_where_they_scroll(visit, whole):
    wrong = """async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        await frame(); await frame();  // sizes are told once a frame
        return [...document.querySelectorAll(".scroll")].filter((part) => part.checkVisibility()
            && (part.scrollWidth > part.clientWidth) !== (part.tabIndex === 0)
        ).map((part) => part.ariaLabel); }"""
    for width in WIDTHS:
        tab = visit(whole, width=width)
        assert tab.evaluate(wrong) == []
        tab.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
        assert tab.evaluate(wrong) == []


def test_a_model_is_downloaded_as_it_was_given(visit, whole, models):
    tab = visit(whole)
    for i in (2, 4):
        click_on(tab, i)
        with tab.expect_download() as waiting:
            tab.click("#download")
        assert waiting.value.suggested_filename == f"model-{i}.json"
        assert Path(waiting.value.path()).read_bytes() == models[i].encode()


def test_a_downloaded_model_predicts_as_the_model_of_its_point(visit, tmp_path):
    X, y, a = people(200)
    table = {"sex": a, "level": y} | {f"x<{i}>": column for i, column in enumerate(X.T)}
    rows = TrainingTable.read(table, y="level", sensitive_features="sex")
    frontier = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=2)
    frontier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    numbers = range(len(frontier.points_))
    texts = [model_text(rows.model(frontier.model(i))) for i in numbers]
    tab = visit(report(frontier=frontier, models=texts))
    for i in (0, len(texts) - 1):
        click_on(tab, i)
        with tab.expect_download() as waiting:
            tab.click("#download")
        waiting.value.save_as(tmp_path / "model.json")
        predicted = load_model(tmp_path / "model.json").predict(table)
        np.testing.assert_array_equal(predicted, frontier.model(i).predict(rows.X))


def test_models_that_did_not_fit_are_said(visit):
    frontier = made_up_frontier(["a", "b"], [0, 1, 2], 4)
    tab = visit(report(frontier=frontier, chosen=0, models=["{}", "x" * 2_000_000, "{}", "{}"]))
    assert not tab.locator("#missing").is_visible()
    tab.click("#cheaper")
    assert tab.locator("#missing").is_visible()
    assert not tab.locator("#download").is_visible()


def test_the_theme_can_be_changed(visit, whole):
    for scheme in SCHEMES:
        tab = visit(whole, scheme=scheme)
        paper = "getComputedStyle(document.body).backgroundColor"
        before, name = tab.evaluate(paper), tab.inner_text("#theme")
        tab.click("#theme")
        assert tab.evaluate(paper) != before
        assert tab.inner_text("#theme") != name
        tab.click("#theme")
        assert tab.evaluate(paper) == before


def test_hostile_names_are_text_and_nothing_runs(visit):
    page = hostile_report()
    tab = visit(page)
    text = tab.evaluate("document.body.textContent")
    for name in (*HOSTILE[:5], "a\\u2028b\\u2029c", "abc\\u202edef", "(empty)"):
        assert name in text
    assert tab.title() == HOSTILE[0] + HOSTILE[1]
    tab.click("#cheaper")
    assert tab.locator("img, iframe, object").count() == 0
    with tab.expect_download() as waiting:
        tab.click("#download")
    assert b"</script><script>alert(" in Path(waiting.value.path()).read_bytes()


def test_an_injected_script_does_not_run(browser, whole, tmp_path):
    tab = browser.new_page()  # the policy complains of it in the console
    tab.goto(whole.save(tmp_path / "report.html").resolve().as_uri())
    ran = tab.evaluate(
        """() => { const s = document.createElement("script"); s.textContent = "window.ran = 1";
        document.body.append(s); return window.ran === 1 }"""
    )
    tab.close()
    assert not ran


def test_it_can_be_read_without_scripts(visit, whole, frontier):
    tab = visit(whole, scripts=False)
    assert measures_shown(tab) == measures_of(frontier, 2)
    assert not tab.locator("#theme").is_visible()
    assert not tab.locator("#download").is_visible()
    assert tab.locator("button.point").count() == len(frontier.points_)
    tab.click("text=/All .* models as a table/")
    assert tab.locator("[data-row]").last.is_visible()


def test_on_paper_everything_is_open_black_on_white_and_within_the_page(visit, whole):
    tab = visit(whole, scheme="dark", width=A4)
    tab.emulate_media(media="print")
    seen = tab.evaluate(
        """() => ({
        paper: getComputedStyle(document.body).backgroundColor,
        ink: getComputedStyle(document.body).color,
        closed: [...document.querySelectorAll("details table")].filter(
            (table) => !table.checkVisibility({contentVisibilityAuto: true})).length,
        buttons: [...document.querySelectorAll("nav, #theme, #download, .steps")].filter(
            (part) => part.checkVisibility()).length,
        cut: [...document.querySelectorAll("table")].filter(
            (table) => table.checkVisibility() && table.getBoundingClientRect().right > 688
        ).map((table) => table.caption.textContent),
        })"""
    )
    expected = {"paper": "rgb(255, 255, 255)", "ink": "rgb(0, 0, 0)", "closed": 0, "buttons": 0}
    assert seen == {**expected, "cut": []}
    assert tab.pdf(format="A4")[:5] == b"%PDF-"


def test_ten_labels_fit_a_desk_and_paper(visit):
    labels = [*range(1, 11)]
    scores, y, a = scored_rows(GROUPS, labels, n_rows=900)
    codes, predicted = y.astype(int), (scores.round() + 1).clip(1, 10).astype(int)
    found = audit(codes, predicted, sensitive_features=a.tolist())
    cuts = optimize_thresholds(scores, codes, sensitive_features=a.tolist(), trade_off=0.1)
    for width, media in ((1280, "screen"), (A4, "print")):
        tab = visit(report(found, thresholds=cuts), width=width)
        tab.emulate_media(media=media)
        cut = """() => [...document.querySelectorAll(".tight")].filter((table) =>
            table.getBoundingClientRect().width > table.parentElement.clientWidth).length"""
        assert tab.locator(".tight").count() == 2
        assert tab.evaluate(cut) == 0


def test_names_of_axes_do_not_meet(visit, frontier):
    for limit in (0.0, 0.01, 0.5):
        tab = visit(report(frontier=frontier, max_violation=limit), width=390)
        assert tab.evaluate(
            """() => {
            const [cost, limit] = [".y-name", ".limit-name"].map(
                (name) => document.querySelector(name).getBoundingClientRect());
            return cost.right < limit.left || cost.bottom <= limit.top; }"""
        )


CONTRAST = r"""
() => {
  const parse = (text) => {
    const numbers = text.match(/[-\d.e]+/g).map(Number);
    const unit = text.startsWith("color(srgb") ? 255 : 1;
    return [...numbers.slice(0, 3).map((v) => unit * v), numbers[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.push(parse(getComputedStyle(e).backgroundColor));
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, svg, button:disabled")) continue;
    const below = ground(element), ink = over(parse(getComputedStyle(element).color), below);
    const [a, b] = [light(below), light(ink)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push([element.className, element.textContent.slice(0, 30), ratio]);
  }
  return poor;
}
"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read_in_both_themes(visit, whole, scheme):
    tab = visit(whole, scheme=scheme)
    tab.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    assert tab.evaluate(CONTRAST) == []


def test_everything_has_a_name_and_headings_are_in_order(visit, whole):
    tab = visit(whole)
    nameless = tab.evaluate(
        """() => [
            ...document.querySelectorAll("button, a, [role=group], svg[role=img]")
        ].filter((part) => {
        const ids = (part.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
        const name = part.getAttribute("aria-label") || part.textContent.trim()
            || ids.map((id) => document.getElementById(id).textContent).join("");
        return !name; }).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    levels = tab.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert max(b - a for a, b in itertools.pairwise(levels)) <= 1
    tree = tab.locator("body").aria_snapshot()
    for landmark in ("banner", "navigation", "main", "contentinfo", "toolbar"):
        assert landmark in tree
    assert len(re.findall(r'button "Model \d+: violation', tree)) > 3


@pytest.mark.parametrize("make", ["whole", "hostile", "large", "long", "two"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(visit, whole, make, width):
    pages = {
        "whole": lambda: whole,
        "hostile": hostile_report,
        "large": lambda: big_report(40),
        "long": lambda: big_report(6, " with" + "a" * 300),
        "two": compared,
    }
    tab = visit(pages[make](), width=width)
    tab.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def compared():
    scores, y, a = scored_rows(GROUPS, [0, 1, 2, 3], n_rows=480)
    first, second = (np.round(s).clip(0, 3).astype(int) for s in (scores, scores * 0.8))
    return report_compare(
        first, second, y=y.astype(int), sensitive_features=a.tolist(), names=("now", "then")
    )


def test_pairs_of_many_groups_by_two_models_fit_a_desk_and_paper(visit):
    names = [
        f"{place}, {sex}" for place in ("Park Lane", "St. Mary’s") for sex in ("female", "male")
    ]
    scores, y, a = scored_rows(names, [0, 1, 2, 3], n_rows=4000)
    first, second = (np.round(s).clip(0, 3).astype(int) for s in (scores, scores * 0.7))
    page = report_compare(
        first, second, y=y.astype(int), sensitive_features=a.tolist(), names=("teacher", "model"),
        criterion="equalized_odds", max_violation=0.1,
    )  # fmt: skip
    for width, media in ((1280, "screen"), (A4, "print")):
        tab = visit(page, width=width)
        tab.emulate_media(media=media)
        assert tab.evaluate("""() => [...document.querySelectorAll(".joint")].every((table) =>
            table.getBoundingClientRect().width <= table.parentElement.clientWidth)""")


def test_two_models_side_by_side(visit):
    tab = visit(compared())
    assert "From “now” to “then”" in tab.inner_text("main")
    tab.click("text=Labels and confusion: now")
    assert tab.locator("table.confusion").first.is_visible()


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(390, "light", marks=pytest.mark.slow),
    ],
)
def test_pictures(visit, whole, width, scheme, tmp_path):
    """Kept in FAIRORDINAL_PICTURES, if it names a folder."""
    folder = Path(os.environ.get("FAIRORDINAL_PICTURES", tmp_path))
    path = folder / f"report-{width}-{scheme}.png"
    visit(whole, width=width, scheme=scheme).screenshot(path=path, full_page=True)
    assert path.stat().st_size > 20_000
