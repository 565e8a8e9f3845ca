"""The virtual environment with the peers. It is installed from PyPI at first use, in the user's
cache directory or at $SWATHE_PEERS_VENV, and created again when requirements.txt changes."""
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
MODEL = os.path.join(HERE, "..", "..", "tests", "independent")  # computes the expected results
REQUIRED = ("numpy", "scipy")  # used by the benchmark itself; all other packages are optional
UNAVAILABLE = 3  # exit status if a required package cannot be installed
PIP_LIMITS = "--retries=2", "--timeout=20"  # so that pip fails within a minute without a network


def folder():
    given = os.environ.get("SWATHE_PEERS_VENV")
    if given:
        return os.path.abspath(given)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "swathe", "peers-venv")


def python():
    return os.path.join(folder(), "bin", "python")


def packages():
    with open(REQUIREMENTS, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def is_required(package):
    return package.split("==")[0] in REQUIRED


def stamp():
    """Returns a hash of the packages and the Python version that the environment is made from."""
    text = "\n".join(packages() + [sys.version])
    return hashlib.sha256(text.encode()).hexdigest()


def stamp_path():
    return os.path.join(folder(), "peers-stamp")


def is_ready():
    try:
        with open(stamp_path(), encoding="utf-8") as file:
            return file.read() == stamp() and os.path.exists(python())
    except OSError:
        return False


def pip(*arguments):
    command = [python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               *PIP_LIMITS]
    return subprocess.run(command + list(arguments), stdout=sys.stderr, check=False).returncode == 0


def make():
    """Creates the environment. If the packages cannot be installed together, installs them one by
    one, so that an unavailable package disables only its own contender."""
    print(f"peers: creating the virtual environment {folder()}", file=sys.stderr, flush=True)
    os.makedirs(folder(), exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder()], check=True,
                   stdout=sys.stderr, cwd="/")
    if not pip("-r", REQUIREMENTS):
        for package in sorted(packages(), key=is_required, reverse=True):
            if pip(package):
                continue
            print(f"peers: cannot install {package}", file=sys.stderr, flush=True)
            if is_required(package):
                print(f"peers: the benchmark needs {package}; check that PyPI can be reached",
                      file=sys.stderr)
                raise SystemExit(UNAVAILABLE)
    with open(stamp_path(), "w", encoding="utf-8") as file:
        file.write(stamp())


def enter():
    """Creates the environment if it is missing, and restarts this program inside it."""
    if os.path.realpath(sys.prefix) == os.path.realpath(folder()):
        sys.path.insert(0, MODEL)
        return
    if not is_ready():
        make()
    os.execv(python(), [python()] + sys.argv)


# ---- Held to AVX2, or to AVX-512 ----------------------------------------------------------------------------

# With --hold avx2, every contender is held to AVX2. Most libraries read their switch when they are loaded, so
# the measuring process gets the variables of SWITCHES. Each contender's beyond_avx2() returns what it would
# use beyond AVX2 nevertheless, or None. With --hold avx512, Swathe does not use matrix units; no peer does.
VARIABLE = "SWATHE_PEERS_HELD"
ABOVE_AVX2 = (1 << 9) - 1  # the targets of Highway above its AVX2, one bit each
SWITCHES = {"OPENCV_CPU_DISABLE": "AVX512-SKX",
            "OPENCV_IPP": "avx2",  # the IPP inside OpenCV
            "VIPS_VECTOR": str(ABOVE_AVX2),
            "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
            "OPENBLAS_CORETYPE": "Haswell"}
HOLDS = "avx512", "avx2"
HELD = os.environ.get(VARIABLE)
AVX2 = HELD == "avx2"


def switches(held):
    """Returns the environment variables of a measuring process that is held, or not: None."""
    own = {VARIABLE: held} if held else {}
    return {**own, **(SWITCHES if held == "avx2" else {})}


def cpu_exceeds_avx2():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return any(line.startswith("flags") and " avx512f" in line for line in file)
