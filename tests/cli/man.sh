# Manual pages are valid troff and contain the same as help.
. "$HERE/common.inc"

swathe man > swathe.1
check "man" test $? -eq 0
grep '^\.SH' swathe.1
for command in $(swathe help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    swathe man $command > swathe-$command.1
    check "man $command" test $? -eq 0
done
for option in $(swathe apply --help | sed -n 's/^  *\(-., \)*--\([a-z-]*\).*/\2/p'); do
    grep -q "$(echo "$option" | sed 's/-/\\\\-/g')" swathe-apply.1 || echo "NOT OK: $option"
done
if command -v man > /dev/null && man --version > /dev/null 2>&1; then
    for page in *.1; do
        MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l $page 2>&1 > $page.txt
        test -s $page.txt || echo "NOT OK: $page is empty"
    done
    grep -q 'gaussian' swathe.1.txt || echo "NOT OK: no filters"
fi
echo "ok: pages render"
