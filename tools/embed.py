#!/usr/bin/env python3
"""Writes C source with the text of files in order, as what one function returns.

    embed.py OUTPUT FUNCTION FILE...

Their own #include "..." lines are left out: all they name is among the files, before its readers.
The text stands there as numbers, since C promises no string literals of that length.
"""
import sys


def text_of(path):
    with open(path, encoding="ascii") as file:
        return "".join(line for line in file if not line.startswith('#include "'))


def main(output, function, *paths):
    text = "".join(text_of(path) for path in paths).encode()
    rows = [", ".join(str(byte) for byte in text[at:at + 24]) for at in range(0, len(text), 24)]
    with open(output, "w", encoding="ascii") as file:
        file.write(f"const char *{function}(void);\n\nstatic const char text[] = {{\n    "
                   + ",\n    ".join(rows + ["0"])
                   + f"}};\n\nconst char *{function}(void)\n{{\n    return text;\n}}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
