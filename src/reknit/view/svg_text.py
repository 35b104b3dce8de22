"""Text and numbers as SVG takes them."""


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def escaped(text: str) -> str:
    """What doesn't print is replaced."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in safe)


def text_at(x: float, y: float, text: str, kind: str) -> str:
    """A line of text from `x` on, with its base line at `y`; what doesn't print is replaced."""
    return f'<text class="{kind}" x="{number(x)}" y="{number(y)}">{escaped(text)}</text>'
