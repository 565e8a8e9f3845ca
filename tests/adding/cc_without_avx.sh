#!/bin/sh
# A compiler that refuses AVX: tests of additions need no more than two instruction sets.
case " $* " in
*" -mavx"*) exit 1 ;;
esac
if command -v ccache > /dev/null; then exec ccache cc "$@"; fi
exec cc "$@"
