#!/usr/bin/env python3
"""Passes when a bug planted into kernels or a device is found, by the checker that should find it.

    planted_shim.py PLANT TEXT PROGRAM [ARGUMENT...]

PLANT is race, read, divergence or kernels; TEXT is what the checker says.
"""
import os
import subprocess
import sys


def main(plant, text, command):
    done = subprocess.run(command, env=dict(os.environ, SWATHE_PLANT=plant), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    if done.returncode == 77:
        print(done.stdout)
        return 77
    if done.returncode == 0 or text not in done.stdout:
        print(f"not caught: exit status {done.returncode}\n{done.stdout}")
        return 1
    print(f"caught: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
