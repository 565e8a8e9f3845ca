#!/bin/sh
# Uses an installed prefix as an outside project would: pkg-config, a C and a C++ compiler, and only
# the programs to compile from the source tree.
#     installed.sh PREFIX DIRECTORY    DIRECTORY is for compiled programs and output
set -eu
prefix=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"

pc=$(find "$prefix" -name swathe.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir swathe)
flags=$(pkg-config --cflags swathe)
libs="$(pkg-config --libs swathe) -Wl,-rpath,$lib"
warn="-Wall -Wextra -Wpedantic -Werror"

# Word splitting is intended: these are lists of flags.
# shellcheck disable=SC2086,SC2046
{
    for standard in c99 c11 c17; do
        cc -std=$standard $warn $flags "$here/bare.c" -o bare-$standard $libs
        ./bare-$standard
    done
    # The static library, with its dependencies.
    cc -std=c17 $warn $flags "$here/bare.c" -o bare-static -Wl,-Bstatic -lswathe \
        -Wl,-Bdynamic -L"$lib" $(pkg-config --static --libs swathe | sed 's/-lswathe//g')
    ./bare-static
    if ldd bare-static | grep -q libswathe; then
        echo "bare-static still needs the shared library"
        exit 1
    fi
    for standard in c++11 c++17; do
        c++ -std=$standard $warn $flags "$here/plus.cpp" -o plus-$standard $libs
        ./plus-$standard
    done
    c++ -std=c++17 $warn $flags "$here/wrapper.cpp" -o wrapper $libs
    ./wrapper
    c++ -std=c++17 $warn $flags "$here/../../examples/photo.cpp" -o photo_cpp $libs
    for example in own_source photo plan_once png_to_jpeg tiff_in_parts; do
        cc -std=c17 $warn $flags "$here/../../examples/$example.c" -o $example $libs
    done
}

./own_source ripple.pgm
./photo sharpen,gaussian:5 ripple.pgm sharp.pgm
./plan_once

LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
"$prefix/bin/swathe" --version
"$prefix/bin/swathe" apply sharpen,gaussian:5 ripple.pgm sharp2.pgm --overwrite
"$prefix/bin/swathe" compare sharp.pgm sharp2.pgm
"$prefix/bin/swathe" apply identity ripple.pgm small.png --region 640x480+4700+2800
./png_to_jpeg <small.png >small.jpg
"$prefix/bin/swathe" apply sharpen,gaussian:5 small.png small2.jpg --quality 85
cmp small.jpg small2.jpg
"$prefix/bin/swathe" apply identity small.png small.tif --tile 64 # read in parts, as PNG is not
./tiff_in_parts small.tif parts.tif
"$prefix/bin/swathe" apply sharpen,gaussian:5 small.tif whole.tif --tile 64
cmp parts.tif whole.tif
test -s "$prefix/share/man/man1/swathe.1"
test -s "$prefix/share/bash-completion/completions/swathe"
test ! -e "$prefix/bin/swathe-fleet" || test -s "$prefix/share/man/man1/swathe-fleet-submit.1"

# The command finds the benchmark program, even if the prefix was moved, and reports it if it is
# missing.
"$prefix/bin/swathe" bench --list > suites.txt
rm -rf moved && cp -r "$prefix" moved
mv "$prefix/libexec/swathe" away
status=0
moved/bin/swathe bench --list | cmp - suites.txt || status=$?
"$prefix/bin/swathe" bench --list 2> missing.txt || status=$((status + $?))
mv away "$prefix/libexec/swathe"
test $status -eq 7
grep "$prefix/libexec/swathe/swathe-bench is missing" missing.txt

# The same through CMake, if there is one.
if command -v cmake > /dev/null; then
    sh "$here/cmake.sh" "$prefix" .
else
    echo "skipped: CMake's configuration (cmake is not installed)"
fi
