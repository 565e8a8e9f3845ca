# The syntax of commands and options.
. "$HERE/common.inc"

#### usage
# Wrong calls: unknown words, missing and extra arguments.
pnm 4 3 3 > a.ppm

try aply sharpen a.ppm b.ppm
try zzz
try --hlep
try version
try sharpen a.ppm b.ppm
try gaussian:5,edge a.ppm b.ppm
try apply
try apply sharpen
try apply sharpen a.ppm
try apply sharpen a.ppm b.ppm c.ppm
try apply a.ppm sharpen b.ppm
try apply a.ppm b.ppm
try apply photo.jpg
try apply mask:@k.png a.ppm
try explain a.ppm
try batch a.ppm --out out
try batch a.ppm a.ppm --out out
try batch sharpen --out out
try apply sharpen a.ppm b.ppm --bordr wrap
try apply sharpen a.ppm b.ppm --zzz
try apply sharpen a.ppm b.ppm -z
try apply sharpen a.ppm b.ppm --theads=2
try filters --border wrap
try borders extra
try info
try compare a.ppm
try compare - -
try explain sharpen
try explain sharpen 12x
try explain sharpen 4x3x0
try explain sharpen 4x3x3:u9
try help aply
try help apply filters
try man zzz
try completion
try completion tcsh
mkdir sharpen # a file or directory with the name of a filter is not taken for an image
try apply sharpen a.ppm
try batch sharpen --out x
rmdir sharpen
check "no output file was written" test ! -e b.ppm
echo "without a command the help is printed on standard error:"
swathe 2>help.txt
echo "exit $?"
head -n 1 help.txt

#### options
# The syntax of options.
pnm 9 7 3 > a.ppm

try apply gaussian:5 a.ppm plain.ppm --border wrap
try apply --border=wrap gaussian:5 a.ppm equals.ppm
try apply gaussian:5 --border zero a.ppm --border wrap last.ppm
try apply --border wrap -- gaussian:5 a.ppm dashes.ppm
try apply gaussian:5:border=wrap a.ppm own.ppm --border zero
for other in equals last dashes own; do
    check "$other" cmp plain.ppm $other.ppm
done
try apply gaussian:5 a.ppm zero.ppm --border zero
try compare plain.ppm zero.ppm --quiet

echo "options that never change the result:"
swathe apply gaussian:5,edge a.ppm wanted.ppm
for option in --threads=1 --threads=3 --cell-rows=1 --cell-rows=5 --algorithm=direct --isa=scalar \
    --exact --accuracy=1e-3 --no-progress --quiet; do
    rm -f out.ppm
    swathe apply gaussian:5,edge a.ppm out.ppm $option
    check "$option" cmp out.ppm wanted.ppm
done

echo "types:"
try apply sobel-x a.ppm slope.ppm --type u16
try info slope.ppm
try apply sobel-x a.ppm slope.ppm --type f32
try apply sobel-x a.ppm slope.pfm --type f32
try apply gaussian,gaussian a.ppm floats.ppm --intermediate f32
try apply gaussian,gaussian a.ppm doubles.ppm --intermediate f64

#### values
# Values of options: which are refused, and the messages.
pnm 4 3 3 > a.ppm

try apply sharpen a.ppm b.ppm --border
try apply sharpen a.ppm b.ppm --border wrapp
try apply sharpen a.ppm b.ppm --border=
try apply sharpen a.ppm b.ppm --border 'constant(300)'
try apply sharpen a.ppm b.ppm --type u9
try apply sharpen a.ppm b.ppm --type float
try apply sharpen a.ppm b.ppm --intermediate u16
try apply sharpen a.ppm b.ppm --exact=yes
try apply sharpen a.ppm b.ppm --accuracy 2
try apply sharpen a.ppm b.ppm --accuracy -1
try apply sharpen a.ppm b.ppm --accuracy much
try apply sharpen a.ppm b.ppm --alpha drop
try apply sharpen a.ppm b.ppm --region 4x3
try apply sharpen a.ppm b.ppm --region 0x3+0+0
try apply sharpen a.ppm b.ppm --region 2x2+3+0
try apply sharpen a.ppm b.ppm --region 2x2+0+99999999999999999999
try apply sharpen a.ppm b.ppm --quality 0
try apply sharpen a.ppm b.ppm --quality 101
try apply sharpen a.ppm b.ppm --quality best
try apply sharpen a.ppm b.ppm --tile 65537
try apply sharpen a.ppm b.ppm --threads -1
try apply sharpen a.ppm b.ppm --threads 1.5
try apply sharpen a.ppm b.ppm --threads 99999
try apply sharpen a.ppm b.ppm --cell-rows x
try apply sharpen a.ppm b.ppm --max-memory 0
try apply sharpen a.ppm b.ppm --max-memory 2X
try apply sharpen a.ppm b.ppm --max-memory lots
try apply sharpen a.ppm b.ppm --max-memory 1e30
try apply sharpen a.ppm b.ppm --max-pixels ''
try compare a.ppm a.ppm --max-difference -1
check "no output file was written" test ! -e b.ppm

echo "sizes that are accepted:"
for size in 268435456 1048576K 512M 512m 1.5G 1.5GiB 2GB 1T; do
    rm -f b.ppm
    try apply sharpen a.ppm b.ppm --max-memory "$size"
done

echo "words from the library's tables are named in the message:"
for option in type format isa algorithm; do
    swathe apply sharpen a.ppm c.ppm --$option zzzzzz 2>&1 | sed 's/takes .*, not/takes ..., not/'
done

#### tables
# Lists of filters, borders and formats: every entry of the tables, also as JSON.

for list in filters borders formats; do
    swathe $list > list.txt
    check "$list" test $? -eq 0
    swathe $list --json > list.json
    "$PYTHON" - $list <<'PYTHON'
import json, sys
rows = json.load(open("list.json"))
text = open("list.txt").read()
for row in rows:
    if row["name"] not in text or not row["summary"]:
        print("NOT OK:", row["name"])
    library = row.get("library", "").split()  # "libpng", "1.6.39", ...
    needed = row["name"] in ("png", "jpeg", "tiff", "webp") and row["available"]
    if (needed and len(library) < 2) or any(word not in text for word in library):
        print("NOT OK: library of", row["name"])
print("ok:" if len(rows) > 4 else "NOT OK:", sys.argv[1], "as JSON")
PYTHON
done

echo "every filter can be defined:"
for name in $(swathe filters --json | "$PYTHON" -c '
import json, sys
print(*(row["name"] for row in json.load(sys.stdin)))'); do
    swathe filters "$name" > list.txt || echo "NOT OK: $name"
    grep -q "syntax" list.txt || echo "NOT OK: $name"
    swathe filters "$name" --json | "$PYTHON" -m json.tool > /dev/null || echo "NOT OK: $name"
done

echo "and every example works:"
pnm 40 30 3 > a.ppm
swathe filters --json | "$PYTHON" -c '
import json, sys
for row in json.load(sys.stdin):
    print(row["example"])' > examples.txt
while IFS= read -r chain; do
    swathe apply "$chain" a.ppm out.pfm --type f32 --overwrite || echo "NOT OK: $chain"
done < examples.txt
test -s examples.txt && echo "ok: examples"

echo "every border works:"
for border in $(swathe borders --json | "$PYTHON" -c '
import json, sys
print(*(row["syntax"].replace("V", "7") for row in json.load(sys.stdin)))'); do
    swathe apply sharpen a.ppm out.ppm --border "$border" --overwrite || echo "NOT OK: $border"
done
swathe borders | head -n 2
swathe formats | sed -n '/^Video/,$p'
