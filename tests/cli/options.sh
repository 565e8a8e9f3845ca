# The syntax of options.
. "$HERE/common.inc"
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
