"""Sphinx's settings for the web site, which tools/docs_site.py builds: Markdown by MyST, the theme furo.

Nothing is fetched when a page is read: fonts are the system's, scripts and pictures lie beside the pages.
"""

from typing import Any

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String, Text, Whitespace
from sphinx.application import Sphinx

project = "reknit"
author = "the reknit authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "index"
language = "en"
highlight_language = "text"
python_maximum_signature_line_length = 100
smartquotes_action = "q"  # quotation marks alone: two hyphens begin an option
add_module_names = False
toc_object_entries = False
html_theme = "furo"
html_title = "reknit"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["reknit.css"]
html_js_files = ["reknit.js"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
COLOURS = {"color-brand-primary": "#8a4b08", "color-brand-content": "#8a4b08"}
DARK_COLOURS = {"color-brand-primary": "#f0b35f", "color-brand-content": "#f0b35f"}
html_theme_options = {
    "light_css_variables": COLOURS,
    "dark_css_variables": DARK_COLOURS,
    "navigation_with_keys": False,  # the viewer's pages have the arrow keys
}

KEYWORDS = (
    "break|bool|case|catch|cbuffer|class|const|continue|default|defer|discard|do|double|else|enum|export|extension|extern|"
    "false|float|for|func|groupshared|half|if|import|in|inline|inout|int|interface|let|namespace|new|none|nullptr|out|"
    "property|public|private|return|some|static|struct|switch|this|This|throws|true|try|typedef|typealias|typename|uint|"
    "uniform|buffer|layout|var|void|volatile|where|while|associatedtype|register"
)
TYPES = r"(?:RW|RO)?\w*(?:Buffer|Texture\w*|Sampler\w*)|(?:u?int|float|half|bool|double)\d(?:x\d)?"


class Shading(RegexLexer):  # type: ignore[misc]  # untyped
    """Slang, HLSL and GLSL: Pygments has no Slang, and its HLSL takes what Slang adds for errors."""

    name = "Shading language"
    aliases = ["slang", "hlsl", "glsl"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r"#\s*\w+[^\n]*", Comment.Preproc),
            (r'"(\\.|[^"\\\n])*"', String),
            (r"\[\[?\w[^\]\n]*\]\]?(?=\s*(?:\[|void|\w+ \w+\())", Name.Decorator),
            (rf"\b({KEYWORDS})\b", Keyword),
            (rf"\b({TYPES})\b", Keyword.Type),
            (r"\b(Wave|Quad|subgroup)\w+", Name.Builtin),
            (r"\b0[xX][0-9a-fA-F]+\w*|\b\d[\w.]*", Number),
            (r"(\w+)(\s*)(?=\()", bygroups(Name.Function, Whitespace)),
            (r"\w+", Name),
            (r"[-+*/%=<>!&|^~?:]+", Operator),
            (r"[{}()\[\];,.@]", Punctuation),
            (r".", Text),
        ]
    }


class Assembly(RegexLexer):  # type: ignore[misc]  # untyped
    """SPIR-V's assembly, and reknit's own text."""

    name = "SPIR-V assembly"
    aliases = ["spvasm", "rk"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r";[^\n]*", Comment.Single),
            (r'"(\\.|[^"\\\n])*"', String),
            (r"%[\w.']+", Name.Variable),
            (r"@[\w.']+", Name.Label),
            (
                r"\b(func|if|else|loop|continuing|switch|case|default|scope|break|continue|fallthrough|return|as|nojoin"
                r"|phi|names|ids|module|bound|flat|unreachable)\b",
                Keyword,
            ),
            (r"\b(ptr|fn|void|bool|[uif](?:8|16|32|64)|vec\d|mat\d|array|struct)\b", Keyword.Type),
            (r"\bOp[A-Z]\w*", Name.Function),
            (r"\b0[xX][0-9a-fA-F]+\w*|-?\b\d[\w.]*", Number),
            (r"\b[A-Z]\w*", Name.Function),
            (r"\w+", Literal),
            (r"[={}()<>:,|.\[\]*+-]", Punctuation),
            (r".", Text),
        ]
    }


def setup(app: Sphinx) -> dict[str, Any]:
    for lexer in (Shading, Assembly):
        for alias in lexer.aliases:
            app.add_lexer(alias, lexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
