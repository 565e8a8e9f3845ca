#!/usr/bin/env bash
# Installs a wheel as users do, and uses it:
#     wheel_check.sh WHEEL CACHE
# In an empty virtual environment of each CPython from 3.11 that is found, and in a new Debian system
# without compilers and libraries. CACHE keeps that system (230 MB) and NumPy for the next run. The
# Debian system needs mmdebstrap and root; otherwise it is skipped, with status 77.
set -euo pipefail
wheel=$(realpath "$1")
mkdir -p "$2"
cache=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d -t swathe-wheel-check.XXXXXX)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONPATH LD_LIBRARY_PATH
cd "$work"

# interpreters: one path per version from 3.11, as venv needs it.
interpreters() {
    local path
    for path in python3 python3.{11..20} "${HOME-}"/.pyenv/versions/*/bin/python3 /usr/bin/python3; do
        "$path" -c 'import sys, venv, ensurepip
import sysconfig
if sys.version_info >= (3, 11) and sys.implementation.name == "cpython" and \
        sys.version_info.releaselevel == "final" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    print("%d.%d" % sys.version_info[:2], sys.executable)' 2> /dev/null || true
    done | sort -V -u -k 1,1
}

in_venv() {
    local start=$SECONDS
    "$2" -m venv "venv-$1"
    "venv-$1/bin/pip" install -q "$wheel"
    "venv-$1/bin/python" -I "$here/wheel_use.py" "venv-$1/bin/swathe"
    "venv-$1/bin/python" "$here/docs_run.py" README.md
    echo "Python $1: $((SECONDS - start)) s"
}

# make_debian: an archive of a minimal system with Python.
make_debian() {
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv \
        --aptopt='Apt::Install-Recommends "false"' bookworm "$work/debian.tar"
    mv "$work/debian.tar" "$cache/debian.tar"
}

in_debian() {
    local start=$SECONDS root=$work/debian
    [ -e "$cache/debian.tar" ] || make_debian
    mkdir "$root"
    tar -xf "$cache/debian.tar" -C "$root" --exclude='./dev/*'
    python3 -m pip download -q --only-binary :all: --python-version 3.11 -d "$cache/numpy" numpy
    mkdir "$root/wheels"
    cp "$wheel" "$cache"/numpy/*.whl "$root/wheels"
    mkdir "$root/tree"
    (cd "$here/../.." && cp --parents README.md docs/gallery/photo.jpg \
        tests/docs/page_session.py tests/python/docs_run.py tests/python/wheel_use.py "$root/tree")
    cat > "$root/wheels/run" << 'EOF'
set -eu
mount -t proc proc /proc
python3 -m venv /venv
/venv/bin/pip install -q --no-index --find-links /wheels swathe
/venv/bin/python -I /tree/tests/python/wheel_use.py /venv/bin/swathe
/venv/bin/python /tree/tests/python/docs_run.py README.md
if command -v cc || ls /usr/lib/*/libtiff* 2> /dev/null; then
    echo "this system is not clean" >&2
    exit 1
fi
EOF
    mknod -m 666 "$root/dev/null" c 1 3
    mknod -m 666 "$root/dev/urandom" c 1 9
    # /proc disappears with the mount namespace.
    unshare --mount --pid --fork chroot "$root" /bin/sh /wheels/run
    echo "Debian: $((SECONDS - start)) s"
}

count=0
while read -r version path; do
    in_venv "$version" "$path"
    count=$((count + 1))
done < <(interpreters)
if [ "$count" = 0 ]; then
    echo "no CPython from 3.11 was found" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap > /dev/null ||
    ! mknod -m 666 "$work/null" c 1 3 || ! unshare --mount --pid --fork true; then
    echo "skipped: the wheel in a new Debian system (needs root, mmdebstrap, mknod and unshare)"
    exit 77
fi
in_debian
