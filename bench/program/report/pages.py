"""The files of a report: bench.csv, bench.md and report.html."""
import csv
import io
import os
import re
from html import escape

import bench_data
import tables

# ---- bench.csv: one line for each contender and scope -----------------------------------------------

WHAT = ("experiment", "filter", "runs", "k", "width", "height", "channels", "type", "layout", "border",
        "device", "strategy", "variant", "ran", "arithmetic", "held", "block", "threads", "algorithm", "status",
        "image", "why", "verified")
# Column names and the fields of a scope.
TIMES = {"median_ms": "median", "low_ms": "low", "high_ms": "high", "no_interval": "no_interval",
         "mean_ms": "mean", "sd_ms": "sd", "best_ms": "best", "cpu_median_ms": "cpu_median",
         "samples": "runs", "outliers": "outliers", "noisy": "noisy"}
# For the kernel alone.
RATES = {"gb_per_s": "gbs", "gflop_per_s": "gflops", "effective": "effective",
         "copy_share": "copy_share", "fma_share": "fma_share",
         "speedup_sequential": "speedup_sequential", "speedup_single": "speedup_single"}


def csv_cell(value):
    if isinstance(value, bool):
        return int(value)
    return f"{value:.6g}" if isinstance(value, float) else value


def csv_lines(result):
    scopes = [(name, entry) for name in bench_data.SCOPE_WORDS if (entry := bench_data.scope(result, name))]
    what = [result.get(name) for name in WHAT]
    if result.get("status") != "ok":
        yield what
    for name, entry in scopes:
        yield what + [name] + [entry.get(field) for field in TIMES.values()] + \
            [result.get(field) if name == "kernel" else None for field in RATES.values()] + \
            [entry["phase_medians"].get(phase) for phase in bench_data.PHASES]


def csv_text(bench):
    out = io.StringIO()
    header = [*WHAT, "scope", *TIMES, *RATES, *(f"phase_{name}_ms" for name in bench_data.PHASES)]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for result in bench.results:
        for line in csv_lines(result):
            writer.writerow([csv_cell(value) for value in line] + [None] * (len(header) - len(line)))
    return out.getvalue()


# ---- bench.md, without plots ------------------------------------------------------------------------

def markdown_line(cells):
    """Escapes bars, which would end a cell."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def markdown_table(headers, rows, _=()):
    return markdown_line(headers) + "|---" * len(headers) + "|\n" + "".join(map(markdown_line, rows)) + "\n"


def markdown_render(parts):
    writers = {"text": lambda words: f"{words}\n\n", "figures": lambda stems: "", "table": markdown_table,
               "list": lambda items: "".join(f"- {item}\n" for item in items) + "\n",
               "folded": lambda title, inner: f"{title}\n\n{markdown_render(inner)}"}
    return "".join(writers[kind](*values) for kind, *values in parts)


def markdown_page(bench, sections):
    return f"# Benchmark\n\n{tables.about(bench)}\n\n" + \
        "".join(f"## {title}\n\n{markdown_render(parts)}" for title, parts in sections)


# ---- report.html: one file with tables and plots that needs no network, in light and dark mode ------

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --soft: #595959; --paper: #ffffff;
        --line: #d5d5d5; --band: #f4f4f2; --bad: #a33000; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --soft: #aaaaaa; --paper: #16181b; --line: #3a3d41; --band: #1f2226;
          --bad: #ff9a6b; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
nav { columns: 2; } a { color: inherit; }
p.note, figcaption { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
th { background: var(--band); } td.text, th.text { text-align: left; white-space: normal; }
td.text:first-child { white-space: nowrap; }
tr.bad td { color: var(--bad); }
figure { margin: 1rem 0; padding: .5rem; background: #ffffff; border-radius: 6px;
         border: 1px solid var(--line); }
figure svg { display: block; width: 100%; height: auto; }
details { margin: .8rem 0; } summary { cursor: pointer; }
"""


def inline_svg(path, stem):
    """Returns an SVG file as a part of the page, with unique ids and without links."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(\bid="|url\(#|href="#)', lambda match: match.group(1) + stem + "-", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(stem)}"', 1)


def html_figures(folder, stems):
    return "".join(f"<figure>{inline_svg(os.path.join(folder, stem + '.svg'), stem)}</figure>\n"
                   for stem in stems)


def anchor(name):
    return re.sub(r"[^a-z0-9]+", "-", str(name).lower()).strip("-")


def numeric(cells):
    """True if most cells that are not empty start with a digit."""
    written = [words for words in cells if words and words != "–"]
    return 2 * sum(1 for words in written if words[0].isdigit()) > len(written)


def html_table(headers, rows, bad=()):
    """Aligns columns of numbers to the right and colours the rows in `bad`."""
    kinds = ["" if numeric([row[i] for row in rows]) else ' class="text"'
             for i in range(len(headers))]

    def line(tag, row):
        return "".join(f"<{tag}{kind}>{escape(words)}</{tag}>" for kind, words in zip(kinds, row))
    head = line("th", headers)
    coloured = ' class="bad"'
    body = "".join(f"<tr{coloured if i in bad else ''}>{line('td', row)}</tr>\n"
                   for i, row in enumerate(rows))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>' \
           "</table></div>\n"


def html_listing(items):
    return "<ul>" + "".join(f"<li>{escape(str(item))}</li>" for item in items) + "</ul>\n"


def html_render(parts, folder):
    writers = {"text": lambda words: f'<p class="note">{escape(words)}</p>\n', "list": html_listing,
               "table": html_table, "figures": lambda stems: html_figures(folder, stems),
               "folded": lambda title, inner: f"<details><summary>{escape(title)}</summary>\n"
                                              f"{html_render(inner, folder)}</details>\n"}
    return "".join(writers[kind](*values) for kind, *values in parts)


def html_page(bench, sections, folder):
    links = "".join(f'<a href="#{anchor(title)}">{escape(title)}</a><br>\n' for title, _ in sections)
    body = "".join(f'<h2 id="{anchor(title)}">{escape(title)}</h2>\n{html_render(parts, folder)}'
                   for title, parts in sections)
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Swathe bench</title>\n"
            f"<style>{STYLE}</style></head>\n<body>\n<h1>Swathe bench</h1>\n"
            f'<p class="note">{escape(tables.about(bench))}</p>\n<nav>{links}</nav>\n{body}'
            "</body></html>\n")
