#!/usr/bin/env python3
"""Filters videos between two processes of ffmpeg, and compares with ffmpeg's own filter.

    ffmpeg_check.py SWATHE

For each pixel format that ffmpeg writes as Y4M, ffmpeg makes a noisy video, swathe filters it by
pipe, and ffmpeg decodes the result to raw samples. ffmpeg's `convolution` filters the same video
with the same mask. The definition of both is the sum divided by 16, halves rounded up, so all samples
that are not at the edge must be equal.
"""
import array
import os
import shutil
import subprocess
import sys

import y4m_file

FORMATS = {"yuv420p": "420", "yuv422p": "422", "yuv444p": "444", "yuv411p": "411", "gray": "mono",
           "yuva444p": "444alpha", "yuv420p9le": "420p9", "yuv420p10le": "420p10",
           "yuv422p10le": "422p10", "yuv444p12le": "444p12", "yuv420p14le": "420p14",
           "yuv420p16le": "420p16", "gray10le": "mono10", "gray12le": "mono12", "gray16le": "mono16"}
WIDTH, HEIGHT, FRAMES = 158, 46, 3
MASK = "mask:(1 2 1; 2 4 2; 1 2 1):normalise"
OWN = ":".join(["1 2 1 2 4 2 1 2 1"] * 4 + ["1/16"] * 4)


def ffmpeg(*words, **more):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *words], check=True,
                          stdout=subprocess.PIPE, **more).stdout


def decode(data, kind):
    """Returns planes from raw samples, frame after frame."""
    video = y4m_file.Video(kind, WIDTH, HEIGHT)
    samples = array.array("B" if video.bits == 8 else "H", data)
    y4m_file.order(samples, "little")
    planes, at = [], 0
    while at < len(samples):
        for plane in range(video.planes):
            width, height = video.size(plane)
            planes.append((samples[at:at + width * height], width, height))
            at += width * height
    return planes


def inner(plane):
    samples, width, height = plane
    return [samples[y * width + 1:(y + 1) * width - 1].tobytes() for y in range(1, height - 1)]


def check(swathe, pixels, kind):
    source = ["-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=25,format={pixels},noise=alls=90:allf=t"
              if pixels in ("yuv420p", "yuv444p", "gray") else f"testsrc2=s={WIDTH}x{HEIGHT}:r=25",
              "-frames:v", str(FRAMES), "-pix_fmt", pixels]
    y4m = ffmpeg(*source, "-strict", "-1", "-f", "yuv4mpegpipe", "-")
    filtered = subprocess.run([swathe, "apply", MASK, "-", "-"], input=y4m, stdout=subprocess.PIPE,
                              check=True).stdout
    raw = ["-f", "rawvideo", "-pix_fmt", pixels, "-"]
    got = decode(ffmpeg("-f", "yuv4mpegpipe", "-i", "-", *raw, input=filtered), kind)
    own = decode(ffmpeg("-f", "yuv4mpegpipe", "-i", "-", "-vf", f"convolution={OWN}", *raw, input=y4m),
                 kind)
    plain = decode(ffmpeg("-f", "yuv4mpegpipe", "-i", "-", *raw, input=y4m), kind)
    if not len(got) == len(own) == FRAMES * (4 if "a" in pixels[:4] and "gray" not in pixels else
                                             1 if "gray" in pixels else 3):
        return f"{len(got)} and {len(own)} planes"
    if got == plain:
        return "nothing was filtered"
    different = [i for i, (a, b) in enumerate(zip(got, own)) if inner(a) != inner(b)]
    return f"planes {different} differ from ffmpeg's" if different else None


def main(swathe):
    if not shutil.which("ffmpeg"):
        print("skipped: videos between two processes of ffmpeg (it is not installed)")
        return 77
    problems = 0
    for pixels, kind in FORMATS.items():
        wrong = check(swathe, pixels, kind)
        problems += bool(wrong)
        print(f"{pixels:12} {wrong or 'equal'}")
    print(f"{len(FORMATS)} pixel formats, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
