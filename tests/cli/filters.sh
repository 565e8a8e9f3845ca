# filters NAME: definitions and masks.
. "$HERE/common.inc"

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
