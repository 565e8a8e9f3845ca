"""The commands whose calls fail, and their input files."""
import os
import shutil
import subprocess

import image_bytes

ENCODINGS = ("none", "lzw", "deflate", "zstd")
JOURNAL = ".swathe-batch.journal"


class Command:
    """One command: `arguments` name inputs as in/NAME. The files in its directory afterwards are
    its result; `folder` is the initial content of the directory. `resume` holds arguments that
    complete a batch."""

    def __init__(self, name, arguments, needs=(), stdin=None, folder=None, resume=()):
        self.name = name
        self.arguments = arguments
        self.needs = needs
        self.stdin = stdin
        self.folder = folder
        self.resume = resume

    @property
    def batch(self):
        return bool(self.resume)


# ---- Inputs ---------------------------------------------------------------------------------------

def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def ppm(width, height, largest):
    size = 2 if largest > 255 else 1
    values = ((x * 5 + y * 3 + c * 40 + x * y) * largest // 900 % (largest + 1)
              for y in range(height) for x in range(width) for c in range(3))
    return f"P6\n{width} {height}\n{largest}\n".encode() + b"".join(v.to_bytes(size, "big")
                                                                    for v in values)


def large_ppm(width, height):
    """Returns an image that is large enough for two threads in every format."""
    pattern = bytes((i * 7 + i // 50) & 255 for i in range(3 * width + 256))
    return f"P6 {width} {height} 255\n".encode() + b"".join(pattern[y % 256:][:3 * width]
                                                            for y in range(height))


def y4m(width, height, kind, frame_bytes):
    """Returns a video of five frames, whose samples of 10 bits are below 256."""
    step = 2 if kind.endswith("10") else 1
    frame = bytes(0 if i % step else (i * 7 + i // 50) & 255 for i in range(frame_bytes))
    return f"YUV4MPEG2 W{width} H{height} F25:1 Ip C{kind}\n".encode() + 5 * (b"FRAME\n" + frame)


def make_inputs(swathe, formats, folder):
    """Writes the inputs to `folder`, except those of formats that this build lacks."""
    def run(*arguments):
        subprocess.run([swathe, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    os.mkdir(folder)
    write(f"{folder}/u8.ppm", ppm(40, 30, 255))
    write(f"{folder}/u16.ppm", ppm(40, 30, 65535))
    write(f"{folder}/large.ppm", large_ppm(1000, 1000))
    write(f"{folder}/plain.pgm", b"P2 40 30 255\n" + b"\n".join(b"%d" % (i % 256) for i in range(1200)))
    write(f"{folder}/alpha.pam", b"P7\nWIDTH 40\nHEIGHT 30\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" +
          bytes(i * 7 & 255 for i in range(4800)))
    write(f"{folder}/u8.y4m", y4m(40, 30, "420", 1800))
    write(f"{folder}/u10.y4m", y4m(40, 30, "mono10", 2400))
    write(f"{folder}/mask.txt", b"0 -1 0\n-1 5 -1\n0 -1 0\n")
    run("apply", "identity", "u8.ppm", "grey.pam")
    run("apply", "sobel-x", "u8.ppm", "f32.pfm", "--type", "f32")
    write(f"{folder}/names.txt", "".join(f"{folder}/batch/{i}.ppm\n" for i in range(4)).encode())
    os.mkdir(f"{folder}/batch")
    for i in range(4):
        write(f"{folder}/batch/{i}.ppm", ppm(16 + i, 12, 255))
    if "png" in formats:
        write(f"{folder}/interlaced.png", image_bytes.interlaced_png(40, 30))
    if "jpeg" in formats:
        run("apply", "identity", "u8.ppm", "plain.jpg")
        with open(f"{folder}/plain.jpg", "rb") as file:
            write(f"{folder}/meta.jpg", image_bytes.with_metadata(file.read(), 6))
        write(f"{folder}/progressive.jpg",
              image_bytes.progressive_jpeg(40, 30, [(1, 5), (6, 63)]))
        for name, format in (("meta.png", "png"), ("meta.tif", "tiff"), ("meta.webp", "webp")):
            if format in formats:
                run("apply", "identity", "meta.jpg", name)
    if "webp" in formats:
        run("apply", "identity", "u8.ppm", "lossless.webp", "--quality", "lossless")
    if "tiff" in formats:
        make_tiffs(run, folder)
    for name, source, output in (("bmp", "u8.ppm", "u8.bmp"), ("tga", "u8.ppm", "u8.tga")):
        if name in formats:
            run("apply", "identity", source, output)


def make_tiffs(run, folder):
    write(f"{folder}/planar.tif", image_bytes.planar_tiff(40, 30))
    write(f"{folder}/big.btf", image_bytes.planar_tiff(40, 30, big=True))
    write(f"{folder}/pages.tif", image_bytes.pages_tiff(3))
    run("apply", "sobel-x", "u8.ppm", "f64.tif", "--type", "f64")
    for encoding in ENCODINGS:
        for name in ("u8.ppm", "u16.ppm", "f32.pfm", "f64.tif"):
            kind = name.partition(".")[0]
            run("apply", "identity", name, f"{kind}-{encoding}-strips.tif", "--compression", encoding)
            run("apply", "identity", name, f"{kind}-{encoding}-tiles.tif", "--compression", encoding,
                "--tile", "16")


def half_done(swathe, root):
    """Returns a new directory in which a batch has processed two of its four images."""
    folder = f"{root}/half"
    os.mkdir(folder)
    subprocess.run([swathe, "batch", "sharpen", f"{root}/in/batch/0.ppm", f"{root}/in/batch/2.ppm",
                    "--out", "out", "--quiet"], cwd=folder, check=True)
    return folder


def old_result(root):
    folder = f"{root}/old"
    os.mkdir(folder)
    shutil.copyfile(f"{root}/in/batch/1.ppm", f"{folder}/out.ppm")
    return folder


# ---- Commands ---------------------------------------------------------------------------------------

TWO = ("--threads", "2", "--cell-rows", "8")


def apply(name, chain, source, output, *options, needs=()):
    return Command(name, ["apply", chain, f"in/{source}", output, *options], needs)


def of_formats():
    """Yields commands that read and write each format, with metadata, with one thread and with
    two."""
    pairs = [("png", "meta.png", "out.png"), ("interlaced png", "interlaced.png", "out.png"),
             ("jpeg", "meta.jpg", "out.jpg"), ("progressive jpeg", "progressive.jpg", "out.jpg"),
             ("tiff", "meta.tif", "out.tif"), ("planar tiff", "planar.tif", "out.tif"),
             ("bigtiff", "big.btf", "out.btf"), ("pages tiff", "pages.tif", "out.tif"),
             ("webp", "meta.webp", "out.webp"), ("lossless webp", "lossless.webp", "out.webp"),
             ("pnm", "u8.ppm", "out.ppm"), ("plain pnm", "plain.pgm", "out.pgm"),
             ("pam", "grey.pam", "out.pam"), ("pfm", "f32.pfm", "out.pfm"),
             ("bmp", "u8.bmp", "out.bmp"), ("tga", "u8.tga", "out.tga")]
    owners = {"btf": "tiff", "tif": "tiff", "jpg": "jpeg", "png": "png", "webp": "webp", "bmp": "bmp",
              "tga": "tga"}
    for name, source, output in pairs:
        needs = [owners[end] for end in (output.partition(".")[2],) if end in owners]
        if name == "png" or "meta" in source:
            needs.append("jpeg")
        yield apply(f"{name}, 1 thread", "sharpen", source, output, "--threads", "1", needs=needs)
        yield apply(f"{name}, 2 threads", "sharpen", source, output, *TWO, needs=needs)


def of_tiffs():
    for encoding in ENCODINGS:
        for kind in ("u8", "u16", "f32", "f64"):
            for layout, options in (("strips", ()), ("tiles", ("--tile", "16"))):
                yield apply(f"tiff {kind} {encoding} {layout}", "gaussian:5",
                            f"{kind}-{encoding}-{layout}.tif", "out.tif", "--compression", encoding,
                            *options, *TWO, needs=["tiff"])


def of_options():
    for name, output in (("png", "out.png"), ("jpeg", "out.jpg"), ("tiff", "out.tif"),
                         ("pnm", "out.ppm")):
        yield apply(f"large {name}", "sharpen", "large.ppm", output, "--threads", "2",
                    needs=() if name == "pnm" else [name])
    yield apply("jpeg small", "sharpen", "meta.jpg", "out.jpg", "--compression", "small",
                needs=["jpeg"])
    yield apply("lossless to webp", "sharpen", "u8.ppm", "out.webp", "--quality", "lossless",
                needs=["webp"])
    yield apply("orient to png", "sharpen", "meta.jpg", "out.png", "--orient", needs=["jpeg", "png"])
    yield apply("orient to tiff", "sharpen", "meta.jpg", "out.tif", "--orient", *TWO,
                needs=["jpeg", "tiff"])
    yield apply("background", "sharpen", "alpha.pam", "out.ppm", "--background", "white")
    yield apply("u16 to png", "sharpen,gaussian:5", "u16.ppm", "out.png", *TWO, needs=["png"])
    yield apply("wrap", "gaussian:9", "u8.ppm", "out.ppm", "--border", "wrap")
    yield apply("mask of a file", "mask:@in/mask.txt", "u8.ppm", "out.ppm")
    yield apply("many filters", "disk:6,motion:9:angle=30,emboss,sobel-x",
                "u8.ppm", "out.pfm", "--type", "f32", *TWO)
    yield apply("fourier", "disk:9", "f32.pfm", "out.pfm", "--algorithm", "fourier")
    yield apply("low-rank", "disk:9", "f32.pfm", "out.pfm", "--algorithm", "low-rank")
    yield apply("region", "sharpen", "u8.ppm", "out.ppm", "--region", "20x10+5+5")
    yield apply("video", "sharpen", "u10.y4m", "out.y4m", "--threads", "2")
    yield Command("video pipes", ["apply", "sharpen,gaussian:5", "-", "-"], stdin="u8.y4m")
    yield Command("pipes", ["apply", "sharpen", "-", "-", "--format", "pnm"], stdin="u8.ppm")
    yield Command("tiff from a pipe", ["apply", "sharpen", "-", "out.tif"], ["tiff"],
                  stdin="u8-lzw-strips.tif")


def of_commands():
    yield Command("info", ["info", "in/u8.ppm"])
    yield Command("info --json", ["info", "in/meta.jpg", "--json"], ["jpeg"])
    yield Command("info of a tiff", ["info", "in/pages.tif", "--json"], ["tiff"])
    yield Command("explain", ["explain", "sharpen,gaussian:9", "in/u8.ppm"])
    yield Command("explain --json", ["explain", "gaussian:sigma=4", "600x400x1:u16", "--json"])
    yield Command("explain --problem", ["explain", "sharpen", "60x40", "--problem"])
    yield Command("compare", ["compare", "in/u8.ppm", "in/u8.ppm"])
    yield Command("compare tiffs", ["compare", "in/u8-lzw-strips.tif", "in/u8-zstd-tiles.tif"],
                  ["tiff"])
    for table in ("filters", "borders", "formats"):
        yield Command(table, [table])
        yield Command(f"{table} --json", [table, "--json"])
    yield Command("filters gaussian:9", ["filters", "gaussian:9"])
    yield Command("help", ["help", "apply"])


def of_batches(half):
    batch = ["batch", "sharpen", "--from", "in/names.txt", "--out", "out", "--no-progress"]
    resume = batch + ["--resume"]
    yield Command("batch, 1 thread", batch + ["--threads", "1"], resume=resume)
    yield Command("batch, 2 threads", batch + ["--threads", "2"], resume=resume)
    piped = [word if word != "in/names.txt" else "-" for word in batch]
    yield Command("batch --from -", piped, stdin="names.txt", resume=resume)
    folder = ["batch", "sharpen", "in/batch", "--recursive", "--out", "out", "--no-progress"]
    yield Command("batch of a directory", folder + ["--threads", "1"], resume=folder + ["--resume"])
    yield Command("batch --resume", resume, folder=half, resume=resume)


def all_commands(root, half):
    """Returns all commands, with absolute names of the inputs."""
    found = [*of_formats(), *of_tiffs(), *of_options(), *of_commands(), *of_batches(half)]
    found.append(Command("overwrite", ["apply", "sharpen", "in/u8.ppm", "out.ppm", "--overwrite"],
                         folder=old_result(root)))
    for command in found:
        command.arguments = [word.replace("in/", f"{root}/in/") for word in command.arguments]
        command.resume = [word.replace("in/", f"{root}/in/") for word in command.resume]
    return found
