"""Configuration of the site: `make docs` builds it.

It needs ``pip install "fairordinal[docs]"``. FAIRORDINAL_DOCS=quick does not run the tutorials.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")

from flowchart import Flowchart  # noqa: E402
from generated_pages import QUICK, write_pages  # noqa: E402
from sphinx.errors import ExtensionError  # noqa: E402

import fairordinal  # noqa: E402
from pictures import Picture, write_pictures  # noqa: E402

project = "fairordinal"
author = "fairordinal developers"
project_copyright = "fairordinal developers, BSD 3-Clause"
release = version = fairordinal.__version__
language = "en"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",  # formulas without a network
]
exclude_patterns = ["_build", "pictures/**/*.md", "gallery/**/*.ipynb", "gallery/**/*.py"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "literal"
smartquotes = False  # quotes of code would change
python_maximum_signature_line_length = 60
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]

autosummary_generate = False  # `generated_pages` writes a page for each name
autodoc_typehints = "none"  # the docstrings have the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1000,
    "plot_gallery": not QUICK,
    "abort_on_example_error": True,
    "reference_url": {"fairordinal": None},
    "doc_module": ("fairordinal",),
    "backreferences_dir": "reference/backreferences",
    "capture_repr": ("_repr_html_",),
    "ignore_repr_types": r"matplotlib|fairordinal.*Display",
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "fairordinal"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": True,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "gallery/plot_00_start_here": []}
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def at_home(app: object, docname: str, source: list[str]) -> None:
    """Links of the repository lead to pages of the site; readers need no comments of formatters."""
    text = source[0].replace("](../benchmarks/RESULTS.md", "](benchmarks.md")
    source[0] = text.replace("  # fmt: skip\n", "\n")


def nothing_is_left(app: object, exception: Exception | None) -> None:
    """Tutorials write to temporary folders: a file in theirs would come under version control."""
    places = (HERE.parent / "examples").iterdir()
    left = [each.name for each in places if each.is_file() and each.suffix not in (".py", ".rst")]
    if left and exception is None:
        raise ExtensionError(f"Tutorials left files in examples: {', '.join(left)}")


def setup(app: object) -> None:
    """Write the pages that are made from the code before Sphinx reads the others."""
    app.add_directive("mermaid", Flowchart)
    app.add_directive("picture", Picture)
    app.connect("builder-inited", lambda app: write_pages(HERE), priority=100)
    app.connect("builder-inited", lambda app: write_pictures(HERE), priority=100)
    app.connect("source-read", at_home)
    app.connect("build-finished", nothing_is_left)
