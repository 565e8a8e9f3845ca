"""vips_script.py CHAIN KIND IN OUT THREADS: filters a file as a typical pyvips script would."""
import os
import sys

import rivals

os.environ["VIPS_CONCURRENCY"] = sys.argv[5]
import pyvips  # noqa: E402: libvips reads the variable when it is loaded


def apply(image, stage):
    if stage in ("g5", "g9"):
        line = (rivals.BINOMIAL5 if stage == "g5"
                else [round(v * 1024) for v in rivals.gaussian9()])
        taps = pyvips.Image.new_from_array([line], scale=sum(line))
        return image.convsep(taps, precision="integer")
    return image.conv(pyvips.Image.new_from_array(rivals.mask(stage)), precision="integer")


def main():
    chain, kind, source, target, _ = sys.argv[1:]
    image = pyvips.Image.new_from_file(source, access="sequential")
    for stage in rivals.CHAINS[chain]:
        image = apply(image, stage)
    image.write_to_file(rivals.vips_save(kind, target))


main()
