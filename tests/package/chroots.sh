# Functions for Debian systems in directories; debian_check.sh sources this file. They use: $suite, its
# name; $cache, a directory that keeps the systems and the packages of Debian for the next run; $work, a
# directory for systems in use.
# shellcheck shell=bash disable=SC2154

# chroots_missing: prints what this machine lacks for them.
chroots_missing() {
    [ "$(id -u)" = 0 ] || { echo root; return; }
    command -v mmdebstrap > /dev/null || { echo mmdebstrap; return; }
    mknod -m 666 "$work/null" c 1 3 2> /dev/null || { echo mknod; return; }
    unshare --mount --pid --fork true 2> /dev/null || echo unshare
}

# inside ROOT COMMAND...: runs COMMAND in the system, with Debian's packages of earlier runs. Mounts
# disappear with the namespace.
inside() {
    local root=$1
    shift
    # shellcheck disable=SC2016
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/build LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        unshare --mount --pid --fork sh -euc '
            mount -t proc proc "$0/proc"
            mount --bind "$1" "$0/var/cache/apt/archives"
            mount --bind "$2" "$0/ccache"
            root=$0
            shift 2
            exec chroot "$root" "$@"' "$root" "$cache/archives" "$cache/ccache" "$@"
}

# unpack NAME ROOT: makes a system from the archive NAME of the cache.
unpack() {
    local device
    mkdir -p "$2"
    tar -xf "$cache/$1.tar" -C "$2" --exclude='./dev/*'
    for device in null:3 zero:5 random:8 urandom:9; do
        mknod -m 666 "$2/dev/${device%:*}" c 1 "${device#*:}"
    done
    ln -s /proc/self/fd "$2/dev/fd"
    mkdir -p "$2/ccache" "$2/build"
    chown 65534:65534 "$2/build"
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    echo "127.0.0.1 localhost" > "$2/etc/hosts"
    # Nothing here has to survive a power cut, and what was downloaded is kept.
    echo force-unsafe-io > "$2/etc/dpkg/dpkg.cfg.d/unsafe"
    echo 'APT::Keep-Downloaded-Packages "true"; Acquire::Retries "3"; APT::Sandbox::User "root"; DPkg::Use-Pty "false";' > "$2/etc/apt/apt.conf.d/99keep"
}

# keep ROOT NAME: puts a system into the cache.
keep() {
    tar -cf "$work/$2.tar" -C "$1" --exclude='./proc/*' --exclude='./dev/*' --exclude='./build/*' \
        --exclude='./ccache/*' --exclude='./var/cache/apt/archives/*.deb' .
    mv "$work/$2.tar" "$cache/$2.tar"
}

# as_user ROOT COMMAND...: like inside, but not as root.
as_user() {
    local root=$1
    shift
    inside "$root" setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
