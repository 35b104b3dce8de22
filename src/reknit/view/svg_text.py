"""Text and numbers as SVG takes them."""


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def text_at(x: float, y: float, text: str, kind: str) -> str:
    """A line of text from `x` on, with its base line at `y`; what doesn't print is replaced."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in escaped)
    return f'<text class="{kind}" x="{number(x)}" y="{number(y)}">{safe}</text>'
