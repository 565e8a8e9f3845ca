"""Numbers as text, for plots and tables."""


def short(value, unit=""):
    """Returns a number with three significant digits."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}{unit}" if value >= 1 or value == 0 else f"{value:#.3g}{unit}"


def plain(value, _=None):
    """Returns the label of a tick, without an exponent if it is short."""
    if value >= 1e6 or 0 < value < 1e-4:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:,.10g}".replace(",", "\u202f")
