#!/usr/bin/env python3
"""Passes if the expected checker finds a bug planted into the kernels or a device.

    planted_shim.py PLANT TEXT PROGRAM [ARGUMENT...]

PLANT is one of those of shim_check, or kernels; TEXT is the checker's message.
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
