"""report.html: one file, tables and pictures, that opens offline in light and dark."""
import os
import re
from html import escape

import report_tables

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
    """The picture as a part of the page: names of its own, and no address in it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(\bid="|url\(#|href="#)', lambda match: match.group(1) + stem + "-", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(stem)}"', 1)


def figures(folder, stems):
    return "".join(f"<figure>{inline_svg(os.path.join(folder, stem + '.svg'), stem)}</figure>\n"
                   for stem in stems)


def anchor(name):
    return re.sub(r"[^a-z0-9]+", "-", str(name).lower()).strip("-")


def numeric(cells):
    """Whether most of what is written begins with a digit."""
    written = [words for words in cells if words and words != "–"]
    return 2 * sum(1 for words in written if words[0].isdigit()) > len(written)


def table(headers, rows, bad=()):
    """Columns of numbers stand to the right; `bad` are the rows to be coloured."""
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


def section(title, body):
    return f'<h2 id="{anchor(title)}">{escape(title)}</h2>\n{body}' if body else ""


def paragraph(text):
    return f'<p class="note">{escape(text)}</p>\n'


def folded(title, body):
    return f"<details><summary>{escape(title)}</summary>\n{body}</details>\n"


def listing(items):
    return "<ul>" + "".join(f"<li>{escape(str(item))}</li>" for item in items) + "</ul>\n" \
        if items else ""


# ---- The parts -------------------------------------------------------------------------------------

def take_lead(bench, drawn):
    """The picture that the page begins with, taken from its place: the comparison with what was
    published, or the first of an experiment."""
    for stems in [drawn.get(None, [])] + [drawn.get(one["id"], []) for one in bench.experiments]:
        for stem in stems:
            if not stem.startswith("roofline"):
                stems.remove(stem)
                return [stem]
    return []


def short_part(bench, folder, lead):
    return listing(report_tables.headlines(bench)) + figures(folder, lead) + listing(
        [f"{name} is software, a CPU pretending to be a GPU: its times rank nothing on a GPU."
         for name in sorted(map(str, bench.software))])


def rates_part(folder, drawn):
    pictures = figures(folder, [stem for stem in drawn.get(None, [])
                                if stem.startswith("roofline")])
    return pictures and paragraph(report_tables.ROOF_NOTE) + pictures


def against_part(bench, folder, drawn):
    headers, rows, bad, short = report_tables.against_published(bench)
    if not rows:
        return ""
    text = paragraph(report_tables.AGAINST_NOTE)
    pictures = figures(folder, [stem for stem in drawn.get(None, [])
                                if stem.startswith("against")])
    return text + pictures + table(*short) + \
        folded(f"All {len(rows)} problems", table(headers, rows, bad))


def experiment_part(bench, experiment, folder, drawn):
    headers, rows, bad = report_tables.results(bench, experiment)
    pictures = figures(folder, drawn.get(experiment["id"], []))
    if not rows:
        return pictures or paragraph("Nothing was measured.")
    kinds = f"Results, {len(rows)} rows" + (f", {len(bad)} of them not ok" if bad else "")
    return pictures + folded(kinds, paragraph(report_tables.RESULTS_NOTE) +
                             table(headers, rows, bad))


def peers_part(peers):
    if not peers:
        return ""
    return table(*report_tables.peers(peers)) + paragraph(
        "Best runs. A peer whose result was wrong never counts as the best.")


def left_out_part(bench):
    rows = [(str(entry.get("experiment", "")), str(entry.get("what", "")),
             str(entry.get("why", ""))) for entry in bench.left_out]
    return table(("experiment", "what", "why"), rows) if rows else ""


def sections(bench, peers, folder, drawn):
    drawn = {name: list(stems) for name, stems in drawn.items()}
    yield "In short", short_part(bench, folder, take_lead(bench, drawn))
    yield "Warnings", listing(bench.warnings)
    yield report_tables.against_title(bench), against_part(bench, folder, drawn)
    for experiment in bench.experiments:
        title = f"{experiment.get('id')}: {experiment.get('title') or ''}".strip(": ")
        yield title, experiment_part(bench, experiment, folder, drawn)
    yield "Bandwidth and arithmetic", rates_part(folder, drawn)
    yield "Other libraries on this machine", peers_part(peers)
    yield "What was measured", table(*report_tables.summary(bench))
    yield "Left out", left_out_part(bench)
    yield "Machine, build and settings", table(*report_tables.machine(bench))


def write(path, bench, peers, folder, drawn):
    parts = [(title, body) for title, body in sections(bench, peers, folder, drawn) if body]
    links = "".join(f'<a href="#{anchor(title)}">{escape(title)}</a><br>\n' for title, _ in parts)
    head = (f"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Swathe bench</title>\n"
            f"<style>{STYLE}</style></head>\n<body>\n<h1>Swathe bench</h1>\n")
    about = paragraph(report_tables.about(bench))
    body = "".join(section(title, part) for title, part in parts)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{about}<nav>{links}</nav>\n{body}</body></html>\n")
