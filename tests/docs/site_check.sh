#!/bin/sh
# Builds the site, looks at it in a browser, and follows its tutorials and how-to guides:
#     site_check.sh PREFIX OUT
# PREFIX is an installed Swathe with its Python package and swathe-fleet. Also checks the checks.
set -eu
here=$(dirname "$0")
prefix=$1 out=$2

"$here/../../tools/site" "$out" "$prefix"
for check in "" --self-test; do
    # shellcheck disable=SC2086 # no argument if empty
    python3 "$here/pages_check.py" "$prefix" $check
    # shellcheck disable=SC2086
    python3 "$here/site_browser.py" "$out" $check || [ $? -eq 77 ]
done
python3 "$here/site_planted.py" "$prefix"
