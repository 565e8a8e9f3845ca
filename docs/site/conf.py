"""Settings of Sphinx for the site. tools/site builds it; CONTRIBUTING.md says why Sphinx."""

project = "Swathe"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as on a forge, so that links to headings hold on both
myst_enable_extensions = ["deflist"]
suppress_warnings = ["misc.highlighting_failure"]  # grammars and outputs are not C
html_theme = "furo"
html_title = "Swathe"
html_logo = html_favicon = "logo.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_use_index = False
html_show_copyright = html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#24505c", "color-brand-content": "#1f6473"},
    "dark_css_variables": {"color-brand-primary": "#9cd3df", "color-brand-content": "#7cc4d4"},
}
pygments_style, pygments_dark_style = "a11y-light", "github-dark"
