"""What a reader of a page has before its first block, besides the gallery's photo: files, servers, or a
clone of the sources with a build in it.

A page that is not here starts in an empty directory.
"""
import os
import shutil

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PHOTOS = """mkdir photos
for i in 1 2 3 4 5 6 7 8; do
    swathe apply gaussian:sigma=$i photo.jpg photos/lake-$i.jpg --region 320x240+0+0
done
"""
# The server ends with the shell, which keeps the pipe open.
STORE = f"""mkfifo pipe
python3 {ROOT}/tests/store/weed_server.py photos bucket < pipe > store.env 2> store.log &
exec 9> pipe
until grep -q ready store.env; do kill -0 $! || break; sleep 0.1; done
. ./store.env
"""
OBJECTS = """swathe apply identity photo.jpg s3://photos/in.jpg
for i in 1 2 3 4 5 6 7 8; do
    swathe apply identity photos/lake-$i.jpg s3://bucket/in/lake-$i.jpg
done
swathe apply identity photo.jpg s3://bucket/moon.tif --tile 256
"""
# The commands of each setting, the programs that the page needs, and whether it needs a clone.
SETTINGS = {"../CONTRIBUTING.md": ("", (), True),
            "batch.md": (PHOTOS, (), False),
            "benchmark.md": ("", (), False),
            "fleet.md": (PHOTOS + STORE + OBJECTS, ("nats-server", "weed"), True),
            "gpu.md": ("", (), False),
            "performance.md": ("", (), True),
            "store.md": (PHOTOS + STORE + OBJECTS, ("weed",), False),
            "tutorials/operator.md": (None, ("nats-server", "weed"), False)}


def missing(name, env, build):
    """What a page needs and this machine does not have."""
    _, programs, clone = SETTINGS.get(name, ("", (), False))
    lacks = [f"{program} is not installed" for program in programs
             if not shutil.which(program, path=env["PATH"])]
    return lacks + ["no build directory was given"] * (clone and not build)


def has_servers(name):
    """Whether a page starts servers, which have fixed ports."""
    return bool(SETTINGS.get(name, ("", (), False))[1])


def prepare(name, session, build):
    """Makes the setting of a page. Returns what went wrong."""
    commands, _, clone = SETTINGS.get(name, (None, (), False))
    if commands is None:
        return []
    shutil.copy(f"{ROOT}/docs/gallery/photo.jpg", session.folder)
    if clone:
        for part in ("bench", "tests"):
            os.symlink(f"{ROOT}/{part}", f"{session.folder}/{part}")
        os.symlink(build, f"{session.folder}/build")
    output, status = session.shell.run(commands)
    return [f"the setting failed with {status}: {output}"] if status != 0 or output else []
