#!/usr/bin/env python3
"""Makes each addition that docs/adding.md describes, and checks that it works and is tested.

    adding.py SOURCE [DIRECTORY]

Every addition is a patch in this directory. All of them are applied to a copy of the source, which
is built once. Each must be listed, and pass the tests that should cover it automatically according
to the page. Then a bug is planted in each, and these tests must fail and name it. The number of
files in each patch must equal the number in the page's heading. DIRECTORY keeps the copy and its
build.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ["cli/swathe", "tests/core/borders", "tests/core/kernels", "tests/core/random",
           "tests/core/properties", "tests/io/io_round_trip", "tests/gpu/device_contract"]
OPENCL = ["cli/swathe", "devices", "--check", "--device", "opencl:0", "--problems", "12",
          "--strategy", "constant-inner"]
IMAGE = b"P5\n8 8\n255\n" + bytes(range(64))
REGION = ["cli/swathe", "apply", "identity", "in.pgm", "out.pgm", "--overwrite", "--region",
          "4x4+0+0", "--most-region"]


class Addition:
    """A patch, the page's heading for it, and commands that show that it is present and tested.

    `shows` and `tests` are commands with text that their output must contain. `fault` is a file, a
    text in it and its replacement; the command of `caught` must then fail with the given text in
    its output.
    """

    def __init__(self, heading, shows, tests, fault, caught):
        self.heading, self.shows, self.tests = heading, shows, tests
        self.fault, self.caught = fault, caught


ADDITIONS = {
    "border": Addition(
        "A border mode",
        [(["cli/swathe", "borders"], "bbb|abcd|ccc")],
        [["tests/core/borders"], ["tests/core/random", "--narrow"]],
        ("src/image/border.c", "return i < 0 ? second : n - 1 - second;", "return second;"),
        (["tests/core/borders"], "second")),
    "filter": Addition(
        "A named filter",
        [(["cli/swathe", "filters", "cross"], "[0 1 0; 1 1 1; 0 1 0]")],
        [["tests/core/properties"]],
        ("src/filter/filter.def", '"cross:normalise"', '"cross:0"'),
        (["tests/core/properties"], "cross")),
    "kernel": Addition(
        "A kernel", [], [["tests/core/kernels"]],
        ("src/cpu/convert_body.h", "(SAMPLE_u16)clamp_double(source[i]",
         "(SAMPLE_u16)clamp_double(source[i] + 1"),
        (["tests/core/kernels"], "kernel convert_u8_u16 on scalar")),
    "isa": Addition(
        "An instruction set",
        [(["cli/swathe", "explain", "sharpen", "99x99x1:u8", "--isa", "sse4.2"], "sse4.2")],
        [["tests/core/kernels"], ["tests/core/random", "200", "1"]],
        None, # the fault of the kernel, on this instruction set
        (["tests/core/kernels"], "kernel convert_u8_u16 on sse4.2")),
    "algorithm": Addition(
        "An algorithm",
        [(["cli/swathe", "explain", "sharpen", "99x99x1:u8", "--algorithm", "again"],
          "again")],
        [["tests/core/random", "200", "1"]],
        ("src/algorithm/again.c", "    algorithm_direct.run(task);",
         "    algorithm_direct.run(task);\n    if (task->results[0])\n"
         "        *(uint8_t *)task->results[0] ^= 1;"),
        (["tests/core/random", "200", "1"], "again")),
    "back_end": Addition(
        "A GPU back end",
        [(["cli/swathe", "devices"], "libabsent.so.1 is not installed")],
        [["tests/gpu/device_contract", "absent"]],
        ("src/gpu/drivers/absent.c", "list->count = 0;", "list->count = 1;"),
        (["tests/gpu/device_contract", "absent", "must"], "absent")),
    "strategy": Addition(
        "A strategy for GPUs",
        [(["cli/swathe", "devices", "--strategies"], "constant-inner")],
        [OPENCL],
        ("src/gpu/strategies/strategy.def", '"constant-inner", "naive"', '"constant-inner", "nothing"'),
        (OPENCL, "constant-inner")),
    "codec": Addition(
        "A file format",
        [(["cli/swathe", "formats"], "farbfeld")],
        [["tests/io/io_round_trip"]],
        ("src/io/raw/farbfeld_write.c", "(uint8_t)(sample >> 8)", "(uint8_t)(sample >> 7)"),
        (["tests/io/io_round_trip"], "codec farbfeld")),
    "option": Addition(
        "An option of the library and the command",
        [(["cli/swathe", "apply", "--help"], "--most-region")],
        [REGION + ["16"]],
        ("src/api.c", "o->most_region / o->region.height)", "o->most_region)"),
        (REGION + ["3"], "most_region")),
}


def files_of(patch):
    """Returns the files of a patch: source files and documents."""
    with open(patch, encoding="utf-8") as text:
        named = re.findall(r"^\+\+\+ b/(.*)$", text.read(), re.M)
    documents = [name for name in named if name.endswith(".md")]
    return len(named) - len(documents), len(documents)


def stated(page):
    """Returns {heading: (number of files, number of documents)}, from the page."""
    found = re.findall(r"^## (.*): (\d+) files?(?:, and (\d+) documents?)?$", page, re.M)
    return {heading: (int(files), int(documents or 0)) for heading, files, documents in found}


def copy_source(source, tree):
    """Copies the files that git tracks, or without git all files except builds."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source, capture_output=True)
    if listed.returncode != 0:
        shutil.copytree(source, tree, ignore=lambda folder, names: [
            name for name in names if os.path.exists(os.path.join(folder, name, "build.ninja"))])
        return
    for name in listed.stdout.decode().split("\0"):
        if name and os.path.exists(os.path.join(source, name)):
            os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
            shutil.copy(os.path.join(source, name), os.path.join(tree, name))


class Run:
    def __init__(self, tree):
        self.tree, self.build, self.failed = tree, os.path.join(tree, "build"), 0

    def check(self, held, what):
        print(("ok      " if held else "FAILED  ") + what)
        self.failed += not held

    def command(self, command):
        """Returns the exit status and all output; 77 means that the test was skipped. Planted bugs
        must not hang: the limit stops what does."""
        env = dict(os.environ, SWATHE_WISDOM="off", LC_ALL="C.UTF-8",
                   XDG_CACHE_HOME=os.path.join(self.build, "cache"))
        program = os.path.join(self.build, command[0])
        done = subprocess.run([program] + command[1:], cwd=self.build, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        return done.returncode, done.stdout.decode(errors="replace")

    def compile(self):
        """Compiles plain C and SSE only: a compiler without AVX halves the time."""
        if not os.path.exists(self.build):
            env = dict(os.environ, CC=os.path.join(HERE, "cc_without_avx.sh"))
            subprocess.run(["meson", "setup", self.build, self.tree, "-Dtests=true", "-Dwerror=true",
                            "-Dexamples=false", "-Dauto_features=disabled", "-Doptimization=0"],
                           env=env, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", self.build, "--quiet"] + TARGETS, check=True)

    def plant(self):
        for addition in ADDITIONS.values():
            if addition.fault:
                name, before, after = addition.fault
                path = os.path.join(self.tree, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                if text.count(before) != 1:
                    sys.exit(f"adding.py: {name} has {text.count(before)} of '{before}', not 1")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace(before, after))


def check_counts(run, source):
    with open(os.path.join(source, "docs/adding.md"), encoding="utf-8") as page:
        counts = stated(page.read())
    for name, addition in ADDITIONS.items():
        files, documents = files_of(os.path.join(HERE, name + ".patch"))
        want = counts.get(addition.heading)
        run.check((files, documents) == want,
                  f"{addition.heading}: {files} files and {documents} documents"
                  + ("" if want == (files, documents) else f", docs/adding.md has {want}"))


def check_additions(run):
    seen = {}
    for name, addition in ADDITIONS.items():
        for command, text in addition.shows:
            status, output = run.command(command)
            run.check(status == 0 and text in output, f"{name}: {' '.join(command)} shows {text}")
        for command in addition.tests:
            if tuple(command) not in seen:
                seen[tuple(command)] = run.command(command)
            status, output = seen[tuple(command)]
            run.check(status in (0, 77), f"{name}: {' '.join(command)}")
            if status not in (0, 77):
                print(output[-2000:])


def check_faults(run):
    for name, addition in ADDITIONS.items():
        command, text = addition.caught
        status, output = run.command(command)
        if command == OPENCL and run.skips_opencl:
            print("skipped: a fault in a strategy (no OpenCL device)")
            continue
        run.check(status != 0 and text in output, f"{name}: its fault is caught, naming {text}")


def main():
    source = os.path.abspath(sys.argv[1])
    folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="adding-")
    tree = os.path.join(folder, "tree")
    shutil.rmtree(tree, ignore_errors=True)
    copy_source(source, tree)
    run = Run(tree)
    try:
        check_counts(run, source)
        for name in ADDITIONS:
            subprocess.run(["patch", "--silent", "--force", "--fuzz=0", "-p1", "-i",
                            os.path.join(HERE, name + ".patch")], cwd=tree, check=True)
        run.compile()
        with open(os.path.join(run.build, "in.pgm"), "wb") as image:
            image.write(IMAGE)
        run.skips_opencl = run.command(["cli/swathe", "devices", "--check", "--device", "opencl:0",
                                        "--problems", "1"])[0] != 0
        if run.skips_opencl:
            ADDITIONS["strategy"].tests.clear()
        check_additions(run)
        run.plant()
        run.compile()
        check_faults(run)
    finally:
        if len(sys.argv) <= 2:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(ADDITIONS)} additions, {run.failed} failures")
    return run.failed != 0


if __name__ == "__main__":
    sys.exit(main())
