# Wrong calls: unknown words, missing and extra arguments.
. "$HERE/common.inc"
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
