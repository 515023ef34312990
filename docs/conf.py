"""Configuration of the documentation."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for gallery_figures

project = "Tacit"
author = "The Tacit developers"
copyright = "2026, The Tacit developers"
release = installed_version("tacit")
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without the network
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections already give the types
numpydoc_show_class_members = False  # the class template lists them

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",  # every example is run
    "subsection_order": [
        "../examples/start",
        "../examples/practice",
        "../examples/understanding",
    ],
    "within_subsection_order": "FileNameSortKey",
    # Figures that methods of the library return, and those of pyplot.
    "image_scrapers": ("gallery_figures.scrape", "matplotlib"),
    "reference_url": {"tacit": None},  # names in the code link to the API
    "thumbnail_size": (500, 280),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    # Times differ from build to build and say little about another machine.
    "write_computation_times": False,
    "min_reported_time": 3600,
}

html_static_path = ["_static"]
html_css_files = ["gallery.css"]
html_theme = "pydata_sphinx_theme"
html_title = "Tacit"
html_theme_options = {
    "show_prev_next": False,
    "show_nav_level": 2,
    "header_links_before_dropdown": 7,
}
# Pages without pages below them need no list of those beside them.
html_sidebars = {
    name: [] for name in ("evidence", "real_tables", "reproducing", "benchmarks", "promises")
}
html_show_sourcelink = False
