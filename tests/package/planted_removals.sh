#!/bin/sh
# Takes away one installed file after the other; each time a test of debian/tests must fail:
#     planted_removals.sh           in the source tree, as root
# Changes the system: for a chroot only.
set -eu
count=0
while read -r name file; do
    path=$(dpkg -L swathe swathe-bench swathe-fleet python3-swathe libswathe-dev | grep -E "$file")
    mv "$path" "$path.away"
    AUTOPKGTEST_TMP=$(mktemp -d)
    export AUTOPKGTEST_TMP
    if "debian/tests/$name" < /dev/null > /dev/null 2>&1; then
        echo "FAILED: $name passes without $path"
        exit 1
    fi
    rm -rf "$AUTOPKGTEST_TMP"
    mv "$path.away" "$path"
    count=$((count + 1))
done << 'EOF'
command /swathe_store.so$
library /swathe.pc$
library /libswathe.a$
cmake /swatheConfig.cmake$
python /_swathe.abi3.so$
python /METADATA$
bench /libexec/swathe/swathe-bench$
bench /report/__main__.py$
fleet /bin/swathe-fleet$
EOF
echo "$count files were taken away, and each was missed"
