#!/usr/bin/env python3
"""Checks that every checker in tools/ reports the faults planted for it, and passes a clean tree.

    planted_checks.py TOOLS
"""
import os
import shutil
import subprocess
import sys
import tempfile

HEADER = "include/swathe/swathe.h"
FUNCTION = "SWATHE_API int swathe_{0}(void);\n"
DOCUMENTED = "/* What it does. */\n" + FUNCTION
NUMBERS = "".join(f"#define SWATHE_VERSION_{name} {value}\n"
                  for name, value in (("MAJOR", 1), ("MINOR", 2), ("PATCH", 3)))
CLEAN = {
    HEADER: NUMBERS + DOCUMENTED.format("one"),
    "VERSION": "1.2.3\n",
    "NEWS.md": "# News\n\n## 1.2.3 (not released)\n\n## 1.2.2 (2026-01-01)\n",
    "README.md": "Version 1.2.3, not released. See docs/files.txt.\n",
    "meson.build": "project('x', version: files('VERSION'))\n",
    "pyproject.toml": 'dynamic = ["version"]\n',
    "debian/changelog": "swathe (1.2.3-1) unstable; urgency=medium\n",
    "deploy/kubernetes.yaml": "image: x/swathe-fleet:1.2.3\n",
    "src/base/one.c": '#include "base/one.h"\n\nstatic int one_more(void)\n{\n    return 1;\n}\n\n'
                      "int one(void)\n{\n    return one_more();\n}\n",
    "src/base/one.h": "int one(void); /* not --one */\n",
    "src/io/two.c": '#include "image/three.h"\n#include "swathe/swathe.h"\n',
    "src/image/three.h": '#include "base/one.h" /* calls malloc() */\n',
    "src/io/four.h": "int four(void);\n",
    "src/io/five.h": '#include "io/four.h"\n',
    "cli/main.c": '#include "swathe/swathe.h"\n#include "words.h"\n',
    "cli/words.h": "int words(void);\n",
}
CLEAN["docs/files.txt"] = "\n".join(CLEAN) + "\n"
LONG_FUNCTION = "int one(void)\n{\n" + "    one();\n" * 30 + "}\n"

# Checker, file to plant, its content, and the expected message.
PLANTED = [
    ("format", "src/base/bad.c", "int  a;\n", "src/base/bad.c:1:4: error"),
    ("format", "docs/bad.md", "text \n", "docs/bad.md:1: trailing space"),
    ("format", "tools/bad.py", "\tpass\n", "tools/bad.py:1: tab"),
    ("format", "debian/rules", "all:\n\techo\ta\n", "debian/rules:2: tab"),
    ("format", "meson.build", "project('x')", "meson.build: no newline"),
    ("includes", "src/io/bad.c", '#include "filter/op.h"\n',
     "src/io/bad.c:1: src/io may not include filter/op.h"),
    ("includes", "src/base/bad.h", '#include "image/view.h"\n', "src/base/bad.h:1: src/base may"),
    ("includes", "src/cpu/bad.c", ' # include "plan/plan.h"\n', "src/cpu/bad.c:1: src/cpu may"),
    ("includes", "cli/bad.c", '#include "base/one.h"\n', "cli/bad.c:1: cli may not"),
    ("includes", "cli/bad.c", '#include "../src/base/text.h"\n', "cli/bad.c:1: cli may"),
    ("includes", "examples/bad.c", '#include "../src/base/one.h"\n', "examples/bad.c:1: examples"),
    ("includes", "src/io/four_text.c", '#include "io/five.h"\n',
     "src/io/five: circular includes: src/io/five > src/io/four > src/io/five"),
    ("includes", "docs/design.md", "\n", "tools/check_includes.py: there is no src/plan/*"),
    ("names", "src/base/bad.c", "static int add(void)\n{\n}\n",
     "src/base/bad.c: add: start a static function"),
    ("names", "src/base/bad.c", "static int one_more(void)\n{\n}\n",
     "one_more: a static function of src/base/bad.c and of src/base/one.c"),
    ("sizes", "src/base/bad.c", "\n" * 601, "src/base/bad.c: 601 lines"),
    ("sizes", "examples/bad.c", "\n" * 60, "examples/bad.c: 60 lines"),
    ("sizes", "src/base/one.c", LONG_FUNCTION, "src: the median function has 33 lines"),
    ("header", HEADER, FUNCTION.format("bare"), "swathe.h:1: swathe_bare has no comment"),
    ("header", HEADER, DOCUMENTED.format("many") * 49, "49 functions, the limit is 48"),
    ("header", HEADER, CLEAN[HEADER] + "\n" * 600, "swathe.h: 605 lines, the limit is 600"),
    ("words", "src/base/bad.c", "p = malloc(1);\n", "src/base/bad.c:1: malloc(: only"),
    ("words", "src/io/bad.c", "    fprintf(stderr, text);\n", "src/io/bad.c:1: fprintf("),
    ("words", "src/bad.c", "\nabort();\n", "src/bad.c:2: abort("),
    ("words", "src/io/bad.c", 'fail(S, "raise it with --max-pixels");\n',
     'src/io/bad.c:1: "raise it with --max-pixels: programs'),
    ("words", "src/io/bad.def", 'ROW("a\\"b", "--tile")\n', 'src/io/bad.def:1: "--tile: programs'),
    ("words", "src/io/bad.c", "fail(S, strerror(errno));\n", "src/io/bad.c:1: strerror(: use"),
    ("words", "cli/bad.c", "#include <unistd.h>\n", "cli/bad.c:1: #include <unistd.h: calls of"),
    ("header", "src/io/bad.c", 'return fail_limit("max_pixel", 1, "x");\n',
     "src/io/bad.c: no public struct has a field max_pixel"),
    ("version", "VERSION", "1.2\n", "VERSION: '1.2' is not MAJOR.MINOR.PATCH"),
    ("version", "VERSION", "1.2.4\n", "debian/changelog: states 1.2.3, VERSION is 1.2.4"),
    ("version", HEADER, NUMBERS.replace("3", "4") + DOCUMENTED.format("one"), "swathe.h: states 1.2.4"),
    ("version", "NEWS.md", "# News\n\n## 1.3.0 (not released)\n", "NEWS.md: states 1.3.0"),
    ("version", "README.md", "A version.\n", "README.md: states no version"),
    ("version", "meson.build", "project('x', version: '1.2.3')\n", "meson.build: does not read"),
    ("version", "tools/bad.py", "__version__ = '1.2.0'\n", "tools/bad.py:1: states 1.2.0"),
    ("version", "docs/bad.md", "Get\nswathe-1.2.0.tar.xz\n", "docs/bad.md:2: states 1.2.0"),
    ("unused", "one.o", "", "one.o: no other file names it"),
    ("unused", "src/base/two.c", "", "src/base/two.c: no other file names it"),
    ("unused", "tests/README.md", "", "tests/README.md: no other file names it"),
    ("unused", "tools/bad.py", "import bad\n# bad.py\n", "tools/bad.py: no other file names it"),
    ("words", "docs/bad.md", "TO" + "DO\n", "docs/bad.md:1: "),
    ("words", "tests/bad.py", "open('/ro" + "ot/x')\n", "tests/bad.py:1: "),
    ("words", "docs/bad.md", "filled with rub" + "bish\n", "docs/bad.md:1: "),
    ("words", "tests/bad.c", "/* No" + "body waits. */\n", "tests/bad.c:1: No" + "body: name"),
]
SUBJECTS = [
    ("io: read strips", ""),
    ("Fixed it", "Fixed it: not `area: what changes`"),
    ("io: " + "x" * 69, "73 characters, the limit is 72"),
]
SYMBOLS = [
    ("int swathe_one(void);\nint swathe_one(void) { return 1; }\n", ""),
    ("int one(void);\nint one(void) { return 1; }\n", "one: exported, but does not start"),
    ("int swathe_new(void);\nint swathe_new(void) { return 1; }\n", "swathe_new: exported, but not"),
    ("int swathe_new(void);\n", "swathe_one: in the header, but not exported"),
]

failures = 0


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


def expect(what, command, said):
    """Checks that the command fails and prints `said`, or passes if `said` is empty."""
    global failures
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    output = done.stdout + done.stderr
    if (done.returncode == 1) == bool(said) and done.returncode in (0, 1) and said in output:
        return
    failures += 1
    print(f"{what}: must {'fail and print ' + repr(said) if said else 'pass'}, but the exit status "
          f"is {done.returncode} and the output:\n{output}")


def check_trees(tools):
    for check, path, text, said in PLANTED:
        tool = os.path.join(tools, f"check_{check}.py")
        with tempfile.TemporaryDirectory() as root:
            shutil.copy(os.path.join(tools, "..", ".clang-format"), root)
            for name, content in CLEAN.items():
                write(root, name, content)
            expect(f"{check} on a clean tree", [tool, root], "")
            write(root, path, text)
            expect(f"{check} on {path}", [tool, root], said)


def check_subjects(tools):
    tool = os.path.join(tools, "check_commits.py")
    for subject, said in SUBJECTS:
        with tempfile.TemporaryDirectory() as root:
            git = ["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x@example.org"]
            subprocess.run([*git, "init", "-q"], check=True)
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", subject], check=True)
            expect(f"commits on {subject!r}", [tool, root], said)


def check_symbols(tools):
    tool = os.path.join(tools, "check_symbols.py")
    for source, said in SYMBOLS:
        with tempfile.TemporaryDirectory() as root:
            write(root, HEADER, CLEAN[HEADER])
            write(root, "library.c", source)
            library = os.path.join(root, "library.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library,
                            os.path.join(root, "library.c")], check=True)
            expect(f"symbols on {source!r}", [tool, library, root], said)


ABI = [
    ("", "", ""),
    ("    int32_t threads; /*", "    int32_t planted;\n    int32_t threads; /*", "'int32_t planted'"),
    ("SWATHE_F32 = 4", "SWATHE_F32 = 5", "value_of_SWATHE_F32"),
]
DESCRIPTION = "abi/swathe.abi"


def check_description(tool, root):
    """Damages the stored description, then removes it."""
    write(root, DESCRIPTION, "<abi-corpus")
    expect("abi with a truncated description", [tool, root], f"{DESCRIPTION} differs")
    os.remove(os.path.join(root, DESCRIPTION))
    expect("abi without a description", [tool, root], f"{DESCRIPTION} differs")


def check_abi(tools):
    """Changes the real headers, which must then differ from the stored description."""
    tool, project = os.path.join(tools, "abi.py"), os.path.dirname(os.path.abspath(tools))
    if not shutil.which("abidw"):
        print("skipped: changes of the binary interface (abigail-tools is not installed)")
        return
    for before, after, said in ABI:
        with tempfile.TemporaryDirectory() as root:
            for name in ("include", "abi"):
                shutil.copytree(os.path.join(project, name), os.path.join(root, name))
            with open(os.path.join(root, HEADER), encoding="utf-8") as file:
                text = file.read()
            write(root, HEADER, text.replace(before, after) if before else text)
            expect(f"abi on {after!r}", [tool, root], said)
            if not before:
                check_description(tool, root)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_trees(sys.argv[1])
    check_subjects(sys.argv[1])
    check_symbols(sys.argv[1])
    check_abi(sys.argv[1])
    print(f"{len(PLANTED) + len(SUBJECTS) + len(SYMBOLS) + len(ABI)} planted, {failures} failed")
    sys.exit(1 if failures else 0)
