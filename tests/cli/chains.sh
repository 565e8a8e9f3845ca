# Chains and filters.
. "$HERE/common.inc"

#### filters
# filters NAME: definitions and masks.

try filters gaussian:5
try filters sharpen box:3x2
try filters 'mask:(1/4 1/2 1/4):anchor=0x0:dilate=2:bias=3'
try filters 'mask:(1 2):(3 4):(5 6)'
try filters mask
try filters gaussian:sigma=1
try filters gaussian:33
try filters gausian
try filters sharpen,edge
try filters sharpen zzz
try filters sobel-x --json
try filters gaussian:4001

#### chain_errors
# Mistakes in a chain.
pnm 4 3 3 > a.ppm

for chain in '' ',' 'sharpen,' 'sharpen,,edge' sharpn gausian:5 'sharpen,sobelx' edge:5 \
    gaussian:0 gaussian:x gaussian:5:sigm=2 gaussian:sigma=-1 gaussian: 'mask:(1 2; 3)' 'mask:()' \
    'mask:(1 x)' 'mask:(1 2' 'mask:1 2)' mask 'mask:@nope.txt' sharpen:border=wrapp \
    'sharpen:border=constant(999)' sharpen:type=u9 'sharpen:clamp=5' 'sharpen:clamp=9..1' \
    sharpen:anchor=9x9 sharpen:dilate=0 sharpen:bias=x sharpen:flip=1 sharpen:border \
    'mask:(1e39):type=f32' 'mask:(1):(2)' 'gaussian:9:border=valid' dog:sigma=20:normalise
do
    try apply "$chain" a.ppm b.ppm
done

echo "common mistakes:"
echo "1 2 1" > k.txt
for chain in 'mask:(1 2 1):normalize' mask:k.txt mask:nofile.txt blur gauss median fft mean edges sobel \
    sharp gaussian:5:dens gaussian:dens sharpen:flp 'mask:(1 2 1):flop' \
    gaussian:5,sigma=2 gaussian:sigma motion:angle
do
    try apply "$chain" a.ppm b.ppm
done
mkfifo fifo
mkdir folder
for chain in mask:fifo mask:folder mask:@folder
do
    try apply "$chain" a.ppm b.ppm
done
check "no output file was written" test ! -e b.ppm

#### chain_equals_runs
# A chain in one run gives the same pixels as its filters run one by one, with any number of
# threads.
pnm 203 151 3 > a.ppm
for border in reflect wrap replicate 'constant(7)'; do
    cp a.ppm step.ppm
    for filter in sharpen gaussian:5 edge gaussian:9; do
        swathe apply $filter step.ppm step.ppm --overwrite --border "$border"
    done
    for threads in 1 2 7; do
        swathe apply sharpen,gaussian:5,edge,gaussian:9 a.ppm out.ppm --overwrite \
            --threads $threads --border "$border"
        check "$border, $threads threads" cmp out.ppm step.ppm
        if has_format png; then
            swathe apply sharpen,gaussian:5,edge,gaussian:9 a.ppm out.png --overwrite \
                --threads $threads --border "$border"
            swathe compare out.png step.ppm
        else
            echo equal
        fi
    done
done
