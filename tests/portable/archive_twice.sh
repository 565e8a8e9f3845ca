#!/bin/bash
# Builds an archive of the command twice, in directories with other names, and compares the bytes:
#     archive_twice.sh SYSTEM
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q "$source" "$work/another name"
ARCHIVE_OPTIONS=-Doptimization=1 "$source/tools/archive" "$1" "$work/first" "$work/build-1"
ARCHIVE_OPTIONS=-Doptimization=1 "$work/another name/tools/archive" "$1" "$work/second" "$work/build 2"
cmp "$work/first"/* "$work/second"/*
echo "$1: equal"
