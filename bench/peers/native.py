"""Compiles C helpers at first use and stores them in the virtual environment."""
import ctypes
import hashlib
import os
import subprocess

import environment


class NoCompiler(Exception):
    """A helper could not be compiled; the text is the reason."""


def compiler():
    return os.environ.get("CC", "cc").split()


def fingerprint(sources, flags):
    digest = hashlib.sha256(" ".join(compiler() + flags).encode())
    for name in sources:
        with open(os.path.join(environment.HERE, name), "rb") as file:
            digest.update(file.read())
    with open("/proc/cpuinfo", "rb") as file:  # -march=native depends on the CPU
        digest.update(b"".join(sorted({line for line in file if line.startswith(b"flags")})))
    return digest.hexdigest()[:16]


def load(name, sources, flags=()):
    """Returns the shared library of the C files among `sources`. It is compiled again if any of
    the sources, which include headers, has changed."""
    flags = ["-std=gnu17", "-O3", "-march=native", "-fPIC", "-shared", "-pthread", *flags]
    path = os.path.join(environment.folder(), f"{name}-{fingerprint(sources, flags)}.so")
    if not os.path.exists(path):
        fresh = f"{path}.{os.getpid()}"
        files = [os.path.join(environment.HERE, file) for file in sources if file.endswith(".c")]
        command = compiler() + files + flags + ["-o", fresh]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise NoCompiler(f"no C compiler: {error}") from error
        if done.returncode != 0:
            raise NoCompiler((done.stderr.strip().splitlines() or ["cc failed"])[0])
        os.replace(fresh, path)
    return ctypes.CDLL(path)
