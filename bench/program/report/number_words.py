"""Numbers as words, for pictures and tables alike."""


def short(value, unit=""):
    """Three digits that count."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}{unit}" if value >= 1 or value == 0 else f"{value:#.3g}{unit}"


def plain(value, _=None):
    """A tick's number without an exponent, as far as it can be read."""
    if value >= 1e6 or 0 < value < 1e-4:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:,.10g}".replace(",", "\u202f")
