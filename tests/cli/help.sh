# Help, manual pages and completion.
. "$HERE/common.inc"

#### help
# Help starts with a command for one photo and has an example for every command.

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

#### man
# Manual pages are valid troff and contain the same as help.

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

#### completion
# Completion scripts: they are valid, and offer the expected words.

for shell in bash zsh fish; do
    swathe completion $shell > swathe.$shell
    check "completion $shell" test $? -eq 0
    if command -v $shell > /dev/null; then
        $shell -n swathe.$shell
    fi
    check "$shell syntax" test $? -eq 0
done
command -v bash > /dev/null || skip "no bash"

cat > offer.bash <<'BASH'
source ./swathe.bash
compopt() { :; }
# Splits words as readline does and completes the last one.
offer() {
    local word line=$*
    COMP_WORDS=()
    for word in "$@"; do
        while [[ $word == *[:=]* ]]; do
            local before=${word%%[:=]*}
            [[ $before ]] && COMP_WORDS+=("$before")
            COMP_WORDS+=("${word:${#before}:1}")
            word=${word:${#before}+1}
        done
        [[ -z $word && ${COMP_WORDS[-1]-} == [:=] ]] || COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _swathe
    echo "$line -> ${COMPREPLY[*]}"
}
touch photo.png
offer swathe ap
offer swathe --v
offer swathe apply sharp
offer swathe apply sharpen,gau
offer swathe apply gaussian:5,sharp
offer swathe apply gaussian:fl
offer swathe apply gaussian:border=wr
offer swathe apply gaussian:s
offer swathe apply sharpen,gaussian:5:t
offer swathe apply sharpen:s
offer swathe apply edge,laplacian:
offer swathe apply gaussian:5,sharpen pho
offer swathe apply sharpen photo.png pho
offer swathe apply --bor
offer swathe apply --border wr
offer swathe apply --border=wr
offer swathe apply --border wrap sharp
offer swathe apply --border=wrap sharp
offer swathe apply sharpen photo.png out.png --alpha ''
offer swathe apply sharpen photo.png out.png --threads ''
offer swathe apply --progress=
offer swathe apply --progress sharp
offer swathe filters sharpen gauss
offer swathe completion ''
offer swathe help app
offer swathe zzz a
BASH
bash offer.bash

# A filter's own arguments in the other shells; functions of zsh are replaced by stubs.
cat > offer.zsh <<'ZSH'
compdef() { :; }
source ./swathe.zsh
compset() {
    [[ $PREFIX == ${~2}* ]] || return 1
    PREFIX=${PREFIX##${~2}}
}
compadd() { print -r -- ${(M)arguments:#$PREFIX*}; }
PREFIX=$1
_swathe_chain
ZSH
cat > offer.fish <<'FISH'
source ./swathe.fish
complete -C "swathe apply $argv[1]"
FISH
offers() {
    offered="zsh: $(zsh -f offer.zsh "$2") fish: $(fish --no-config offer.fish "$2" | tr '\n' ' ')"
    [ "$offered" = "zsh: $3 fish: $4 " ] || echo "$1: $offered"
}
if command -v zsh > /dev/null && command -v fish > /dev/null; then
    offers "own arguments" gaussian:s "sigma=" "gaussian:sigma="
    offers "after others" sharpen,gaussian:5:tr "truncate=" "sharpen,gaussian:5:truncate="
    offers "none of another filter" sharpen:d "dilate=" "sharpen:dilate="
fi
