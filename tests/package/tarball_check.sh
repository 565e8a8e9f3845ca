#!/usr/bin/env bash
# Builds the source tarball twice and checks that it is reproducible and complete:
#     tarball_check.sh DIRECTORY    DIRECTORY is for the tarball
# The second build is from a clone in another directory, at another time, with another umask, time zone,
# locale and git configuration. A third one, from a commit with one more byte, must differ.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d -t swathe-tarball.XXXXXX)
trap 'rm -rf "$work"' EXIT

first_time=$(date +%s)
tools/tarball "$out"
name=$(basename "$out"/swathe-*.tar.xz)

mkdir -p "$work/home" "$work/another place"
git -c advice.detachedHead=false clone -q --no-local --depth 1 "file://$PWD" "$work/another place/clone"
printf '[tar]\n\tumask = 0077\n[core]\n\tautocrlf = true\n' > "$work/home/.gitconfig"
while [ "$(date +%s)" = "$first_time" ]; do sleep 0.1; done
(
    umask 0077
    export HOME=$work/home TZ=Asia/Tokyo LC_ALL=C.UTF-8
    "$work/another place/clone/tools/tarball" "$work/second"
)
cmp "$out/$name" "$work/second/$name"

(
    cd "$work/another place/clone"
    echo >> README.md
    git -c user.name=x -c user.email=x@example.org commit -q -a -m 'docs: plant a line'
    tools/tarball "$work/third" > /dev/null
)
if cmp -s "$out/$name" "$work/third/$name"; then
    echo "a change did not reach the tarball"
    exit 1
fi

# Complete: every tracked file and nothing else, with plain modes and owners.
tar -tf "$out/$name" | sed -n 's,^[^/]*/,,p' | grep '[^/]$' | sort > "$work/packed"
git -c core.quotePath=false ls-tree -r --name-only HEAD | sort | diff - "$work/packed"
if tar -tvf "$out/$name" | grep -Ev '^[-dl]rwxr-xr-x root/root |^-rw-r--r-- root/root |^lrwxrwxrwx root/root '; then
    echo "these files have other modes or owners"
    exit 1
fi
echo "$name: $(wc -l < "$work/packed") files, equal in two builds"
