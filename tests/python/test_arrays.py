"""Arrays of any layout: the same results, without a copy."""
import ctypes
import subprocess
import sys

import numpy as np
import pytest

import swathe

CHAIN = "sharpen,gaussian:5"
TYPES = "uint8 uint16 int16 float32 uint32 int32 float64".split()


def layouts(image):
    """Views of the same samples with other strides, and their channel_axis."""
    yield "C order", image, -1
    yield "Fortran order", np.asfortranarray(image), -1
    yield "channels first", np.ascontiguousarray(np.moveaxis(image, -1, 0)), 0
    yield "channels between", np.ascontiguousarray(np.moveaxis(image, -1, 1)), 1
    yield "rows backwards", np.ascontiguousarray(image[::-1])[::-1], -1
    yield "columns backwards", np.ascontiguousarray(image[:, ::-1])[:, ::-1], -1
    wide = np.zeros((2 * image.shape[0], 3 * image.shape[1], 4), image.dtype)
    wide[1::2, ::3, :3] = image
    yield "every second row and third column", wide[1::2, ::3, :3], -1
    locked = image.copy()
    locked.setflags(write=False)
    yield "read-only", locked, -1


@pytest.mark.parametrize("dtype", TYPES)
def test_layouts_give_the_same_samples(photo, dtype):
    image = photo.astype(dtype)
    expected = swathe.apply(image, CHAIN, exact=True)
    for name, view, axis in layouts(image):
        result = swathe.apply(view, CHAIN, channel_axis=axis, exact=True)
        assert np.array_equal(np.moveaxis(result, axis, -1), expected), name


def test_out_of_any_layout(photo):
    expected = swathe.apply(photo, CHAIN)
    for name, view, axis in layouts(np.zeros_like(photo)):
        if view.flags.writeable:
            source = np.moveaxis(photo, -1, axis)
            assert swathe.apply(source, CHAIN, channel_axis=axis, out=view) is view
            assert np.array_equal(np.moveaxis(view, axis, -1), expected), name


def test_read_only_out_is_refused(photo):
    out = np.zeros_like(photo)
    out.setflags(write=False)
    with pytest.raises((ValueError, BufferError)):
        swathe.apply(photo, CHAIN, out=out)


def test_out_that_overlaps_is_refused(photo):
    with pytest.raises(swathe.ArgumentError, match="overlap"):
        swathe.apply(photo, CHAIN, out=photo)


def test_leading_dimensions_are_a_batch(photo):
    batch = np.stack([np.roll(photo, i, 0) for i in range(6)]).reshape(2, 3, *photo.shape)
    result = swathe.apply(batch, CHAIN)
    assert result.shape == batch.shape
    for i in range(2):
        for j in range(3):
            assert np.array_equal(result[i, j], swathe.apply(batch[i, j], CHAIN))
    grey = batch[..., 0]
    assert np.array_equal(swathe.apply(grey, CHAIN, channel_axis=None)[1, 2],
                          swathe.apply(grey[1, 2], CHAIN))


def test_an_empty_batch_has_an_empty_result():
    for shape, axis, chain, expected in [((0, 5, 6), None, "box:3:border=valid", (0, 3, 4)),
                                         ((2, 0, 5, 6, 3), -1, "grey", (2, 0, 5, 6, 1))]:
        result = swathe.apply(np.zeros(shape, np.uint8), chain, channel_axis=axis, dtype="int16")
        assert result.shape == expected and result.dtype == np.int16
        out = np.zeros(expected, np.uint8)
        assert swathe.apply(np.zeros(shape, np.uint8), chain, channel_axis=axis, out=out) is out
        for kind in np.zeros, np.ma.zeros:
            result = swathe.apply(kind(shape, np.int64), chain, channel_axis=axis)
            assert result.shape == expected and result.dtype == np.int64


def test_channels_may_change(photo):
    assert swathe.apply(photo, "grey").shape == (*photo.shape[:2], 1)
    stacked = swathe.apply(photo[..., 0], "mask:(1):(0 1 0):join=stack")
    assert stacked.shape == (*photo.shape[:2], 2)
    assert np.array_equal(stacked[..., 0], photo[..., 0])


class Interface:
    """An object that only has __array_interface__."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class DLPack:
    """An object that only has DLPack's methods."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keys):
        return self.array.__dlpack__(**keys)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_objects_of_other_libraries(photo):
    expected = swathe.apply(photo, CHAIN)
    for wrap in Interface, DLPack, memoryview:
        assert np.array_equal(swathe.apply(wrap(photo), CHAIN), expected), wrap
    data = (ctypes.c_uint8 * 6 * 5)()
    assert swathe.apply(data, "box:3").shape == (5, 6)
    assert swathe.apply([[1.0, 2.0], [3.0, 4.0]], "identity").tolist() == [[1, 2], [3, 4]]


OTHERS = {"bool": "uint8", "int8": "int16", "float16": "float32", "int64": "float64",
          "uint64": "float64", "longlong": "float64", ">f4": "float32", ">u2": "uint16",
          ">i8": "float64", ">f8": "float64"}


@pytest.mark.parametrize("name", OTHERS)
def test_other_types_are_converted(photo, name):
    """The result has the image's type: what NumPy makes of one in a type that is not converted."""
    image = (photo % 2 if name == "bool" else photo // 2).astype(name)
    native = image.dtype.newbyteorder("=")
    between = swathe.apply(image.astype(OTHERS[name]), CHAIN)
    expected = np.floor(between + 0.5) if between.dtype.kind == "f" and native.kind != "f" else between
    if native.kind in "iu":
        expected = expected.clip(np.iinfo(native).min, min(np.iinfo(native).max, 2 ** 62))
    expected = expected.astype(native)
    result = swathe.apply(image, CHAIN)
    assert result.dtype == native and np.array_equal(result, expected)
    out = np.zeros(photo.shape, native)
    assert swathe.apply(image, CHAIN, out=out) is out and np.array_equal(out, expected)
    assert swathe.apply(image, CHAIN + ":type=f64").dtype == np.float64
    assert swathe.apply(image, CHAIN, dtype="f4").dtype == np.float32
    assert np.array_equal(swathe.apply(np.ma.masked_less(image, 0), CHAIN).dtype, native)


def test_other_types_of_results(photo):
    assert np.array_equal(swathe.apply(photo, "sobel-x", dtype="int64"),
                          swathe.apply(photo, "sobel-x", dtype="int32"))
    ramp = np.array([[0.0, 0.25, 0.5, 0.75, 1, 300]])
    for image in ramp, np.ma.masked_less(ramp, 0):
        result = swathe.apply(image, "identity", dtype=bool)
        assert result.dtype == np.bool_ and result.tolist() == [[False, False, True, True, True, True]]
        assert swathe.apply(image - 200, "identity", dtype="i1").tolist() == \
            [[-128, -128, -128, -128, -128, 100]]
    assert swathe.apply(ramp > 1, "identity", dtype="uint16").max() == 1  # a number, not a range
    masked = np.ma.masked_less(photo, 3)
    assert swathe.apply(masked, "sobel-x:type=s16,abs").dtype == np.int16


@pytest.mark.parametrize("dtype", [complex, np.longdouble, object, "M8[s]", "S3"])
def test_other_samples_are_refused(dtype):
    wrong = np.zeros((4, 4), dtype)
    for call in (lambda: swathe.apply(wrong, CHAIN),
                 lambda: swathe.apply(np.zeros((4, 4)), CHAIN, dtype=dtype),
                 lambda: swathe.apply(np.ma.MaskedArray(wrong), CHAIN)):
        with pytest.raises(TypeError, match="convert"):
            call()


def test_conversions_that_would_lose_something_are_refused():
    for number in 2 ** 53 + 2, -2 ** 53 - 2:
        with pytest.raises(swathe.ArgumentError, match="beyond 2.53"):
            swathe.apply(np.full((4, 4), number), CHAIN)
    assert swathe.apply(np.full((4, 4), 2 ** 53), "identity").max() == 2 ** 53
    for option in {"light": "linear"}, {"values": "scale", "dtype": "uint8"}:
        with pytest.raises(TypeError, match="range; convert"):
            swathe.apply(np.zeros((4, 4), np.int64), CHAIN, **option)
    with pytest.raises(ValueError, match="out is"):
        swathe.apply(np.zeros((4, 4), np.int64), CHAIN, out=np.zeros((4, 4)))


def test_wrong_shapes_are_refused(photo):
    for wrong in np.zeros(5, np.uint8), np.zeros((0, 4), np.uint8):
        with pytest.raises(ValueError):
            swathe.apply(wrong, CHAIN)
    with pytest.raises(ValueError, match="channel_axis"):
        swathe.apply(photo, CHAIN, channel_axis=3)
    with pytest.raises(ValueError, match="out is"):
        swathe.apply(photo, CHAIN, out=np.zeros((2, 2), np.uint8))


PEAK = """
import resource, sys
import numpy as np, swathe
side = 6000
image = {make}
out = np.zeros_like(image)
swathe.apply(image[:9, :9] if {axis} else image[..., :9, :9], "gaussian:5", channel_axis={axis})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
swathe.apply(image, "gaussian:5", channel_axis={axis}, out=out)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

print(grown, image.nbytes // 1024)
"""


@pytest.mark.parametrize("make, axis", [
    ("np.ones((side, side), np.uint8)", None),
    ("np.ones((side, side), np.uint8, order='F')", None),
    ("np.ones((3, side // 2, side // 2), np.uint8)", 0),
    ("np.ones((2 * side, side // 2), np.float32)[::-2, ::-2]", None),
    ("np.ones((side // 2, side // 2, 3), np.uint16)", -1)])
def test_peak_memory_shows_no_copy(make, axis):
    """A copy of the image would raise the peak by its size; a run may keep some rows."""
    done = subprocess.run([sys.executable, "-c", PEAK.format(make=make, axis=axis)],
                          check=True, capture_output=True, text=True)
    grown, size = map(int, done.stdout.split())
    assert grown < size // 4, f"{grown} KiB more for an image of {size} KiB"


def test_addresses_show_no_copy(photo):
    """What the extension module gets is the caller's memory."""
    from swathe._arrays import as_array

    for wrap in Interface, DLPack, memoryview, np.asfortranarray, lambda a: a[::-1, ::2], \
            lambda a: a.view(type("Sub", (np.ndarray,), {})):
        given = wrap(photo)
        viewed = as_array(given)
        inner = given if isinstance(given, np.ndarray) else photo
        assert viewed.__array_interface__["data"][0] == inner.__array_interface__["data"][0]
        assert viewed.strides == inner.strides
