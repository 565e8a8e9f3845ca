#!/bin/bash
# Builds Swathe for another system and tests it as far as this machine can run it:
#     portable_check.sh musl|wine|macos BUILD REFERENCE
# BUILD is an empty or earlier directory for builds, REFERENCE the normal command, whose results the
# other one's must equal. musl and macos need ziglang (PyPI) for $ZIG_PYTHON, or python3.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source=$here/../..
what=$1 build=$2 reference=$(realpath "$3")
mkdir -p "$build"
build=$(realpath "$build")
export SWATHE_WISDOM=off
# With CHECK_ALL=1, programs are optimized as in releases, and slow tests and second machines run, too.
options=${CHECK_ALL:+-Doptimization=3}
options=${options:--Doptimization=1}

# compare COUNT COMMAND: results of random commands
compare() {
    python3 "$here/same_results.py" "$reference" "$2" "$1" 1
}

# archive SYSTEM: builds and unpacks the archive, whose folder is then $folder.
archive() {
    ARCHIVE_OPTIONS="$options -Dwerror=true" "$source/tools/archive" "$1" "$build/archives" "$build/$1"
    folder=$build/archives/swathe-$(cat "$source/VERSION")-$1
    rm -rf "$folder"
    case $1 in
    windows*) python3 -m zipfile -e "$folder.zip" "$build/archives" ;;
    *) tar -xzf "$folder.tar.gz" -C "$build/archives" ;;
    esac
    ls "$folder/README.md" "$folder/NEWS.md" "$folder/LICENSE"
    grep -qi 'permission is hereby granted' "$folder/THIRD-PARTY"
}

# file_says WORDS FILE
file_says() {
    file "$2" | grep "$1"
}

check_musl() {
    archive linux-x86_64
    file_says 'statically linked' "$folder/swathe"
    compare 300 "$folder/swathe"
    [ -n "${CHECK_ALL:-}" ] || return 0
    archive linux-aarch64
    file_says 'statically linked' "$folder/swathe"
    compare 60 "qemu-aarch64 $folder/swathe"
}

# The names of all tests but those that take a minute, because mingw-w64 has no fast fused
# multiplication; CHECK_ALL=1 names them, too.
list_tests() {
    meson test -C "$build/windows-x86_64" --list 2> /dev/null | sed 's/.* \/ //' |
        if [ -n "${CHECK_ALL:-}" ]; then
            cat
        else
            grep -vxE 'spread|large_masks|properties|narrow|edge_floats|recorded|io_mangle'
        fi
}

check_wine() {
    local wine=/usr/lib/wine/wine64 windows=$build/windows-x86_64 tests
    export WINEPREFIX=$build/prefix WINEDEBUG=-all
    [ -f "$windows/build.ninja" ] || meson setup "$windows" "$source" --cross-file "$source/cross/windows.ini" \
        -Dauto_features=disabled "$options" -Dtests=true -Dwerror=true
    ninja -C "$windows"
    # Wine's services would otherwise keep the pipe of the first test open.
    /usr/lib/wine/wineserver64 -p
    trap '/usr/lib/wine/wineserver64 -k' EXIT
    $wine wineboot -i > /dev/null 2>&1 < /dev/null
    mapfile -t tests < <(list_tests)
    meson test -C "$windows" --no-rebuild --print-errorlogs -t 5 "${tests[@]}"
    archive windows-x86_64
    bash "$here/windows_files.sh" "$wine $folder/swathe.exe"
    compare 100 "$wine $folder/swathe.exe"
}

# Nothing here runs programs of macOS.
check_macos() {
    local machine
    for machine in aarch64 ${CHECK_ALL:+x86_64}; do
        archive "macos-$machine"
        file_says 'Mach-O 64-bit' "$folder/swathe"
    done
}

case $what in
musl | wine | macos) "check_$what" ;;
*) echo "portable_check.sh: musl, wine or macos, not $what" >&2 && exit 2 ;;
esac
echo "$what: passed"
