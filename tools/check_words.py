#!/usr/bin/env python3
"""Searches for patterns that must not occur in certain directories: banned calls, TODO notes, paths
of one machine, and unclear words.

    check_words.py [TREE]
"""
import re

import tree

CODE = (".c", ".h", ".def")
# Directories whose texts must name who acts; see the last rule.
PLAIN = ("examples/", "src/cpu/", "src/gpu/", "tests/", "tools/")
TEXT = CODE + (".py", ".sh", ".build", ".md", ".txt", ".ini")


def calls(*names):
    return r"(?<![\w.>])(" + "|".join(names) + r")\s*\("


# Files that call the operating system. io/tiff/stream.c needs a constant for libtiff.
SYSTEM_FILES = tuple(f"src/base/os_{name}_{system}.c" for system in ("posix", "windows") for name in
                     ("console", "file", "library", "machine", "new_file", "path", "thread")
                     ) + ("src/base/cpu.c", "src/base/os_windows.c", "src/base/os_windows.h",
                          "src/io/tiff/stream.c")
# Directory, suffixes, pattern, files where it is allowed, and the reason. Rules for CODE ignore
# comments.
RULES = [
    ("src/", CODE, calls("malloc", "calloc", "realloc", "aligned_alloc", "free", "strdup"),
     ("src/base/memory.c", "src/base/os_file_windows.c"), "only base/memory.c allocates"),
    ("src/", CODE, calls("printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar",
                         "perror"), (), "the library never prints"),
    ("src/", CODE, calls("exit", "_exit", "abort", "system", "popen"),
     ("src/base/os_console_posix.c",),  # of programs
     "the library never exits, aborts or starts programs"),
    ("src/", CODE, calls("setlocale", "strtok", "localtime", "gmtime", "rand", "srand"),
     ("src/base/bounded_text.c",),
     "not re-entrant"),
    ("src/filter/", CODE, calls("exp", "exp2", "sin", "cos", "tan", "pow", "log", "atan2", "hypot"),
     (), "taps come from correctly rounded operations only"),
    ("src/", CODE, r'"(?:[^"\\\n]|\\.)*?(?<![-\w])--[a-z][\w-]*', ("src/gpu/drivers/hip.c",),
     "programs other than the command print the library's texts: name the subject, see base/status.h"),
    (("src/", "cli/"), CODE, r"#\s*include <(unistd|fcntl|poll|signal|dlfcn|glob|sched|io|windows|sys/\w+)\.h",
     SYSTEM_FILES, "calls of the operating system belong to src/base/os_*"),
    ("src/", CODE, calls("strerror"), ("src/base/status.c",), "use fail_system"),
    ("", CODE, calls("alloca", "gets", "strcpy", "strcat", "sprintf", "vsprintf"), (),
     "does not limit how much it writes"),
    ("", TEXT, r"\b(TODO|FIXME|XXX)\b", ("tools/check_words.py",), "do it, or remove the note"),
    ("", TEXT, r"(?<![\w.$}])/(work|root|home|tmp/build|Users)/", ("tools/check_words.py",),
     "a path of one machine"),
    ("", TEXT, r"(?i)\b(rubbish|goes? on past|made photographs?|closer to round|claims? much)\b",
     ("tools/check_words.py",), "a private word: use the term of the field"),
    (PLAIN, TEXT, r"(?i)\b(whoever|somebody|nobody|anew|afar)\b", ("tools/check_words.py",),
     "name the caller, the thread, the file or the value"),
]


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group(0).count("\n"), text,
                  flags=re.DOTALL)


def check_file(path, text):
    for folder, suffixes, pattern, but, why in RULES:
        if not path.startswith(folder) or not path.endswith(suffixes) or path in but:
            continue
        searched = without_comments(text) if suffixes is CODE else text
        for match in re.finditer(pattern, searched):
            number = searched.count("\n", 0, match.start()) + 1
            yield f"{path}:{number}: {match.group(0).strip()}: {why}"


def check(root):
    return [problem for path in tree.files(root, *TEXT)
            for problem in check_file(path, "\n".join(tree.lines(root, path)))]


if __name__ == "__main__":
    tree.finish("words", check(tree.root_argument()))
