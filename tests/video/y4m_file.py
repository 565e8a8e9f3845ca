"""Random Y4M videos, and their planes as PGM images."""
import array
import random
import sys

# Name after C: planes, chroma samples across and down, bits.
KINDS = {
    "420": (3, 2, 2, 8), "420jpeg": (3, 2, 2, 8), "420mpeg2": (3, 2, 2, 8), "420paldv": (3, 2, 2, 8),
    "422": (3, 2, 1, 8), "444": (3, 1, 1, 8), "411": (3, 4, 1, 8), "440": (3, 1, 2, 8),
    "410": (3, 4, 4, 8), "444alpha": (4, 1, 1, 8), "mono": (1, 1, 1, 8),
    "420p9": (3, 2, 2, 9), "420p10": (3, 2, 2, 10), "422p10": (3, 2, 1, 10), "444p12": (3, 1, 1, 12),
    "420p14": (3, 2, 2, 14), "444p14": (3, 1, 1, 14), "440p12": (3, 1, 2, 12), "420p16": (3, 2, 2, 16),
    "mono9": (1, 1, 1, 9), "mono10": (1, 1, 1, 10), "mono12": (1, 1, 1, 12), "mono16": (1, 1, 1, 16),
}


class Video:
    """Frames of planes; a plane is an array of samples, row by row."""

    def __init__(self, kind, width, height, frames=()):
        self.kind, self.width, self.height = kind, width, height
        self.planes, self.across, self.down, self.bits = KINDS[kind]
        self.highest = (1 << self.bits) - 1
        self.frames = list(frames)

    def size(self, plane):
        if plane in (1, 2):
            return -(-self.width // self.across), -(-self.height // self.down)
        return self.width, self.height

    def header(self):
        return f"YUV4MPEG2 W{self.width} H{self.height} F30:1 Ip A1:1 C{self.kind} XTEST=1\n".encode()

    def frame_line(self, number):
        return b"FRAME Xn=%d\n" % number if number % 3 == 2 else b"FRAME\n"

    def encode(self):
        parts = [self.header()]
        for number, frame in enumerate(self.frames):
            parts.append(self.frame_line(number))
            parts += [stored(samples, "little") for samples in frame]
        return b"".join(parts)

    def decode(self, data):
        """Returns the frames of a video that must have this one's lines."""
        assert data.startswith(self.header()), data[:100]
        at, frames = len(self.header()), []
        while at < len(data):
            line = self.frame_line(len(frames))
            assert data.startswith(line, at), f"frame {len(frames)}: {data[at:at + 20]}"
            at += len(line)
            frame = []
            for plane in range(self.planes):
                width, height = self.size(plane)
                count = width * height * (1 if self.bits == 8 else 2)
                samples = array.array("B" if self.bits == 8 else "H", data[at:at + count])
                order(samples, "little")
                frame.append(samples)
                at += count
            frames.append(frame)
        return frames


def order(samples, stored_as):
    if samples.itemsize > 1 and sys.byteorder != stored_as:
        samples.byteswap()


def stored(samples, byte_order):
    copy = samples[:]
    order(copy, byte_order)
    return copy.tobytes()


def random_plane(rng, count, highest):
    """Noise, or only the ends of the range, which sharpening exceeds."""
    if rng.random() < 0.5:
        values = (rng.choice((0, highest)) for _ in range(count))
    else:
        values = (rng.randint(0, highest) for _ in range(count))
    return array.array("B" if highest < 256 else "H", values)


def random_video(seed, kind, width, height, frames):
    rng = random.Random(seed)
    video = Video(kind, width, height)
    for _ in range(frames):
        video.frames.append([random_plane(rng, width * height, video.highest)
                             for width, height in map(video.size, range(video.planes))])
    return video


def write_pgm(path, samples, width, height):
    """Samples of 9 to 16 bits are written as they are, into a range of 16 bits."""
    highest = 255 if samples.itemsize == 1 else 65535
    with open(path, "wb") as file:
        file.write(b"P5 %d %d %d\n" % (width, height, highest) + stored(samples, "big"))


def read_pgm(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, size, highest, samples = data.split(b"\n", 3)
    assert magic == b"P5" and size and highest in (b"255", b"65535"), data[:30]
    values = array.array("B" if highest == b"255" else "H", samples)
    order(values, "big")
    return values
