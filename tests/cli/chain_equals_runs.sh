# A chain in one run gives the same pixels as its filters run one by one, with any number of
# threads.
. "$HERE/common.inc"
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
