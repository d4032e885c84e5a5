"""Configuration of the site: `python -m sphinx docs docs/_build/html` builds it.

It needs ``pip install "fairordinal[docs,test]"``. FAIRORDINAL_DOCS=quick does not run the examples.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generated_pages import write_pages  # noqa: E402

import fairordinal  # noqa: E402

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
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "smartquotes"]
myst_heading_anchors = 3

autosummary_generate = True
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
    "min_reported_time": 10,
    "plot_gallery": os.environ.get("FAIRORDINAL_DOCS") != "quick",
    "abort_on_example_error": True,
    "reference_url": {"fairordinal": None},
    "doc_module": ("fairordinal",),
    "backreferences_dir": "reference/backreferences",
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
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    """Write the pages that are made from the code before Sphinx reads the others."""
    app.connect("builder-inited", lambda app: write_pages(HERE))
