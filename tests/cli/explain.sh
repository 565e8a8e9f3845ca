# explain: for files and shapes, as text, JSON and problem line.
. "$HERE/common.inc"
pnm 40 30 3 > a.ppm

for arguments in "sharpen a.ppm" "sharpen,gaussian:5,edge,gaussian:9 6000x4000x3:u8" \
    "gaussian:sigma=2.5 100x100x1:f32" "sobel-x 100x100x4:u16 --type f32" "box:9 64x48 --exact"; do
    swathe explain $arguments > text.txt
    check "explain $arguments" test $? -eq 0
    grep -q "${arguments%%[,: ]*}" text.txt || echo "NOT OK: the filter is not named"
    swathe explain $arguments --json > plan.json
    "$PYTHON" -m json.tool plan.json > /dev/null
    check "as JSON" test $? -eq 0
    test "$(swathe explain $arguments --problem | wc -l)" -eq 1
    check "as one line" test $? -eq 0
done
swathe explain sharpen 40x30x3:u8 --problem > shape.txt
swathe explain sharpen a.ppm --problem > file.txt
check "file and shape give the same problem" cmp shape.txt file.txt
swathe explain sharpen - --problem < a.ppm > file.txt
check "and so does standard input" cmp shape.txt file.txt
swathe explain gaussian:9 40x30 --isa scalar | grep -q scalar
check "--isa is respected" test $? -eq 0
swathe explain gaussian:9 40x30 --algorithm reference | grep -q reference
check "--algorithm is respected" test $? -eq 0
swathe explain gaussian:9 40x30 --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
candidates = plan["stages"][0]["candidates"]
chosen = [one["name"] for one in candidates if one["chosen"]]
print("ok:" if chosen == [plan["stages"][0]["algorithm"]] else "NOT OK:", "one candidate is chosen")
print("ok:" if all(one["predicted_ms"] > 0 for one in candidates) else "NOT OK:", "all have predictions")
print("ok:" if "wisdom is off" in plan["wisdom"] else "NOT OK:", plan["wisdom"][:14])'
swathe explain gaussian:9 40x30 --algorithm mean | grep "does not apply"
swathe explain gaussian:9 40x30 --algorithm two-pass --problem
swathe explain gaussian:9 40x30 --tune --problem
swathe explain gaussian:3 2000000000x2000000000x4:f32 | head -n 1
