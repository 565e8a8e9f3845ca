#!/usr/bin/env python3
"""Writes C source of a function that returns the concatenated text of files.

    embed.py OUTPUT FUNCTION FILE...

Their own #include "..." lines are removed: every file that they name must come earlier in the list.
The text is an array of numbers, because C does not guarantee string literals of that length.
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
