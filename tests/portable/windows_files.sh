#!/bin/bash
# Files as Windows has them: windows_files.sh COMMAND, where COMMAND runs swathe.exe.
# Names in UTF-8, replaced and kept files, an output that is its own input, no partial outputs, and a
# batch with --resume.
set -euo pipefail

command=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

run() {
    $command "$@" < /dev/null
}

# expect CODE ARGUMENT...: the exit code of swathe
expect() {
    local wanted=$1 code=0
    shift
    run "$@" > out.txt 2> err.txt || code=$?
    [ "$code" -eq "$wanted" ] || { echo "FAILED: $* ended with $code, not $wanted" && cat err.txt && exit 1; }
}

same() {
    cmp "$1" "$2" || { echo "FAILED: $1 and $2 differ" && exit 1; }
}

left_over() {
    [ -z "$(find . -name '.swathe-??????')" ] || { echo "FAILED: a temporary file is left" && exit 1; }
}

{ printf 'P5\n64 48\n255\n' && head -c 3072 /dev/zero | tr '\0' 'x'; } > first.pgm
mkdir -p 'Größe 大/b' out
cp first.pgm 'Größe 大/b/ä 1.pgm'
for extension in pgm pnm pam bmp tga pfm; do
    type=(--type f32)
    [ $extension = pfm ] || type=()
    expect 0 apply sharpen:bias=3 'Größe 大/b/ä 1.pgm' "Größe 大/é.$extension" "${type[@]}"
    expect 0 info "Größe 大/é.$extension"
    expect 0 apply identity "Größe 大/é.$extension" "again.$extension" --overwrite
    same "Größe 大/é.$extension" "again.$extension"
done
expect 0 apply sharpen:bias=3 'Größe 大\b\ä 1.pgm' 'Größe 大\b\back.pgm'
same 'Größe 大/é.pgm' 'Größe 大/b/back.pgm'

expect 2 apply box again.pgm again.bmp
grep -q 'again.bmp exists' err.txt
cp again.pgm in_place.pgm
# Wine and Windows before version 10 cannot replace a file that is open: then it stays as it is.
run apply identity in_place.pgm in_place.pgm --overwrite 2> err.txt || grep -q "cannot give the new file its name" err.txt
same again.pgm in_place.pgm
head -c 2000 again.pgm > cut.pgm
expect 3 apply box cut.pgm never.pgm
[ ! -e never.pgm ]
left_over

expect 5 apply box again.pgm Z:drive.pgm
expect 5 apply box again.pgm again.pgm:stream --format pnm
expect 5 apply box again.pgm aux.pgm
[ ! -e aux.pgm ]
printf '\x89PNG\r\n\x1a\n' > photo.png
expect 7 info photo.png
grep -q "this build does not include png" err.txt
expect 0 apply identity again.pgm '\swathe-root.pgm'
rm -f /swathe-root.pgm "${WINEPREFIX:-$HOME/.wine}/drive_c/swathe-root.pgm"
expect 0 devices

$command apply identity - - --format pnm < again.pgm > piped.pgm
same again.pgm piped.pgm

for i in 1 2 3; do cp again.pgm "in $i.pgm"; done
expect 0 batch box:3 'in 1.pgm' 'in 2.pgm' 'in 3.pgm' --out results --quiet
rm 'results/in 2.pgm'
expect 0 batch box:3 'in 1.pgm' 'in 2.pgm' 'in 3.pgm' --out results --quiet --resume
same 'results/in 1.pgm' 'results/in 2.pgm'
printf 'in 1.pgm\r\nin 3.pgm\r\n' > list.txt
expect 0 batch box:3 --from list.txt --out 'results\again' --quiet
$command batch box:3 --from - --out 'results/piped' --quiet < list.txt
same 'results/in 1.pgm' 'results/piped/in 3.pgm'
same 'results/in 1.pgm' 'results/again/in 3.pgm'
left_over
mkdir -p 'tree/in ä'
cp 'in 1.pgm' 'tree/in ä/one.pgm'
expect 0 batch box:3 tree --recursive --out deep --name '{stem}_box{ext}' --quiet
same 'results/in 1.pgm' 'deep/in ä/one_box.pgm'
echo "names, pipes, replaced files and batches passed"
