"""Runs the blocks of a page in an empty directory, as a reader would: one shell from its first line to
its last.

A block marked ```sh must succeed and print nothing; in ```console each `$ command` must print the
lines below it; ```c and ```cpp are saved under the name in their first comment; ```pycon is an
interactive session of Python, one for the whole page. ```python is left to tests/python/docs_run.py.
A file that the page asks for, as in `Save [photo.jpg](../gallery/photo.jpg)`, is copied. ```text is for
what is neither code nor output. A comment in the line before a block changes what becomes of it:

    <!-- not run: why -->                  it is only shown
    <!-- measures -->                      ```sh whose output depends on the machine; it must print something
    <!-- measures, run with "A" for "B" -->    the same, with A wherever the block has B, to take less time

Any other mark, a block that is indented instead of marked, and a command in ```text are errors, so that
no block is forgotten. Pages of formulas may indent these.
"""
import collections
import doctest
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

BLOCK = re.compile(r"^(?:<!-- (?:not run: (?P<why>[^\n]+?)|(?P<measures>measures)"
                   r'(?:, run with "(?P<new>[^"\n]+)" for "(?P<old>[^"\n]+)")?) -->\n)?'
                   r"```(?P<language>\w*)\n(?P<text>.*?)^```$|"
                   r"\bSave \[(?P<name>[\w.]+)\]\((?P<file>[^)]+)\)", re.MULTILINE | re.DOTALL)
# What looks like a block or its mark, and is none.
FORGOTTEN = re.compile(r"^ *(?:```|~~~).*|^<!-- (?:not run|measures).*", re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)(?: {4,}\S.*\n)+", re.MULTILINE)
TYPED = re.compile(r"^ *(?:\$ |>>> |(?:sudo|swathe|swathe-fleet|python3?|meson|pip|(?:build|bench|tests|tools)/\S+) )",
                   re.MULTILINE)
# The kernels that run, their rows at a time, their speed and the time depend on the machine.
MACHINE = re.compile(r"\S+ on \S+(?=, \d+ taps?\b)|[\d.]+ \S?i?B of (rows|scratch)|"
                     r"\S+ ms predicted.*|about \S+ m?s .*|[\d.]+ s, [\d.]+/s|(; )?[\d.]+ (images|jobs)/s(, .*left)?|"
                     r"spans of \d+ columns|\d+ slots on \d+ CPUs?|for [\d.]+ s$|\(\d+ bytes\)|"
                     r'(?<=worker )\S+-\d+\b|"seconds": [\d.]+, "rate": [\d.]+', re.MULTILINE)
# What the shell says about processes that it started in the background.
ENDED = re.compile(r"^bash: line \d+: +\d+ (Killed|Terminated) .*\n", re.MULTILINE)
COMMAND = re.compile(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", re.DOTALL)
# Lines about progress come at intervals, so their number depends on the machine.
PROGRESS = re.compile(r'(\{"event": "progress"[^\n]*\n)+')
TEXT, ELSEWHERE = "neither code nor output", "another test runs it"
SECONDS = 120
END = "end-of-command-7c1f"


def forgotten(text, formulas=False):
    """Blocks without a mark and marks without a block, which would not run. Indented blocks may be
    `formulas`."""
    rest = BLOCK.sub("", text)
    blocks = [block for block in INDENTED.findall(rest) if not formulas or TYPED.search(block)]
    return [f"neither run nor marked: {block}" for block in blocks + FORGOTTEN.findall(rest)]


def comparable(output):
    """Output without what depends on the machine."""
    return MACHINE.sub("", PROGRESS.sub(lambda match: re.sub(r"\d+", "", match[1]), output))


def summary(ran, shown):
    """How many blocks ran, and how many did not for each reason."""
    reasons = sorted(collections.Counter(shown).items())
    return "\n".join([f"{ran} blocks run, {len(shown)} shown only:" if shown else f"{ran} blocks run",
                      *(f"{count:6} {why}" for why, count in reasons)])


def command_in_text(text):
    found = TYPED.search(text)
    return [f"a command in a block of text, which is not run:\n{text}"] if found else []


def environment_of_build(build):
    """The command and the library as they are in a build directory."""
    return environment(os.path.join(build, "cli"), os.path.join(build, "src"),
                       os.path.join(build, "meson-uninstalled"))


def environment_of_prefix(prefix):
    """Everything that was installed, with the Python package."""
    def find(name):
        found = [folder for folder, folders, files in os.walk(prefix) if name in folders + files]
        assert found, f"{prefix} has no {name}"
        return found[0]

    packages = next(folder for folder, folders, _ in os.walk(prefix)
                    if folder.endswith("-packages") and "swathe" in folders)
    found = environment(os.path.join(prefix, "bin"), find("libswathe.so"), find("swathe.pc"))
    return dict(found, PYTHONPATH=packages, PYTHONDONTWRITEBYTECODE="1")


def environment(programs, libraries, pkg_config):
    # Debian has servers in /usr/sbin, which users may lack.
    path = os.pathsep.join([programs, os.path.dirname(sys.executable), os.environ["PATH"], "/usr/sbin"])
    found = dict(os.environ, PATH=path, LC_ALL="C", SWATHE_WISDOM="off", LD_LIBRARY_PATH=libraries,
                 PKG_CONFIG_PATH=pkg_config)
    found.pop("SWATHE_ISA", None)
    return found


def own_network():
    """The start of a command that has the loopback interface for itself, so that servers get the ports
    that the page names. Empty without the rights to do so."""
    before = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    try:
        done = subprocess.run([*before, "true"], capture_output=True)
    except FileNotFoundError:
        return []
    return before if done.returncode == 0 else []


class Shell:
    """A shell that runs one command after another. Its end ends all that it started."""

    def __init__(self, folder, env, before=()):
        self.process = subprocess.Popen(
            [*before, "bash", "--norc", "--noprofile"], cwd=folder, env=env, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def run(self, text):
        """The output of commands, and the status of the last that failed."""
        try:
            self.process.stdin.write(
                f"failed=0; trap 'failed=$?' ERR; eval {shlex.quote(text)} < /dev/null; trap - ERR; "
                f"printf '\\n{END} %d\\n' $failed\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return "(the shell has ended)\n", -1
        output = ""
        while True:
            try:
                line = self.lines.get(timeout=SECONDS)
            except queue.Empty:
                return output + f"(nothing more for {SECONDS} s)\n", -1
            if line is None:
                return output + "(the shell ended)\n", -1
            if line.startswith(END):
                return ENDED.sub("", output.removesuffix("\n")), int(line.split()[1])
            output += line

    def close(self):
        """Ends the shell and what it started."""
        for number, seconds in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(timeout=seconds)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass


class Session:
    """A reader who follows a page in `folder`, `alone` on the network. `elsewhere` has languages that
    another test runs."""

    def __init__(self, page, folder, env, alone=False, elsewhere=()):
        self.page, self.folder, self.env, self.elsewhere = page, folder, env, elsewhere
        self.shell = Shell(folder, env, own_network() if alone else ())
        self.examples, self.sessions = "", 0
        self.ran, self.shown = 0, []  # the number of blocks that ran, and why others were only shown

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.close()

    def follow(self, formulas=False):
        """Runs all blocks in order. Returns what went wrong. Indented blocks may be `formulas`."""
        with open(self.page, encoding="utf-8") as file:
            text = file.read()
        blocks = list(BLOCK.finditer(text))
        self.sessions = sum(match["language"] == "pycon" and not match["why"] for match in blocks)
        if formulas:
            self.shown += [TEXT] * len(INDENTED.findall(text))
        return [*forgotten(text, formulas), *(problem for match in blocks for problem in self.block(match))]

    def block(self, match):
        text, language = match["text"], match["language"]
        if match["file"]:
            shutil.copy(os.path.join(os.path.dirname(self.page), match["file"]),
                        os.path.join(self.folder, match["name"]))
            return []
        why = match["why"] or self.not_here(language)
        if why:
            self.shown.append(why)
            return command_in_text(text) if why == TEXT else []
        self.ran += 1
        if match["measures"] and language == "sh":
            return list(self.measure(text, match["new"], match["old"]))
        run = {"sh": self.run_sh, "console": self.run_console, "c": self.save, "cpp": self.save,
               "pycon": self.run_pycon}.get(language)
        if not run or match["measures"]:
            return [f"a block marked {language!r}:\n{text}"]
        return list(run(text))

    def not_here(self, language):
        """Why blocks in this language are only shown; None if they are to be run."""
        return TEXT if language == "text" else ELSEWHERE if language in self.elsewhere else None

    def measure(self, text, new, old):
        """Runs the commands of a block, each of which must print something."""
        if old and old not in text:
            yield f"{text}has no {old!r}"
            return
        for command in (text.replace(old, new) if old else text).replace("\\\n", " ").splitlines():
            output, status = self.shell.run(command)
            if status != 0 or not output.strip():
                yield f"{command}\nexit code {status}, printed: {output}"

    def run_sh(self, text):
        output, status = self.shell.run(text)
        if status != 0 or output:
            yield f"{text}exit code {status}, printed: {output}"

    def run_console(self, text):
        before, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
        if before:
            yield f"does not begin with a command:\n{text}"
        for part in parts:
            command, wanted = COMMAND.match(part).groups()
            got, _ = self.shell.run(command.rstrip("\n"))
            if got and not got.endswith("\n"):
                got += "\n"
            if comparable(got) != comparable(wanted):
                yield f"$ {command}should print:\n{wanted}prints:\n{got}"

    def save(self, text):
        name = re.match(r"/\* (\w+\.(?:c|cpp)):", text)
        if not name:
            yield f"a C block without a name in its first comment:\n{text}"
            return
        with open(os.path.join(self.folder, name[1]), "w", encoding="utf-8") as file:
            file.write(text)

    def run_pycon(self, text):
        """All blocks of a page are one session, so they run together, with the last of them."""
        self.examples += text + "\n"
        self.sessions -= 1
        if self.sessions == 0:
            done = subprocess.run([sys.executable, __file__], cwd=self.folder, env=self.env,
                                  input=self.examples, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
            if done.returncode != 0:
                yield done.stdout


def run_examples(text):
    """Runs a session of Python and prints where its output differs."""
    test = doctest.DocTestParser().get_doctest(text, {}, "page", "page", 0)
    result = doctest.DocTestRunner().run(test)
    return result.failed > 0 or result.attempted == 0


if __name__ == "__main__":
    sys.exit(run_examples(sys.stdin.read()))
