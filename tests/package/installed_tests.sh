#!/bin/sh
# Runs the tests of debian/tests with the installed packages:
#     installed_tests.sh            in the source tree
# It reads debian/tests/control as autopkgtest does; whose packages are installed is the caller's task.
set -eu
sed -n 's/^Tests: *//p' debian/tests/control | while read -r name; do
    AUTOPKGTEST_TMP=$(mktemp -d -t "swathe-$name.XXXXXX")
    export AUTOPKGTEST_TMP
    start=$(date +%s)
    status=0
    "debian/tests/$name" < /dev/null > "$AUTOPKGTEST_TMP.log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        cat "$AUTOPKGTEST_TMP.log"
        echo "FAILED: $name ends with status $status"
        exit 1
    fi
    echo "passed: $name, $(($(date +%s) - start)) s"
    rm -rf "$AUTOPKGTEST_TMP" "$AUTOPKGTEST_TMP.log"
done
