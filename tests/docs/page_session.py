"""Runs the blocks of a page in an empty directory, as a reader would: one shell from its first line to
its last.

A block marked ```sh must succeed and print nothing; in ```console each `$ command` must print the
lines below it; ```c and ```cpp are saved under the name in their first comment; ```pycon is an
interactive session of Python, one for the whole page. ```python is left to tests/python/docs_run.py.
A file that the page asks for, as in `Save [photo.jpg](../gallery/photo.jpg)`, is copied. A block after
`<!-- not run: why -->` is skipped. Any other mark is an error, so that no block is forgotten; ```text
is for what is neither code nor output.
"""
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

BLOCK = re.compile(r"^(?P<skipped><!-- not run: .*? -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$|"
                   r"\bSave \[(?P<name>[\w.]+)\]\((?P<file>[^)]+)\)", re.MULTILINE | re.DOTALL)
# The kernels that run, their rows at a time, their speed and the time depend on the machine.
MACHINE = re.compile(r"\S+ on \S+(?=, \d+ taps?\b)|[\d.]+ \S?i?B of (rows|scratch)|"
                     r"\S+ ms predicted.*|about \S+ m?s .*|[\d.]+ s, [\d.]+/s|(; )?[\d.]+ images/s(, .*left)?|"
                     r"spans of \d+ columns|\d+ slots on \d+ CPUs?|for [\d.]+ s$|\(\d+ bytes\)", re.MULTILINE)
# What the shell says about processes that it started in the background.
ENDED = re.compile(r"^bash: line \d+: +\d+ (Killed|Terminated) .*\n", re.MULTILINE)
COMMAND = re.compile(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", re.DOTALL)
SECONDS = 120
END = "end-of-command-7c1f"


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
    """A reader who follows a page in `folder`."""

    def __init__(self, page, folder, env, alone=False):
        self.page, self.folder, self.env = page, folder, env
        self.shell = Shell(folder, env, own_network() if alone else ())
        self.examples, self.sessions = "", 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.close()

    def follow(self):
        """Runs all blocks in order. Returns their number and what went wrong."""
        with open(self.page, encoding="utf-8") as file:
            blocks = list(BLOCK.finditer(file.read()))
        self.sessions = sum(match["language"] == "pycon" for match in blocks)
        return len(blocks), [problem for match in blocks for problem in self.block(match)]

    def block(self, match):
        text, language = match["text"], match["language"]
        if match["file"]:
            shutil.copy(os.path.join(os.path.dirname(self.page), match["file"]),
                        os.path.join(self.folder, match["name"]))
            return []
        if match["skipped"]:
            print("skipped:", text.splitlines()[0], "...")
            return []
        run = {"sh": self.run_sh, "console": self.run_console, "c": self.save, "cpp": self.save,
               "pycon": self.run_pycon, "python": lambda _: [], "text": lambda _: []}.get(language)
        return list(run(text)) if run else [f"a block marked {language!r}:\n{text}"]

    def run_sh(self, text):
        output, status = self.shell.run(text)
        if status != 0 or output:
            yield f"{text}exit code {status}, printed: {output}"

    def run_console(self, text):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, wanted = COMMAND.match(part).groups()
            got, _ = self.shell.run(command.rstrip("\n"))
            if got and not got.endswith("\n"):
                got += "\n"
            if MACHINE.sub("", got) != MACHINE.sub("", wanted):
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
