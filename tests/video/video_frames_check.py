#!/usr/bin/env python3
"""A filtered video must have the samples of its planes when each is filtered as an image.

    video_frames_check.py SWATHE [--self-test]

Random videos of every kind are filtered as files, through pipes, and with several numbers of
threads and limits of memory. Every plane of every frame is also written as a PGM image and
filtered alone. Samples of 9 to 15 bits are stored as u16 there, so the chain for these images
clamps to their range explicitly, as the documentation defines. --self-test plants bugs in the
videos that are compared, and each must be found.
"""
import os
import subprocess
import sys
import tempfile

import y4m_file

# The chain, and the same for single planes, whose clamps name the range.
CHAINS = [
    ("gaussian:5", "gaussian:5:clamp=0..{h}"),
    ("sharpen:3,gaussian:3", "sharpen:3:clamp=0..{h},gaussian:3:clamp=0..{h}"),
    ("laplacian:bias={m},sharpen", "laplacian:bias={m}:clamp=0..{h},sharpen:clamp=0..{h}"),
    ("sobel-x:type=s16,abs:type={t}", "sobel-x:type=s16,abs:type={t}:clamp=0..{h}"),
    ("box:3x1,mask:(-1 3; 2 -3):bias=-20", "box:3x1:clamp=0..{h},mask:(-1 3; 2 -3):bias=-20:clamp=0..{h}"),
    ("sharpen:9:clamp=40..70000,edge:clamp=(-7..200)", "sharpen:9:clamp=40..{h},edge:clamp=0..200"),
    ("motion:7:angle=30:border=wrap", "motion:7:angle=30:border=wrap:clamp=0..{h}"),
]
SIZES = [(33, 21), (1, 1), (50, 34), (7, 40)]
PLANTED = ("sample", "planes", "frames", "clamp")


def run(words, **more):
    done = subprocess.run(words, capture_output=True, env={**os.environ, "SWATHE_WISDOM": "off"},
                          check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def filled(chain, video):
    return chain.format(h=video.highest, m=(video.highest + 1) // 2,
                        t="u8" if video.bits == 8 else "u16")


def filter_planes(swathe, chain, video, folder, extra):
    """Returns the frames of the result, from images of single planes."""
    frames = []
    source, result = os.path.join(folder, "in.pgm"), os.path.join(folder, "out.pgm")
    for frame in video.frames:
        made = []
        for plane, samples in enumerate(frame):
            y4m_file.write_pgm(source, samples, *video.size(plane))
            run([swathe, "apply", chain, source, result, "--overwrite", "--quiet", *extra])
            made.append(y4m_file.read_pgm(result))
        frames.append(made)
    return frames


def filter_video(swathe, chain, video, folder, extra):
    """Yields what was done, and the bytes of the result."""
    words = [swathe, "apply", chain, "-", "-", "--quiet", *extra]
    data = video.encode()
    yield "pipe", run(words, input=data)
    for threads in "1", "2", "5":
        yield f"{threads} threads", run(words + ["--threads", threads], input=data)
    small = str(2 * len(data) // len(video.frames) + (1 << 20))
    yield "little memory", run(words + ["--threads", "4", "--max-memory", small], input=data)
    path = os.path.join(folder, "in.y4m")
    with open(path, "wb") as file:
        file.write(data)
    result = os.path.join(folder, "out.y4m")
    run([swathe, "apply", chain, path, result, "--overwrite", "--quiet", *extra])
    with open(result, "rb") as file:
        yield "files", file.read()


def plant(bug, frames):
    """Returns the frames with a bug, as a wrong frame loop would leave them."""
    frames = [[plane[:] for plane in frame] for frame in frames]
    if bug == "sample":
        frames[-1][-1][-1] ^= 1
    elif bug == "planes":
        frames[0][1], frames[0][2] = frames[0][2], frames[0][1]
    elif bug == "frames":
        frames[0], frames[1] = frames[1], frames[0]
    elif bug == "clamp":
        frames[0][0][frames[0][0].index(max(frames[0][0]))] += 1
    return frames


def check(swathe, kind, number, folder, bug=None):
    """Returns the ways in which the video differs from its planes."""
    width, height = SIZES[number % len(SIZES)]
    video = y4m_file.random_video(number, kind, width, height, 4)
    wrong = []
    chain, alone = CHAINS[number % len(CHAINS)]
    extra = ["--border", "replicate"] if number % 2 else []
    wanted = filter_planes(swathe, filled(alone, video), video, folder, extra)
    for how, data in filter_video(swathe, filled(chain, video), video, folder, extra):
        got = video.decode(data)
        if (plant(bug, got) if bug else got) != wanted:
            wrong.append(f"{kind} {width} x {height}, {filled(chain, video)}, {how}: differs")
    return wrong


def self_test(swathe, folder):
    missed = 0
    for bug in PLANTED:
        found = check(swathe, "444p12", 4, folder, bug)  # 33 x 21, noise
        print(f"planted {bug}: {'found' if found else 'MISSED'}")
        missed += not found
    return missed


def main(arguments):
    swathe = os.path.abspath(arguments[0])
    with tempfile.TemporaryDirectory(prefix="swathe-video-") as folder:
        if "--self-test" in arguments:
            return 1 if self_test(swathe, folder) else 0
        wrong, count = [], 0
        for kind in y4m_file.KINDS:
            for _ in range(4):
                wrong += check(swathe, kind, count, folder)
                count += 1
    print("\n".join(wrong))
    print(f"{count} videos, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
