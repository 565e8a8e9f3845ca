# Quality and subsampling of a JPEG, and lossless WebP, are kept unless an option overrides them.
. "$HERE/common.inc"
for format in jpeg webp; do has_format $format || skip "no $format in this build"; done
stored() { swathe info "$1" | grep -E "^(quality|subsampling|compression)"; }

pnm 90 80 3 5 > in.ppm
swathe apply identity in.ppm fine.jpg --quality 98 --subsampling 444
swathe apply identity in.ppm usual.jpg
stored usual.jpg
echo "-- kept"
swathe apply identity fine.jpg kept.jpg
stored kept.jpg
echo "-- requested"
swathe apply identity fine.jpg asked.jpg --quality 60 --subsampling 422
stored asked.jpg
echo "-- a batch"
swathe batch identity fine.jpg --out kept --quiet
check "the same bytes" cmp kept.jpg kept/fine.jpg
swathe batch identity fine.jpg --out asked --quiet --quality 60 --subsampling 422
check "the same bytes" cmp asked.jpg asked/fine.jpg
swathe apply identity fine.jpg colons.jpg --quality 60 --subsampling 4:2:2
check "4:2:2 is 422" cmp asked.jpg colons.jpg
echo "-- WebP"
swathe apply identity in.ppm exact.webp --quality lossless
swathe apply identity exact.webp kept.webp
swathe apply identity exact.webp lossy.webp --quality 90
for file in exact kept lossy; do stored $file.webp; done
try apply identity in.ppm none.jpg --subsampling 421
try apply identity in.ppm none.jpg --subsampling 4:2:1
try apply identity in.ppm none.jpg --subsampling 4:22
try apply identity in.ppm none.jpg --quality lossless
try apply identity in.ppm none.webp --subsampling 420
