"""The virtual environment that the peers live in: made from PyPI at first use, kept in the user's
cache folder or at $SWATHE_PEERS_VENV, and made anew when requirements.txt changes."""
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
MODEL = os.path.join(HERE, "..", "..", "tests", "independent")  # what the expected results rest on
NEEDED = ("numpy", "scipy")  # the ruler itself computes with these; all others may be missing
UNAVAILABLE = 3  # exit status: these are not to be had
PATIENCE = "--retries=2", "--timeout=20"  # of pip, so that a lack of network shows within a minute


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


def is_needed(package):
    return package.split("==")[0] in NEEDED


def stamp():
    """What the environment was made from."""
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
               *PATIENCE]
    return subprocess.run(command + list(arguments), stdout=sys.stderr, check=False).returncode == 0


def make():
    """All packages at once, or else one by one, so that one that is not to be had here costs only
    its own contender."""
    print(f"peers: making the virtual environment {folder()}", file=sys.stderr, flush=True)
    os.makedirs(folder(), exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder()], check=True,
                   stdout=sys.stderr, cwd="/")
    if not pip("-r", REQUIREMENTS):
        for package in sorted(packages(), key=is_needed, reverse=True):
            if pip(package):
                continue
            print(f"peers: {package} cannot be installed here", file=sys.stderr, flush=True)
            if is_needed(package):
                print("peers: without it there is no ruler; is PyPI reachable?", file=sys.stderr)
                raise SystemExit(UNAVAILABLE)
    with open(stamp_path(), "w", encoding="utf-8") as file:
        file.write(stamp())


def enter():
    """Makes the environment where it is missing and runs this program again inside of it."""
    if os.path.realpath(sys.prefix) == os.path.realpath(folder()):
        sys.path.insert(0, MODEL)
        return
    if not is_ready():
        make()
    os.execv(python(), [python()] + sys.argv)
