"""The sections of a report in any format: a title and its parts.

A part is a tuple: ("text", words), ("list", items), ("table", headers, rows, indices of bad rows),
("figures", stems) or ("folded", title, parts).
"""
import report_tables


def table(headers, rows, bad=()):
    return [("table", headers, rows, bad)] if rows else []


def listing(items):
    return [("list", items)] if items else []


def figures(stems):
    return [("figures", stems)] if stems else []


def take_lead(bench, drawn):
    """Removes and returns the first plot of the report: the comparison with published times, or the
    first plot of an experiment."""
    for stems in [drawn.get(None, [])] + [drawn.get(one["id"], []) for one in bench.experiments]:
        for stem in stems:
            if not stem.startswith("roofline"):
                stems.remove(stem)
                return [stem]
    return []


def of_run(drawn, start):
    """Returns plots of the whole run by the start of their names."""
    return figures([stem for stem in drawn.get(None, []) if stem.startswith(start)])


def short_part(bench, lead):
    return listing(report_tables.headlines(bench)) + figures(lead) + listing(
        [f"{name} is software that runs on the CPU: its times do not rank strategies for a GPU."
         for name in sorted(map(str, bench.software))])


def against_part(bench, drawn):
    headers, rows, bad, short = report_tables.against_published(bench)
    if not rows:
        return []
    return [("text", report_tables.AGAINST_NOTE)] + of_run(drawn, "against") + table(*short) + \
        [("folded", f"All {len(rows)} problems", table(headers, rows, bad))]


def experiment_part(bench, experiment, drawn):
    headers, rows, bad = report_tables.results(bench, experiment)
    plots = figures(drawn.get(experiment["id"], []))
    if not rows:
        return plots or [("text", "Nothing was measured.")]
    kinds = f"Results, {len(rows)}" + (f", {len(bad)} of them not ok" if bad else "")
    return plots + [("folded", kinds, [("text", report_tables.RESULTS_NOTE)] +
                        table(headers, rows, bad))]


def rates_part(drawn):
    plots = of_run(drawn, "roofline")
    return plots and [("text", report_tables.ROOF_NOTE)] + plots


def peers_part(peers):
    return peers and table(*report_tables.peers(peers)) + [
        ("text", "Times are those of the best run. Peers with wrong results are excluded.")]


def sections(bench, peers, drawn):
    """Returns (title, parts) of all sections that have parts."""
    drawn = {name: list(stems) for name, stems in drawn.items()}
    made = [("In short", short_part(bench, take_lead(bench, drawn))),
            ("Warnings", listing(bench.warnings)),
            (report_tables.against_title(bench), against_part(bench, drawn))]
    for experiment in bench.experiments:
        title = f"{experiment.get('id')}: {experiment.get('title') or ''}".strip(": ")
        made.append((title, experiment_part(bench, experiment, drawn)))
    made += [("Bandwidth and arithmetic", rates_part(drawn)),
             ("Other libraries on this machine", peers_part(peers)),
             ("Numbers of results", table(*report_tables.summary(bench))),
             ("Not measured", table(*report_tables.left_out(bench))),
             ("Machine, build and settings", table(*report_tables.machine(bench)))]
    return [(title, parts) for title, parts in made if parts]
