# Mistakes in a chain.
. "$HERE/common.inc"
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
