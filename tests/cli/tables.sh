# Lists of filters, borders and formats: every entry of the tables, also as JSON.
. "$HERE/common.inc"

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
