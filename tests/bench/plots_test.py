#!/usr/bin/env python3
"""Draws plots of the sample, of damaged files and of nearly empty files, and checks them.

    plots_test.py REPORT

REPORT is the directory of the program that draws. Skipped (77) without matplotlib, except the page
without plots.
"""
import copy
import csv
import json
import os
import subprocess
import sys
import tempfile

import plots_check
import sample_report

REPORT = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, REPORT)
problems = []


def expect(condition, words):
    if not condition:
        problems.append(words)


def run(folder, **variables):
    return subprocess.run([sys.executable, "-B", REPORT, folder], capture_output=True, text=True,
                          env=dict(os.environ, **variables), check=False)


def page_of(folder):
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        return file.read()


def few_results(document, count, kind=None):
    """Returns the sample with some of its results and no published figures; plots of one kind, or
    all."""
    experiments = [dict(one, published=False, plots=[kind] if kind else one["plots"])
                   for one in document["experiments"]]
    return dict(document, results=copy.deepcopy(document["results"][:count]), experiments=experiments)


def stems_of(folder):
    return sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".svg"))


# ---- The sample ------------------------------------------------------------------------------------

def test_sample(document, folder):
    import bench_data
    import derive
    import pages
    import plot_list
    import plot_style
    import tables
    sample_report.write(folder, document, sample_report.PEERS)
    bench, drawn = derive.fill(bench_data.load(folder)), {}
    for plot in plot_list.plots(bench):
        found = plots_check.figure_problems(plot.figure, bench.software)
        problems.extend(f"{plot.stem}: {problem}" for problem in found)
        plot_style.save(plot.figure, folder, plot.stem)
        problems.extend(plots_check.file_problems(os.path.join(folder, plot.stem)))
        drawn.setdefault(plot.experiment, []).append(plot.stem)
    promised_files(document, drawn)
    sections = tables.sections(bench, bench_data.load_peers(folder), drawn)
    with open(os.path.join(folder, "report.html"), "w", encoding="utf-8") as file:
        file.write(pages.html_page(bench, sections, folder))
    test_page(folder, sum(len(stems) for stems in drawn.values()))


def promised_files(document, drawn):
    for experiment in document["experiments"]:
        stems = drawn.get(experiment["id"], [])
        for kind in experiment["plots"]:
            start = f"{experiment['id'].replace('/', '-')}-{kind}"
            expect(any(stem == start or stem.startswith(start + "-") for stem in stems),
                   f"{start}: no such plot")
    expect({"roofline", "against-published"} <= set(drawn.get(None, [])),
           f"roofline or comparison missing: {drawn.get(None)}")


def test_page(folder, pictures):
    page = page_of(folder)
    problems.extend(f"report.html: {found}" for found in plots_check.html_problems(page))
    expect(page.count("<svg") == pictures, f"{page.count('<svg')} plots in the page, "
           f"{pictures} were drawn")
    lead = page.index("<figure>")
    expect(page.index("times as fast as sequential") < lead < page.index("<table>"),
           "report.html does not begin with times and a plot")
    for words in ("copies in memory (slanted)", "Points can be above them",
                  "two CPU cores compared with the reports", "report-001 beside the report",
                  "400 of 933 GB/s", "opencl:0 (software): copy 12.3 GB/s, 45.0 GFLOP/s", "ran direct",
                  "its type is u8", "Phases of a call", "Not measured",
                  "needs 12 GiB", "Warnings",
                  "sample (3, 4): 17, not 12", "Halide 16 bits", "RTX A2000", "(e)", "too few runs",
                  "Invented CPU &lt;sample&gt; &amp; co", "prefers-color-scheme: dark"):
        expect(words in page, f"report.html does not contain {words!r}")


def test_ratio():
    """The comparison of systems takes the fastest of both, in the published scope."""
    import bench_data
    import derive
    maker = sample_report.Maker(1)
    for count in (1, 2):
        maker.result("report-001/sizes", "box:11", (100, 100), threads=count)
        maker.result("report-001/sizes", "box:11", (10000, 100000), threads=count)
    maker.result("report-001/sizes", "box:11", (100, 101))
    bench = derive.fill(bench_data.Bench({"results": maker.results, "experiments": [
        {"id": "report-001/sizes", "published": True}]}))
    ours = [min(result["scopes"]["work"]["median"] for result in maker.results[i:4:2]) for i in (0, 1)]
    found = derive.against(bench)
    expect([entry.ratio for entry in found] == [ours[0] / 0.2, ours[1] / 5323.0],
           f"ratios are {[entry.ratio for entry in found]}")
    expect([entry.doubtful for entry in found] == [False, True], "32-bit indices overflow")
    expect(derive.against_mean(found) == (ours[0] / 0.2, int(ours[0] > 0.2), 1) or
           abs(derive.against_mean(found)[0] * 0.2 / ours[0] - 1) < 1e-9, "the mean omits doubtful times")
    return bench


def test_one_experiment(bench):
    """The comparison of systems has room for its labels."""
    import plot_list
    for _, figure in plot_list.draw_against(bench):
        problems.extend(f"one experiment: {found}" for found in plots_check.figure_problems(figure))


def test_devices():
    """A device is identified by its name, its kind or gpu; real devices precede software ones."""
    import bench_data
    kinds = [{"devices": [{"device": "opencl:0", "gpu": False}, {"device": "opencl:1", "gpu": True}]}]
    for names, software in ((["cpu", "opencl:0"], {"opencl:0"}), (["gpu", "opencl"], set()),
                            (["cuda:0"], set())):
        results = [{"device": name} for name in names]
        found = bench_data.Bench({"devices": kinds, "results": results}).software
        expect(found == software, f"software of {names}: {found}")


def test_masks(folder):
    """The plot of the README can be drawn from the output of peers.py."""
    sys.path.insert(0, os.path.join(REPORT, "../../peers"))
    import draw_masks
    import plot_style
    plot_style.use()
    path = os.path.join(folder, "figures.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for kind, k in (("dense", 3), ("dense", 9), ("gaussian", 3)):
            file.write(json.dumps({**sample_report.PEERS[0], "swathe_ms": 2.0,
                                   "work": f"u8x3-1000x1000-{kind}-{k}x{k}"}) + "\n")
    figures = list(draw_masks.read_figures(path))
    expect(("dense", 9, "Swathe", 2.0) in figures and ("dense", 9, "OpenCV", 54.3) in figures and
           len(figures) == 6, f"figures of peers: {figures}")
    problems.extend(f"masks: {found}" for found in
                    plots_check.figure_problems(draw_masks.draw(figures)))


def test_no_bar():
    """A time without an interval has no error bar, not even its caps."""
    from matplotlib import pyplot
    import plot_lines
    figure, axes = pyplot.subplots()
    drawn = plot_lines.draw_series(axes, [(1, 2, 2, 2), (2, 3, 2.5, 4)], {})
    ends = [list(cap.get_ydata()) for cap in drawn.lines[1]]
    expect(all(y[0] != y[0] and y[1] == y[1] for y in ends), f"caps of error bars at {ends}")
    rings = [line for line in axes.get_lines() if line.get_markersize() == 10]
    expect([list(ring.get_xdata()) for ring in rings] == [[1]], "a ring marks a time without an interval")
    import plot_bars
    result = {"strategy": "best", "device": "cpu", "width": 100, "height": 100, "threads": 1,
           "scopes": {"kernel": {"median": 2.0, "no_interval": "too few runs"}}}
    before = len(axes.get_lines())
    words = plot_bars.strategy_bar(axes, 0, result, "kernel", set())[2]
    expect("no interval" in words, f"a bar without an interval has the text {words!r}")
    expect(len(axes.get_lines()) == before, "a bar without an interval has caps")
    pyplot.close(figure)


# ---- Parts of a run ----------------------------------------------------------------------------------

def figures_of(document, experiment, kind, keep):
    """Returns the figures of one kind, of the results that are kept."""
    import bench_data
    import derive
    import plot_list
    import plot_style
    plot_style.use()
    results = [one for one in document["results"] if one["experiment"] == experiment and keep(one)]
    bench = derive.fill(bench_data.Bench(dict(document, results=copy.deepcopy(results))))
    found = next(one for one in bench.experiments if one["id"] == experiment)
    return [figure for _, figure in plot_list.KINDS[kind](bench, found)]


def words_of(figure):
    return " ".join([one.get_text() for one in figure.texts] + [
        one.get_text() for axes in figure.axes for one in [*axes.texts, axes.title, axes._left_title]])


def test_partial(document):
    """Panels come from all problems that were asked for or published, and say why they are empty."""
    from matplotlib import pyplot
    for experiment, kind, keep, words in (
            ("report-004/filters", "speedup", lambda one: one["filter"] == "gaussian:9" and
             one["layout"] == "interleaved", ("sharpen", "edge", "not in this run", "u8, interleaved, border")),
            ("report-000/matrices", "speedup", lambda one: one["filter"] == "dense:5", ("dense:5", "f32")),
            ("report-001/masks", "time", lambda one: one["k"] < 10, ("box, 1000 × 1000", "s16, planar")),
            ("report-004/filters", "figure1", lambda one: one["filter"] != "edge", ("edge", "not measured in this"))):
        figures = figures_of(document, experiment, kind, keep)
        text = " ".join(map(words_of, figures)).replace("\n", " ")
        expect(figures and all(word in text for word in words), f"{experiment} {kind}: {text}")
        for figure in figures:
            problems.extend(f"{experiment} {kind}: {found}" for found in
                            plots_check.figure_problems(figure, {"opencl:0"}))
            pyplot.close(figure)


def test_ways(document):
    """Results that differ in how planes are held are different lines, named by what differs."""
    import bench_data
    import plot_series
    first = next(one for one in document["results"] if one["device"] != "cpu" and one["status"] == "ok")
    results = [dict(first), dict(first, held="padded")]
    bench_data.Bench(dict(document, results=results))
    names = [series.name for series in plot_series.collect(results, "k")]
    expect(len(names) == 2 and names[0].endswith(", plain") and names[1].endswith(", padded"), f"the lines {names}")


def test_pages(document):
    """Every problem of an experiment has its panel of bars."""
    for experiment, count in (("report-002/sharpen", 7), ("report-001/masks", 6)):
        panels = [axes for figure in figures_of(document, experiment, "strategies", lambda _: True)
                  for axes in figure.axes]
        expect(len(panels) == count, f"{experiment}: bars of {len(panels)} problems, not {count}")
    expect(not figures_of(document, "report-002/sharpen", "strategies", lambda _: False), "bars of nothing")
    left = dict(document, results=[one if one["width"] < 100 else dict(one, status="left out", scopes=None)
                                   for one in document["results"]])
    for figure in figures_of(left, "report-002/sharpen", "strategies", lambda _: True):
        problems.extend(f"left out: {found}" for found in plots_check.figure_problems(figure, {"opencl:0"}))
        expect("left out" in words_of(figure), "a bar that is left out has no reason")
    for kind, words in (("time", "“Naive” (ran direct)"), ("roofline", "opencl:0 (software): copy 12.3 GB/s")):
        name = "report-004/filters" if kind == "time" else "report-000/matrices"
        figure = figures_of(document, name, kind, lambda one: one["filter"] in ("edge", "dense:3"))[0]
        legends = [one.get_text() for legend in figure.legends for one in legend.get_texts()]
        expect(words in words_of(figure) + " ".join(legends), f"{kind} shows {words}: {legends}")
    times = [one.get_text().strip() for axes in panels[:1] for one in axes.texts]
    expect("1.89 ms" in times, f"the bars of report 001 have its times of a GPU: {times}")


def test_largest(document):
    """Of each filter the largest image is shown, or another one with more contenders timed; titles differ."""
    for most, size, words in ((10000, "6000 × 2908", "the largest image"), (1700, "1616 × 1080", "the most contenders")):
        left = dict(document, results=[one if one["width"] < most or one["strategy"] == "best" else
                                       dict(one, status="left out", scopes=None) for one in document["results"]])
        figure = figures_of(left, "report-004/filters", "transfer", lambda one: one["filter"] in ("sharpen", "edge"))[0]
        titles = [axes.get_title(loc="left") for axes in figure.axes]
        expect(len(set(titles)) == 4 and all(size in one for one in titles), f"the largest images: {titles}")
        expect(words in words_of(figure).replace("\n", " "), f"which images are shown: {words_of(figure)}")


# ---- Little data, none, damage -------------------------------------------------------------------

def test_small(document, folder):
    bare = {"format": "swathe-bench 4", "results": None, "experiments": [{"id": "scan"}]}
    odd = few_results(document, 4, "time")
    odd["results"][1].update(width="wide", scopes={"kernel": {"samples": "fast"}}, threads=None)
    odd["results"][2].update(scopes={"kernel": {"samples": [float("nan")], "visit": [0]}}, filter=None)
    cases = {"no results": few_results(document, 0), "one result": few_results(document, 1, "bandwidth"), "bare": bare,
             "odd": odd, "no published": few_results(document, 40, "bandwidth"),
             "no experiments": {**few_results(document, 8), "experiments": []}}
    for name, case in cases.items():
        place = os.path.join(folder, name.replace(" ", "_"))
        sample_report.write(place, case)
        done = run(place)
        expect(done.returncode == 0, f"{name}: exit {done.returncode}, {done.stderr[-300:]}")
        for stem in stems_of(place):
            problems.extend(plots_check.file_problems(os.path.join(place, stem)))
        problems.extend(f"{name}: {found}" for found in plots_check.html_problems(page_of(place)))
        expect(bool(stems_of(place)) == (name not in ("no results", "bare")),
               f"{name}: drew {stems_of(place)}")


def test_refused(folder):
    """For an unusable file, an error names the file and a way out, and no page is written."""
    for name, text, words in (("cut", '{"format": "swathe-b', "not JSON"),
                              ("other", json.dumps({"format": "swathe-bench 9"}), "swathe-bench 9"),
                              ("list", "[1]", "None"), ("absent", None, "bench --output")):
        place = os.path.join(folder, name)
        os.makedirs(place)
        if text is not None:
            with open(os.path.join(place, "bench.json"), "w", encoding="utf-8") as file:
                file.write(text)
        done = run(place)
        expect(done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr,
               f"{name}: exit {done.returncode}, {done.stderr}")
        expect(not os.path.exists(os.path.join(place, "report.html")), f"{name}: wrote a page")


def test_without_plotter(document, folder):
    """Hides matplotlib behind a module that cannot be imported."""
    hidden, place = os.path.join(folder, "hidden"), os.path.join(folder, "plain")
    os.makedirs(hidden)
    with open(os.path.join(hidden, "matplotlib.py"), "w", encoding="utf-8") as file:
        file.write("raise ImportError('hidden')\n")
    sample_report.write(place, document, sample_report.PEERS)
    done = run(place, PYTHONPATH=hidden)
    expect(done.returncode == 3 and "python3-matplotlib" in done.stderr
           and done.stderr.count("\n") == 1, f"no matplotlib: exit {done.returncode}, {done.stderr}")
    expect(not any(name.endswith((".svg", ".png")) for name in os.listdir(place)),
           "no matplotlib: plots")
    problems.extend(f"no matplotlib: {found}"
                    for found in plots_check.html_problems(page_of(place)))
    expect("Results, " in page_of(place), "no matplotlib: no results in the page")
    with open(os.path.join(place, "bench.md"), encoding="utf-8") as file:
        text = file.read()
    for result in document["results"]:
        expect(f"| {result['problem']} | {result['contender']} |" in text, "no matplotlib: bench.md")
    with open(os.path.join(place, "bench.csv"), encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    times = [result for result in document["results"] if result["status"] == "ok"]
    scopes = [scope for result in times for scope, entry in result["scopes"].items() if entry]
    expect(len(lines) == len(scopes) + scopes.count("call") + len(document["results"]) - len(times),
           f"no matplotlib: {len(lines)} lines of CSV")
    expect(all(line["phase_upload_ms"] for line in lines if line["scope"] == "call" and line["device"] != "cpu"),
           "CSV: a call on a GPU has its phases")
    expect(all(None not in line and None not in line.values() for line in lines), "CSV: odd lines")


def test_same_twice(document, folder):
    """The same data gives the same bytes."""
    contents = []
    for name in ("first", "second"):
        place = os.path.join(folder, name)
        sample_report.write(place, few_results(document, 8, "bandwidth"))
        run(place)
        files = [f"{stem}.{kind}" for stem in stems_of(place) for kind in ("svg", "png")] + ["report.html"]
        contents.append({})
        for file_name in files:
            with open(os.path.join(place, file_name), "rb") as file:
                contents[-1][file_name] = file.read()
    expect(len(contents[0]) > 1 and contents[0] == contents[1], "two runs differ")


# ---- Planted defects -------------------------------------------------------------------------------

def planted_figure(document):
    import bench_data
    import derive
    import plot_lines
    import plot_style
    plot_style.use()
    bench = derive.fill(bench_data.Bench(few_results(document, 60)))
    return next(plot_lines.draw_bandwidth(bench, bench.experiments[0]))[1]


def unlabelled(figure):
    for axes in figure.axes:
        axes.set_xlabel("")


def without_unit(figure):
    for axes in figure.axes:
        axes.set_ylabel("speed")


def legend_on_top(figure):
    figure.legends[0].set_bbox_to_anchor((0.3, 0.8), transform=figure.transFigure)


def cut(figure):
    figure.axes[-1].text(0.9, 0.5, "12 ms, refused: too large", transform=figure.axes[-1].transAxes)


def zigzag(figure):
    figure.axes[0].plot([0.1, 0.2, 0.1, 0.2], [1, 2, 3, 4])


def unmarked(figure):
    for text in figure.texts:
        text.set_text(text.get_text().replace("is software", "is fast"))


def crowded(figure):
    figure.axes[-1].set_xticks([0.1, 0.1001, 0.1002])
    figure.axes[-1].set_xticklabels(["0.1000", "0.1001", "0.1002"])


def test_planted(document):
    """Each defect must be found, and the plot without it must have no problems."""
    from matplotlib import pyplot
    for plant, words in ((None, ""), (unlabelled, "no label"), (without_unit, "no unit"),
                         (legend_on_top, "overlap"), (unmarked, "not marked"), (cut, "outside the picture"),
                         (zigzag, "visits an x twice"),
                         (crowded, "numbers of its x axis overlap")):
        figure = planted_figure(document)
        if plant:
            plant(figure)
        found = plots_check.figure_problems(figure, {"opencl:0"})
        right = any(words in problem for problem in found) if plant else not found
        expect(right, f"planted {plant.__name__ if plant else 'nothing'}: {found}")
        pyplot.close(figure)


def test_planted_page():
    clean = '<html><body><h2 id="a">A</h2><a href="#a">A</a><br></body></html>'
    expect(not plots_check.html_problems(clean), "a clean page has problems")
    for old, new in (("#a", "#b"), ("#a", "https://example.org"), ("<br>", '<img src="x.png">'),
                     ("</h2>", ""), ("<br>", '<p id="a"></p>'), ("<br>", "<script></script>")):
        expect(plots_check.html_problems(clean.replace(old, new, 1) if new != "#b" else
                                         clean.replace('"#a"', '"#b"')),
               f"planted {new or 'unclosed'}: not found")


def main():
    document = sample_report.document()
    with tempfile.TemporaryDirectory() as folder:
        test_without_plotter(document, os.path.join(folder, "without"))
        test_refused(os.path.join(folder, "refused"))
        test_planted_page()
        ratios = test_ratio()
        test_devices()
        try:
            import matplotlib
        except ImportError:
            matplotlib = None
        if matplotlib:
            test_planted(document)
            test_one_experiment(ratios)
            test_no_bar()
            test_masks(folder)
            test_partial(document)
            test_ways(document)
            test_pages(document)
            test_largest(document)
            test_small(document, os.path.join(folder, "small"))
            test_same_twice(document, os.path.join(folder, "twice"))
            test_sample(document, os.path.join(folder, "sample"))
    for problem in problems:
        print(problem)
    if not matplotlib and not problems:
        print("skipped: plots (no matplotlib)")
        return 77
    print(f"plots: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
