#!/bin/sh
# The command on a device: device_runs.sh SWATHE DEVICE. Files in strips and tiles, parts, chains, a
# device with little memory: all results equal those of the CPU.
set -u
swathe=$(realpath "$1")
device=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
export XDG_CACHE_HOME="$folder/cache" SWATHE_WISDOM=off
failed=0

"$swathe" devices > devices.txt
grep -q "^$device " devices.txt || {
    echo "skipped: $device (not on this machine)"
    exit 77
}

# ppm WIDTH HEIGHT: noise from a fixed seed
ppm() {
    python3 -c '
import random, sys
width, height = map(int, sys.argv[1:])
sys.stdout.buffer.write(b"P6\n%d %d\n255\n" % (width, height))
draw = random.Random(1)
for _ in range(height):
    sys.stdout.buffer.write(draw.randbytes(width * 3))' "$1" "$2"
}

# equal CHAIN IN OUT OPTION...: the same file from the device and from the CPU
equal() {
    chain=$1 in=$2 out=$3
    shift 3
    "$swathe" apply "$chain" "$in" "cpu-$out" --exact "$@" || failed=1
    for memory in "" "--device-memory 2M"; do
        # shellcheck disable=SC2086
        "$swathe" apply "$chain" "$in" "gpu-$out" --device "$device" $memory "$@" || failed=1
        if cmp "cpu-$out" "gpu-$out"; then
            echo "ok: $chain $* $memory"
        else
            echo "NOT OK: $chain $* $memory"
            failed=1
        fi
        rm -f "gpu-$out"
    done
    rm -f "cpu-$out"
}

ppm 1300 900 > a.ppm
equal sharpen a.ppm a1.ppm
equal sharpen,gaussian:5,edge,gaussian:9 a.ppm a2.ppm
equal box:31 a.ppm a3.ppm --border reflect101
equal sobel-x a.ppm a4.pfm --type f32
equal gaussian:7 a.ppm a5.ppm --region 300x200+77+33
equal gaussian:21:dense a.ppm a6.ppm --threads 1
if "$swathe" formats | grep -q '^  tiff'; then
    "$swathe" apply identity a.ppm a.tif --tile 128
    equal laplacian,gaussian:sigma=3 a.tif a7.tif --tile 64
fi

# Compilers print nothing, not even the number of suppressed warnings.
XDG_CACHE_HOME="$folder/fresh" POCL_CACHE_DIR="$folder/fresh" \
    "$swathe" apply gaussian:9 a.ppm said.pfm --type f32 --device "$device" 2> said.txt || failed=1
if [ -s said.txt ]; then
    sed 's/^/NOT OK: printed: /' said.txt
    failed=1
fi

# Border wrap needs rows from the opposite edge: the whole image must fit, and the message names the
# limit if it does not.
"$swathe" apply box:9 a.ppm cpu-wrap.ppm --border wrap || failed=1
"$swathe" apply box:9 a.ppm gpu-wrap.ppm --border wrap --device "$device" || failed=1
cmp cpu-wrap.ppm gpu-wrap.ppm || failed=1
# refused TEXT OPTION...: the message names the limit that is exceeded
refused() {
    text=$1
    shift
    "$swathe" apply box:9 a.ppm no.ppm --border wrap --device "$device" "$@" 2> said.txt && failed=1
    grep -q -e "$text" said.txt || {
        echo "NOT OK: $*: no '$text' in: $(cat said.txt)"
        failed=1
    }
}
refused "which border wrap needs, on $device: needs .* of its memory, limit 2.0 MiB; use device cpu, or, if the device has more memory, raise the limit with --device-memory" \
    --device-memory 2M
refused "which border wrap needs, on $device, limit 8.0 MiB; raise it with --max-memory" \
    --max-memory 8M --device-memory 1G
"$swathe" apply box:9 a.ppm gpu-wrap.ppm --overwrite --border wrap --device "$device" --device-memory 1G \
    --max-memory "$(sed 's/.*--max-memory //' said.txt)" || failed=1

# A missing device is not reported as a wrong argument.
"$swathe" apply box:9 a.ppm no.ppm --device "${device%:*}:77" 2> /dev/null
[ $? -eq 7 ] || {
    echo "NOT OK: exit code for a missing device"
    failed=1
}

# Four times the device's memory limit.
ppm 9600 9400 > big.ppm
"$swathe" apply sharpen,gaussian:5 big.ppm cpu-big.ppm || failed=1
"$swathe" apply sharpen,gaussian:5 big.ppm gpu-big.ppm --device "$device" --device-memory 64M || failed=1
if cmp cpu-big.ppm gpu-big.ppm; then
    echo "ok: 258 MiB in 64 MiB"
else
    echo "NOT OK: 258 MiB in 64 MiB"
    failed=1
fi
exit $failed
