# Help starts with a command for one photo and has an example for every command.
. "$HERE/common.inc"

swathe --help > help.txt
check "--help" test $? -eq 0
head -n 6 help.txt
swathe help > other.txt
check "help gives the same" cmp help.txt other.txt
swathe -h > other.txt
check "-h gives the same" cmp help.txt other.txt
for command in $(sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' help.txt); do
    swathe $command --help > one.txt
    check "$command --help" test $? -eq 0
    grep -q '^Examples:' one.txt || echo "NOT OK: no example"
    grep -q "^  swathe $command" one.txt || echo "NOT OK: no own example"
    swathe help $command | cmp - one.txt || echo "NOT OK: help $command differs"
    awk 'length > 100' one.txt
done
sed -n '/^Exit codes/,/^$/p' help.txt
swathe apply --help | sed -n '/^Limits/,/^$/p'
swathe --version | sed 's/[0-9][0-9.]*/N/g'
