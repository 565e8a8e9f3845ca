"""Uses an installed package and its command, and nothing but NumPy:

    python -I wheel_use.py PATH/TO/swathe
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import swathe
from swathe import _swathe

U8 = 1 # swathe_type
CODECS = {"a.png": [], "a.tif": [], "b.tif": ["--compression", "zstd"],
          "c.tif": ["--compression", "deflate"], "a.jpg": [], "a.webp": []}
COMMANDS = ([sys.argv[1]], [sys.executable, "-m", "swathe"])


def check_extension() -> None:
    image = np.zeros((48, 64), np.uint8)
    image[20, 30] = 255
    result = np.empty_like(image)
    plan = _swathe.Plan("gaussian:5", (64, 48, 1, U8, 0, 0), {})
    plan.run(image, result, 0, 1, -1)
    row = [4, 16, 24, 16, 4]
    expected = np.rint(np.outer(row, row) / 4096 * 255)
    assert np.array_equal(result[18:23, 28:33], expected), result[18:23, 28:33]
    assert result.sum(dtype=int) == expected.sum()


def check_formats(command: list[str], folder: str) -> None:
    """Each codec writes, reads and agrees with the image it was given."""
    source = os.path.join(folder, "in.pgm")
    pixels = np.linspace(0, 255, 32 * 24).astype(np.uint8)
    with open(source, "wb") as file:
        file.write(b"P5 32 24 255\n" + pixels.tobytes())
    for name, options in CODECS.items():
        made, back = os.path.join(folder, name), os.path.join(folder, name + ".ppm")
        subprocess.run([*command, "apply", "identity", source, made, *options], check=True)
        subprocess.run([*command, "apply", "identity", made, back], check=True)
        with open(back, "rb") as file:
            data = file.read()
        samples = np.frombuffer(data[-pixels.size * (3 if data[:2] == b"P6" else 1):], np.uint8)
        worst = np.abs(samples.reshape(pixels.size, -1)[:, 0].astype(int) - pixels).max()
        assert worst <= (0 if name.endswith(("png", "tif")) else 12), (name, worst)


def check_command(command: list[str]) -> None:
    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*command, *words], capture_output=True, text=True)
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith("swathe "), done
    done = run("apply", "no-such-filter", "a.png", "b.png")
    assert done.returncode not in (0, 1) and done.stderr.startswith("swathe: "), done
    done = run("info", "s3://bucket/photo.png")
    assert done.returncode == 7 and "the Python package, which has no s3:// support" in done.stderr, done
    with tempfile.TemporaryDirectory() as folder:  # an installed command, hidden by the package's
        other = shutil.copy(sys.executable, f"{folder}/swathe")
        scripts = os.path.dirname(command[0])
        done = subprocess.run([*command, "info", "s3://bucket/photo.png"], capture_output=True, text=True,
                              env=dict(os.environ, PATH=f"{scripts}:/nowhere::{folder}"))
        assert done.stderr.endswith(f"no s3:// support; use {other}\n"), done


def code_of_signal(command: list[str]) -> int:
    """Returns the exit code after SIGTERM; the process must be the command itself by then."""
    done = subprocess.Popen([*command, "apply", "identity", "-", "-", "--format", "png"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(500):
        if os.readlink(f"/proc/{done.pid}/exe").endswith("/swathe/bin/swathe"):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("the command did not replace Python")
    done.terminate()
    _, text = done.communicate(timeout=20)
    assert b"Traceback" not in text, text
    return done.returncode


if __name__ == "__main__":
    package = os.path.dirname(os.path.abspath(swathe.__file__))
    assert package.startswith(sys.prefix), package
    check_extension()
    for words in COMMANDS:
        check_command(words)
    codes = [code_of_signal(words) for words in ([package + "/bin/swathe"], *COMMANDS)]
    assert len(set(codes)) == 1 and codes[0], codes
    with tempfile.TemporaryDirectory() as directory:
        check_formats(COMMANDS[0], directory)
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}: the package and the command "
          f"work, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")
