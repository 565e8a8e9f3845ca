# devices: checks that need no GPU; tests/gpu runs on devices.
. "$HERE/common.inc"
export XDG_CACHE_HOME="$PWD/cache"
pnm 60 40 3 > a.ppm

swathe devices > listed.txt
check "drivers are queried" test $? -eq 0
swathe devices --json | "$PYTHON" -c '
import json, sys
names = [row["back_end"] for row in json.load(sys.stdin)]
print("ok:" if names == ["cuda", "hip", "opencl"] else "NOT OK:", "as JSON", *names)'
swathe devices --strategies > strategies.txt
head -n 2 strategies.txt
grep '^  convert' strategies.txt
check "lines fit 80 columns" test -z "$(grep '.\{81\}' strategies.txt)"
swathe devices --strategies --json | "$PYTHON" -c '
import json, sys
print("ok:" if len(json.load(sys.stdin)) == 22 else "NOT OK:", "strategies")'

echo "auto without a check:"
swathe explain sharpen a.ppm --device auto | grep ^chosen
swathe apply sharpen a.ppm auto.ppm --device auto
swathe apply sharpen a.ppm cpu.ppm --device cpu
check "bytes" cmp auto.ppm cpu.ppm

echo "mistakes:"
try apply sharpen a.ppm b.ppm --device gnu
try apply sharpen a.ppm b.ppm --device opencl:x
try apply sharpen a.ppm b.ppm --strategy tiled
try apply sharpen a.ppm b.ppm --device auto --strategy tiled
try apply sharpen a.ppm b.ppm --device opencl --algorithm direct
try devices --check --repeat nonsense
try devices gpu
export OCL_ICD_VENDORS="$PWD/none" CUDA_VISIBLE_DEVICES= HIP_VISIBLE_DEVICES=
try devices --check
try devices --check --device cpu
check "nothing was written" test ! -e b.ppm

echo "auto without a GPU is the CPU, also for fast floats, and can be tuned:"
mask="disk:15"
for device in cpu auto; do
    swathe explain $mask 1000x1000x1:f32 --device $device --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
stage = plan["stages"][0]
print(json.dumps([stage["algorithm"], stage["candidates"], plan["exact"]]))' > plan.$device
done
check "the same plan" cmp plan.cpu plan.auto
swathe explain $mask 64x64x1:u8 --device auto --tune > /dev/null
check "--tune" test $? -eq 0
swathe explain $mask 1000x1000x1:f32 --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
stage = plan["stages"][0]
print("ok:" if plan["work"] == stage["work"] != stage["taps"] else "NOT OK:", "work of the algorithm")'
