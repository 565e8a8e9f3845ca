#!/usr/bin/env python3
"""Damages copies of a wheel; tools/wheel_contents.py must accept the wheel and refuse each copy.

    wheel_planted.py WHEEL
"""
import os
import subprocess
import sys
import tempfile
import zipfile

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/wheel_contents.py")
COMMAND = "swathe/bin/swathe"
# What is damaged: a file to add, a file to leave out, a file to make not executable, the message.
DAMAGES = {
    "GPL library": ("swathe.libs/libjbig-0123abcd.so.0", None, None, "libjbig-0123abcd.so.0 is not"),
    "OpenMP": ("swathe.libs/libgomp-0123abcd.so.1.0.0", None, None, "libgomp-0123abcd.so.1.0.0 is"),
    "static library": ("swathe/libswathe.a", None, None, "libswathe.a does not belong"),
    "header": ("swathe-0.1.0.data/headers/swathe.h", None, None, "swathe.h does not belong"),
    "no extension": (None, "swathe/_swathe.abi3.so", None, "nothing in it matches"),
    "no command": (None, COMMAND, None, "nothing in it matches"),
    "mode": (None, None, COMMAND, "is not executable"),
}


def damage(wheel, copy, add, leave_out, plain):
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as to:
        for info in source.infolist():
            data = source.read(info)
            if info.filename == plain:
                info.external_attr = 0o100644 << 16
            if info.filename != leave_out:
                to.writestr(info, data)
        if add:
            to.writestr(add, b"")


def check(wheel):
    return subprocess.run([sys.executable, TOOL, wheel], capture_output=True, text=True)


def main(wheel):
    failures = [] if check(wheel).returncode == 0 else [f"{wheel}: {check(wheel).stderr}"]
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(wheel))
        for name, (add, leave_out, plain, message) in DAMAGES.items():
            damage(wheel, copy, add, leave_out, plain)
            done = check(copy)
            if done.returncode != 1 or message not in done.stderr:
                failures.append(f"{name}: not found: {done.returncode} {done.stderr}")
    print("\n".join(failures) or f"{len(DAMAGES)} damaged wheels were refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
