#!/usr/bin/env bash
# Builds Debian packages from the source tarball in a new Debian system, and uses them in another one,
# which lacks the libraries of the build:
#     debian_check.sh TARBALL CACHE [SUITE]        SUITE is bookworm, or trixie
# lintian must find nothing, and the tests of debian/tests must pass: a filtered photo, programs in C and
# C++, a CMake project, Python, the benchmark, a fleet. TWICE=1 builds again in another directory, time
# zone and umask, without the compiler cache, and the packages must be equal. CACHE keeps the systems (1.5
# GB), which are made again after a week. PACKAGES names a directory to copy the packages to. Without root
# or mmdebstrap it is skipped, with status 77.
set -euo pipefail
tarball=$(realpath "$1")
suite=${3:-bookworm}
mkdir -p "$2/$suite/archives/partial" "$2/$suite/ccache"
cache=$(realpath "$2/$suite")
here=$(realpath "$(dirname "$0")")
name=$(basename "$tarball" .tar.xz)
version=${name#swathe-}
work=$(mktemp -d -t swathe-debian.XXXXXX)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/package/chroots.sh
. "$here/chroots.sh"

missing=$(chroots_missing)
if [ -n "$missing" ]; then
    echo "skipped: Debian packages in a new system (needs $missing)"
    exit 77
fi
chown 65534:65534 "$cache/ccache"

say() {
    echo "debian: $SECONDS s: $*"
}

# What tests may expect besides the packages, as in debian/tests/control.
make_clean() {
    local tools
    tools=$(sed -n 's/^Depends: //p' "$work/$name/debian/tests/control" |
        sed 's/, */\n/g' | grep -v swathe | sort -u | paste -sd ,)
    mmdebstrap --quiet --variant=apt --skip=cleanup/apt/lists --aptopt='Apt::Install-Recommends "false"' \
        --aptopt='Acquire::Retries "3"' \
        --include="$tools" "$suite" "$work/clean.tar"
    mv "$work/clean.tar" "$cache/clean.tar"
}

make_build() {
    unpack clean "$work/make"
    cp -r "$work/$name" "$work/make/build/source"
    inside "$work/make" apt-get -q -y --no-install-recommends install build-essential ccache lintian
    inside "$work/make" apt-get -q -y --no-install-recommends build-dep /build/source
    keep "$work/make" build
    rm -rf "$work/make"
}

# The systems depend on debian/control, and on Debian, which changes.
make_systems() {
    local key
    key=$(cat "$work/$name/debian/control" "$work/$name/debian/tests/control" | sha256sum)
    if [ "$(cat "$cache/key" 2> /dev/null)" = "$key" ] && [ -n "$(find "$cache/key" -mtime -7)" ]; then
        return
    fi
    rm -f "$cache/key"
    make_clean > "$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
    make_build > "$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
    echo "$key" > "$cache/key"
}

# build_in DIRECTORY TYPE [VARIABLE=VALUE...]: builds packages below /build/DIRECTORY.
build_in() {
    local folder=$1 type=$2
    shift 2
    mkdir -p "$work/build/build/$folder"
    cp "$tarball" "$work/build/build/$folder/swathe_$version.orig.tar.xz"
    tar -xf "$tarball" -C "$work/build/build/$folder"
    chown -R 65534:65534 "$work/build/build"
    # shellcheck disable=SC2016
    as_user "$work/build" env DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" DEB_BUILD_PROFILES=nocheck \
        CCACHE_DIR=/ccache PATH=/usr/lib/ccache:/usr/bin:/bin "$@" \
        sh -euc 'cd "$0"; umask "${UMASK:-022}"; dpkg-buildpackage -us -uc --build="$1"' \
        "/build/$folder/$name" "$type" > "$work/build.log" 2>&1 ||
        { tail -n 60 "$work/build.log"; exit 1; }
}

check_lintian() {
    local levels=error,warning
    # Later releases of Debian ask for things that Debian 12 does not know.
    [ "$suite" != bookworm ] || levels+=,info
    as_user "$work/build" sh -c "lintian --info --display-info --fail-on $levels /build/one/*.changes"
}

install_and_use() {
    mkdir -p "$work/clean/build/packages"
    cp "$work"/build/build/one/*.deb "$work/clean/build/packages"
    rm "$work"/clean/build/packages/*-dbgsym_*.deb
    cp -r "$work/$name" "$work/clean/build/source"
    chmod -R a+rX "$work/clean/build"
    cp "$here/installed_tests.sh" "$work/clean/build"
    inside "$work/clean" sh -euc 'apt-get -q -y --no-install-recommends install /build/packages/*.deb' \
        > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
    as_user "$work/clean" env -C /build/source sh /build/installed_tests.sh
    # shellcheck disable=SC2016
    inside "$work/clean" sh -euc 'apt-get -q -y purge "*swathe*" > /dev/null
        left=$(find / -xdev -path /proc -prune -o -path /build -prune -o -name "*swathe*" -print)
        if [ -n "$left" ]; then echo "left after purging: $left"; exit 1; fi'
}

# Names of packages with their sums, to compare.
sums() {
    (cd "$work/build/build/$1" && sha256sum ./*.deb)
}

tar -xf "$tarball" -C "$work"
make_systems
say "systems of $suite"
unpack build "$work/build"
unpack clean "$work/clean"
build_in one full
say "packages"
check_lintian > "$work/lintian.log" 2>&1 &
lintian=$!
install_and_use
say "installed, used and removed"
wait "$lintian" || { cat "$work/lintian.log"; exit 1; }
say "lintian finds nothing"
if [ -n "${TWICE-}" ]; then
    build_in 'another_place/two' binary CCACHE_DISABLE=1 TZ=Asia/Tokyo UMASK=077
    diff <(sums one) <(sums 'another_place/two')
    say "equal packages from another directory"
fi
if [ -n "${PACKAGES-}" ]; then
    mkdir -p "$PACKAGES"
    find "$work/build/build/one" -maxdepth 1 -type f -exec cp {} "$PACKAGES" \;
fi
echo "Debian $suite: $(sums one | grep -vc dbgsym) packages, $SECONDS s"
