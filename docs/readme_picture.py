"""Take the picture of the README: verdict and frontier of the report of the demo.

``make docs`` writes the report; then ``python docs/readme_picture.py`` replaces the picture.
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
REPORT, PICTURE = DOCS / "_static/demo/report.html", DOCS / "pictures/report.png"
WITHOUT = ".card.neutral, #frontier > p, #frontier > details { display: none }"  # for one screen


def main() -> None:
    """Open the report, and save its verdict and its chart."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1080, "height": 900}, color_scheme="light")
        page.goto(REPORT.as_uri())
        page.add_style_tag(content=WITHOUT)
        page.wait_for_timeout(500)
        top, end = page.evaluate(
            "() => ['.verdict', '#compared'].map("
            "each => document.querySelector(each).getBoundingClientRect().top)"
        )
        clip = {"x": 0, "y": top - 16, "width": 1080, "height": end - top}
        page.screenshot(path=PICTURE, full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
