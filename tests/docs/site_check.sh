#!/bin/sh
# Builds the site, looks at it in a browser, and follows its pages, two checks at a time, because some
# wait for servers:
#     site_check.sh PREFIX OUT [BUILD]
# PREFIX is an installed Swathe with its Python package and swathe-fleet; BUILD is its build directory,
# without which pages about measurements are not followed.
set -eu
here=$(dirname "$0")
prefix=$1 out=$2 build=${3:-}

"$here/../../tools/site" "$out" "$prefix"
pages="python3 '$here/pages_check.py' '$prefix'"
[ -z "$build" ] || pages="$pages --build '$build'"
browser="python3 '$here/site_browser.py' '$out'"
# The longest first. Each prints its output as a whole when it ends; 77 means that it was skipped.
# shellcheck disable=SC2016 # the inner shell expands them
printf '%s\0' "$pages" "$browser" | xargs -0 -n 1 -P 2 sh -c '
    status=0
    output=$(sh -c "$1" 2>&1) || status=$?
    printf "%s\n" "$output"
    [ $status -eq 0 ] || [ $status -eq 77 ] || { echo "FAILED with status $status: $1"; exit 1; }' sh
echo "the site and its pages passed"
