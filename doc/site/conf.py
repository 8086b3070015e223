# SPDX-License-Identifier: BSD-3-Clause
# How Sphinx makes the site.  doc/site/make.sh gives it the sources and the version.
project = "mpiortho"
extensions = ["myst_parser"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
# Files of these folders are shown or linked, and are no pages.
exclude_patterns = ["examples", "include", "packaging", "python", "src", "tools", "programs"]
# Blocks without a language are commands and what programs print.
highlight_language = "none"
html_theme = "furo"
html_title = "mpiortho"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
# A page that is read from a file cannot fetch others.
html_show_search_summary = False
html_show_copyright = False
