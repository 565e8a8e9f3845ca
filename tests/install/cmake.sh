#!/bin/sh
# Uses an installed prefix as a CMake project does:
#     cmake.sh PREFIX DIRECTORY    DIRECTORY is for the build and output
# Then plants mistakes: a version that does not fit, and a prefix without the library.
set -eu
prefix=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
rm -rf cmake-*

version=$(find -L "$prefix/lib" -name swatheConfigVersion.cmake -exec \
    sed -n 's/^set(PACKAGE_VERSION "\(.*\)").*/\1/p' {} + | head -n 1)
minor=${version%.*}

# configure NAME PREFIX VERSION
configure() {
    cmake -S "$here" -B "cmake-$1" -DCMAKE_PREFIX_PATH="$2" -DWANTED="$3" > "cmake-$1.log" 2>&1
}

refused() {
    if configure "$@"; then
        echo "cmake.sh: $1: CMake accepted it"
        exit 1
    fi
}

configure exact "$prefix" "$version" || { cat cmake-exact.log; exit 1; }
cmake --build cmake-exact
./cmake-exact/bare
./cmake-exact/wrapper
configure minor "$prefix" "$minor"

refused later "$prefix" "$minor.999"
grep -q 'considered but not accepted' cmake-later.log
refused other_major "$prefix" 999
refused other_minor "$prefix" "${version%%.*}.999"

if [ "$prefix" != /usr ]; then
    # A moved prefix works; one without the library is reported.
    rm -rf cmake-moved_prefix && cp -r "$prefix" cmake-moved_prefix
    configure moved "$PWD/cmake-moved_prefix" "$minor"
    cmake --build cmake-moved > cmake-moved.log
    find cmake-moved_prefix -name 'libswathe.*' -delete
    refused gone "$PWD/cmake-moved_prefix" "$minor"
    grep -q 'the library is not in' cmake-gone.log
fi
echo "CMake: the target works, and what does not fit is refused"
