"""The tables and the summary that `swathe bench` prints."""
import bench_data
import beside
import derive
import tables

# In this order, columns that do not fit on a terminal are omitted; the others remain.
DROPPED = ("verified", "first call", "CPU time", "best", "mean ± sd", "of FMA", "of copy", "algorithm", "runs",
           "GFLOP/s", "whole call", "kernels, host's clock", "call without planning", "kernel and copies", "GB/s",
           "over one thread", "interval", "over LOOP")
STATUS_WORDS = {"ok": "measured", "wrong": "WRONG", "refused": "refused", "left out": "left out"}
LEAST_NAME = 8  # characters of a contender


def padded(text, width):
    """Returns text with this width, truncated if it is longer; 0: as it is."""
    if width and len(text) > width:
        return text[:width - 1] + "…"
    return text.ljust(width)


def line(cells, widths):
    return "| " + " | ".join(padded(cell, width) for cell, width in zip(cells, widths)) + " |"


def total(widths, kept):
    return 1 + sum(widths[i] + 3 for i in kept)


def columns_that_fit(full, widths, width):
    """Returns the indices of the columns on a terminal: those that have a figure, without the problem, which
    has a separate line, and as many as fit."""
    kept = [i for i in range(1, len(widths)) if i < 3 or any(row[i] != "–" for row in full)]
    for name in DROPPED:
        if total(widths, kept) > width:
            kept = [i for i in kept if tables.RESULT_HEADERS[i] != name]
    return kept


def reason_line(row, widths, kept, width):
    """Returns the line of a row that is not ok: a reason replaces all figures."""
    names = [i for i in kept if i < 2]
    rest = width and width - total(widths, names) - 3
    return line([row[i] for i in names] + [row[2]], [widths[i] for i in names] + [rest])


def experiment_lines(bench, experiment, width):
    """Yields the lines of a table."""
    headers, rows, bad = tables.results(bench, experiment)
    rows = [tuple(cell.replace("|", "?") for cell in row) for row in rows]
    full = [row for i, row in enumerate(rows) if i not in bad]
    widths = [max(len(row[i]) for row in [headers, *(rows if i < 2 else full)]) for i in range(len(headers))]
    if width:  # a long name takes no more than half
        widths[1] = min(widths[1], max(LEAST_NAME, width // 2))
    kept = columns_that_fit(full, widths, width) if width else list(range(len(headers)))
    if width:
        widths[1] = max(LEAST_NAME, widths[1] - max(0, total(widths, kept) - width))
    chosen = [widths[i] for i in kept]
    yield line([headers[i] for i in kept], chosen)
    yield "|" + "|".join("-" * (one + 2) for one in chosen) + "|"
    for number, row in enumerate(rows):
        if width and (number == 0 or row[0] != rows[number - 1][0]):
            yield padded(row[0], width).rstrip()
        yield reason_line(row, widths, kept, width) if number in bad else \
            line([row[i] for i in kept], chosen)


def write_tables(bench, width):
    """Fits tables into `width` columns by omitting the least important figures and truncating long names.
    0: any width."""
    for experiment in bench.experiments:
        print(f"\n## {experiment.get('id')}: {experiment.get('title') or ''}\n")
        print("\n".join(experiment_lines(bench, experiment, width)))
    print(f"\n{tables.RESULTS_NOTE} ~ marks noisy results.\n")
    for name, words in tables.peak_lines(bench):
        print(f"{name}: {words}")


def write_summary(bench):
    """Prints the speed of Swathe's best, the numbers of results by status and our variants beside those of
    the report, then the warnings."""
    against = derive.against(bench)
    for experiment in bench.experiments:
        results = bench.results_of(experiment)
        counts = {status: sum(result.get("status") == status for result in results)
                  for status in STATUS_WORDS}
        words = [experiment["headline"]] if experiment["headline"] else []
        words.append(", ".join(f"{count} {STATUS_WORDS[status]}" for status, count in counts.items()
                               if count or status == "ok"))
        mean = derive.against_mean([one for one in against if one.experiment == experiment.get("id")])
        if mean:
            words.append("systems: CPU time ÷ fastest published GPU time {:.3g}, slower in {} of {}".format(*mean))
        print(f"{experiment.get('id')}: {'; '.join(words)}")
        for text in beside.short_lines(bench, experiment) + beside.rate_lines(bench, experiment):
            print(text)
    for text in bench.warnings:
        print(f"warning: {bench_data.clean(text)}")
