#!/usr/bin/env python3
"""Follows the README in an empty directory, as a new user would.

    readme_check.py SOURCE_DIR BUILD_DIR

Blocks marked ```sh must succeed; in blocks marked ```console each `$ command` must print the lines
below it; a ```c or ```cpp block is saved under the name in its first comment. A block after `<!--
not run: why -->` is skipped, and so is Python, which tests/python/docs_run.py runs. The directory
initially contains photo.jpg of the gallery. Relative links in the documents must exist.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "NEWS.md", "docs/gallery/gallery.md"]
BLOCK = re.compile(r"^(<!-- not run: .*? -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The kernels that run, their rows at a time and their speed depend on the CPU.
MACHINE = re.compile(r"\S+ on \S+(?=, \d+ taps?\b)|[\d.]+ \S?i?B of (rows|scratch)|"
                     r"\S+ ms predicted.*|about \S+ ms .*")


def environment(build):
    path = os.path.join(build, "cli") + os.pathsep + os.environ["PATH"]
    found = dict(os.environ, PATH=path, LC_ALL="C", SWATHE_WISDOM="off",
                 LD_LIBRARY_PATH=os.path.join(build, "src"),
                 PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"))
    found.pop("SWATHE_ISA", None)
    return found


def shell(command, folder, build):
    return subprocess.run(["sh", "-eu", "-c", command], cwd=folder, env=environment(build),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)


def run_sh(text, folder, build):
    done = shell(text, folder, build)
    if done.returncode != 0 or done.stdout:
        yield f"{text}exit code {done.returncode}, printed: {done.stdout}"


def run_console(text, folder, build):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, wanted = part.split("\n", 1)
        got = shell(command, folder, build).stdout
        if MACHINE.sub("", got) != MACHINE.sub("", wanted):
            yield f"$ {command}\nshould print:\n{wanted}prints:\n{got}"


def save_c(text, folder, _build):
    name = re.match(r"/\* (\w+\.(?:c|cpp)):", text)
    if not name:
        yield f"a C block without a name in its first comment:\n{text}"
        return
    with open(os.path.join(folder, name.group(1)), "w", encoding="utf-8") as file:
        file.write(text)


def check_block(match, folder, build):
    skipped, language, text = match.groups()
    if skipped:
        print("skipped:", text.splitlines()[0], "...")
        return []
    if language == "python":
        return []  # tests/python/docs_run.py runs these
    run = {"sh": run_sh, "console": run_console, "c": save_c, "cpp": save_c}.get(language)
    return list(run(text, folder, build)) if run else [f"a block marked {language!r}:\n{text}"]


def check_links(source, document):
    with open(os.path.join(source, document), encoding="utf-8") as file:
        text = file.read()
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        path = os.path.join(source, os.path.dirname(document), target)
        if "://" not in target and not os.path.exists(path):
            yield f"{document}: no {target}"


def main(source, build):
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    problems = [problem for document in DOCUMENTS for problem in check_links(source, document)]
    blocks = list(BLOCK.finditer(readme))
    with tempfile.TemporaryDirectory(prefix="swathe-readme-") as folder:
        shutil.copy(os.path.join(source, "docs/gallery/photo.jpg"), folder)
        for match in blocks:
            problems += check_block(match, folder, build)
    print("\n".join(problems + [f"{len(blocks)} blocks, {len(problems)} problems"]))
    return 1 if problems or not blocks else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:3])))
