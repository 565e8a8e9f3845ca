#!/bin/sh
# Builds the site, looks at it in a browser, and follows its pages:
#     site_check.sh PREFIX OUT [BUILD]
# PREFIX is an installed Swathe with its Python package and swathe-fleet; BUILD is its build directory,
# without which pages about measurements are not followed. Also checks the checks.
set -eu
here=$(dirname "$0")
prefix=$1 out=$2 build=${3:-}

"$here/../../tools/site" "$out" "$prefix"
for check in "" --self-test; do
    # shellcheck disable=SC2086 # no argument if empty
    python3 "$here/pages_check.py" "$prefix" ${build:+--build "$build"} $check
    # shellcheck disable=SC2086
    python3 "$here/site_browser.py" "$out" $check || [ $? -eq 77 ]
done
python3 "$here/site_planted.py" "$prefix"
