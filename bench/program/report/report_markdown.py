"""bench.md: the report as Markdown, without plots."""
import report_tables


def line(cells):
    """Escapes bars, which would end a cell."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(headers, rows, _=()):
    return line(headers) + "|---" * len(headers) + "|\n" + "".join(map(line, rows)) + "\n"


def render(parts):
    writers = {"text": lambda words: f"{words}\n\n", "figures": lambda stems: "", "table": table,
               "list": lambda items: "".join(f"- {item}\n" for item in items) + "\n",
               "folded": lambda title, inner: f"{title}\n\n{render(inner)}"}
    return "".join(writers[kind](*values) for kind, *values in parts)


def page(bench, sections):
    return f"# Benchmark\n\n{report_tables.about(bench)}\n\n" + \
        "".join(f"## {title}\n\n{render(parts)}" for title, parts in sections)
