"""Starts the command `swathe`, which is a program in the package's directory.

A module of its own: importing anything from the package would import NumPy first.
"""
import os
import sys


def main() -> None:
    """Replace this process by the command, so that exit codes and signals are its own."""
    # Python ignores SIGPIPE and SIGXFSZ, and programs inherit that; the command ignores both itself.
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "swathe", "bin", "swathe")
    try:
        os.execv(path, ["swathe", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"swathe: {path}: {error.strerror}")
