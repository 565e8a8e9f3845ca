"""Images in files, bytes and file objects."""
import io
import pickle
import struct

import numpy as np
import pytest

import swathe

FORMATS = [row["name"] for row in swathe.formats() if row["available"] and row["name"] != "pfm"]
LOSSY = {"jpeg"}


@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(photo, tmp_path, format):
    more = {"lossless": 1} if format == "webp" else {}
    path = tmp_path / f"photo.{format}"
    swathe.imwrite(path, photo, format=format, **more)
    data = swathe.imwrite(None, photo, format=format, **more)
    assert path.read_bytes() == data
    for source in path, str(path), data, bytearray(data), io.BytesIO(data), open(path, "rb"):
        if format == "tga" and not isinstance(source, (str, type(path))) and \
                not hasattr(source, "name"):
            continue  # it is recognised by its name
        read = swathe.imread(source)
        assert read.shape == photo.shape and read.dtype == photo.dtype
        if format not in LOSSY:
            assert np.array_equal(read, photo)


@pytest.mark.parametrize("format", ["png", "tiff", "pnm"])
def test_parts_and_chains(photo, format):
    """TIFF and PNM are read in parts, PNG from its start."""
    image = swathe.open(swathe.imwrite(None, photo, format=format))
    assert (image.shape, image.ndim, image.dtype) == (photo.shape, 3, photo.dtype)
    expected = swathe.apply(photo, "sharpen,gaussian:5")
    lazy = image.apply("sharpen").apply("gaussian:5")
    for cut in np.s_[10:20, 5:9], np.s_[:, :], np.s_[50:3:-2, ::3], np.s_[5:5, :], np.s_[-9:], \
            np.s_[2:30, 1:80, 1]:
        assert np.array_equal(image[cut], photo[cut]), cut
        assert np.array_equal(lazy[cut], expected[cut]), cut
    assert np.array_equal(np.asarray(lazy), expected)
    assert np.array_equal(swathe.imread(lazy.save(None, format="png")), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(lazy)).to_numpy(), expected)
    for wrong in np.s_[3], np.s_[3, 4], np.s_[1:2, 3:4, 0, 0]:
        with pytest.raises(IndexError):
            image[wrong]
    image.close()
    with pytest.raises(ValueError, match="closed"):
        image.to_numpy()
    assert np.array_equal(lazy.to_numpy(), expected)


def test_only_the_parts_that_are_needed_are_read(tmp_path):
    """A file object counts the bytes that are read of a tiled file."""
    big = np.random.default_rng(1).integers(0, 256, (2048, 2048), np.uint8)
    data = swathe.imwrite(None, big, format="tiff", tile=256, compression="none")

    class Counting(io.BytesIO):
        count = 0

        def read(self, size=-1):
            bytes_read = super().read(size)
            Counting.count += len(bytes_read)
            return bytes_read

    image = swathe.open(Counting(data)).apply("gaussian:9")
    Counting.count = 0
    part = image[1000:1100, 900:1000]
    assert np.array_equal(part, swathe.apply(big, "gaussian:9")[1000:1100, 900:1000])
    assert Counting.count < len(data) // 4


def test_saving(photo, tmp_path):
    path = tmp_path / "a.png"
    image = swathe.open(swathe.imwrite(None, photo, format="tiff"))
    image.apply("gaussian:5").save(path)
    with pytest.raises(FileExistsError):
        image.save(path)
    image.save(path, overwrite=True)
    assert np.array_equal(swathe.imread(path), photo)
    wide = swathe.open(swathe.imwrite(None, photo.astype(np.uint16) * 257, format="tiff"))
    assert np.array_equal(swathe.imread(wide.save(None, format="jpeg", quality=100)).shape,
                          photo.shape)  # scaled to u8, as JPEG has no u16
    with pytest.raises(TypeError, match="qualty"):
        image.save(tmp_path / "b.jpg", qualty=3)
    assert not (tmp_path / "b.jpg").exists()


def test_images_of_paths_are_pickled(photo, tmp_path):
    swathe.imwrite(tmp_path / "a.png", photo)
    image = swathe.open(tmp_path / "a.png").apply("box:3")
    assert np.array_equal(pickle.loads(pickle.dumps(image)).to_numpy(), image.to_numpy())


def test_exceptions_of_file_objects_arrive():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise ZeroDivisionError("unplugged")

    with pytest.raises(ZeroDivisionError, match="unplugged"):
        swathe.open(Broken(b"x" * 1000))


def test_limits():
    data = swathe.imwrite(None, np.zeros((500, 500, 3), np.uint8), format="webp")
    with pytest.raises(swathe.LimitError) as caught:
        swathe.imread(data, max_pixels=1000)
    assert caught.value.subject == "max_pixels"
    assert swathe.imread(data, max_pixels=caught.value.needed).shape == (500, 500, 3)


def test_notebooks_show_pictures(photo):
    shown = swathe.open(swathe.imwrite(None, photo, format="tiff")).apply("box:3")._repr_png_()
    assert np.array_equal(swathe.imread(shown), swathe.apply(photo, "box:3"))


def linear_profile():
    """An ICC profile of grey images whose samples are light."""
    tags = [(b"wtpt", b"XYZ \0\0\0\0" + struct.pack(">3i", 63190, 65536, 54061)),
            (b"kTRC", b"curv\0\0\0\0" + struct.pack(">I", 0))]
    table, data = struct.pack(">I", len(tags)), b""
    for name, tag in tags:
        table += struct.pack(">4sII", name, 128 + 4 + 12 * len(tags) + len(data), len(tag))
        data += tag + bytes(-len(tag) % 4)
    header = struct.pack(">I4sI4s4s4s12s4s", 128 + len(table) + len(data), b"\0\0\0\0", 0x02400000,
                         b"mntr", b"GRAY", b"XYZ ", bytes(12), b"acsp")
    header += bytes(68 - len(header)) + struct.pack(">3i", 63190, 65536, 54061)
    return header + bytes(128 - len(header)) + table + data


def test_light_is_that_of_the_profile(photo):
    grey = np.ascontiguousarray(photo[..., 0])
    image = swathe.open(swathe.imwrite(None, grey, format="tiff", icc=linear_profile()))
    linear = image.apply("box:9", light="linear").to_numpy().astype(int)
    assert np.abs(linear - swathe.apply(grey, "box:9")).max() <= 1
    assert np.abs(linear - swathe.apply(grey, "box:9", light="linear")).max() > 20  # sRGB's curve
