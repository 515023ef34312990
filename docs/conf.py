"""Configuration of the documentation."""

from importlib.metadata import version as installed_version

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
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections already give the types
numpydoc_show_class_members = False  # the class template lists them

html_theme = "pydata_sphinx_theme"
html_title = "Tacit"
html_theme_options = {"show_prev_next": False, "show_nav_level": 2}
html_show_sourcelink = False
