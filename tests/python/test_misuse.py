"""What programs do by mistake, and what files and callbacks do to them."""
import io
import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import swathe


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_masked_channels_keep_to_themselves(photo, dtype):
    image = np.ma.masked_equal(photo[:20, :25, :2], 5).astype(dtype)
    doubles = swathe.apply(image.astype("float64"), "mask:(1):(2)")
    result = swathe.apply(image, "mask:(1):(2)")
    assert np.array_equal(result.mask, doubles.mask)
    assert np.array_equal(result.filled(0), np.clip(doubles.filled(0), 0, 255 if dtype == "uint8"
                                                    else None).astype(dtype))


def test_masked_arrays_change_their_channels(photo):
    grey = np.ma.masked_less(photo[..., 1], 60)
    assert swathe.apply(grey, "gradient:join=stack", dtype="int16").shape == (*grey.shape, 2)
    assert swathe.apply(np.ma.masked_less(photo, 60), "grey").shape == (*grey.shape, 1)
    calls = []
    swathe.apply(grey, "box:3", progress=lambda *done: calls.append(done))
    assert calls
    for function in swathe.Plan("box:3", grey.shape), lambda a: swathe.imwrite(None, a, format="png"):
        with pytest.raises(TypeError):
            function(grey)


def test_results_of_a_batch_do_not_overlap(photo):
    batch = np.ascontiguousarray(np.moveaxis(photo, -1, 0))
    memory = np.zeros(2 * batch.size, np.uint8)
    rows, columns = batch.shape[1:]
    for strides in (rows * columns // 2, columns, 1), (0, columns, 1), (columns, columns, 1):
        out = np.lib.stride_tricks.as_strided(memory, batch.shape, strides)
        with pytest.raises(swathe.ArgumentError, match="samples of out overlap"):
            swathe.apply(batch, "box:3", channel_axis=None, out=out)
    with pytest.raises(swathe.ArgumentError, match="image and out overlap"):
        swathe.apply(batch, "box:3", channel_axis=None, out=batch[::-1])


def test_results_of_a_batch_may_interleave(photo):
    batch = np.ascontiguousarray(np.moveaxis(photo, -1, 0))
    expected = swathe.apply(batch, "box:3", channel_axis=None)
    wide = np.zeros((batch.shape[1], 3 * batch.shape[2]), np.uint8)  # one beside the other
    beside = wide.reshape(batch.shape[1], 3, batch.shape[2]).transpose(1, 0, 2)
    for out in np.moveaxis(np.zeros_like(photo), -1, 0), np.zeros_like(batch)[::-1, :, ::-1], beside:
        assert np.array_equal(swathe.apply(batch, "box:3", channel_axis=None, out=out), expected)


def test_a_stack_without_channel_axis_warns_once_per_call():
    """At the caller's line, however the call is made."""
    stack = np.zeros((4, 30, 17), np.uint8)
    chain = swathe.box(3)
    for call in (lambda: swathe.apply(stack, "box:3"), lambda: chain(stack),
                 lambda: swathe.apply(np.ma.masked_equal(stack, 1), "box:3"),
                 lambda: swathe.Plan("box:3", stack.shape)):
        with pytest.warns(UserWarning, match="17 channels.*channel_axis=None") as caught:
            call()
            call()
        assert len(caught) == 2 and {warning.filename for warning in caught} == {__file__}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            swathe.apply(stack, "box:3")
        swathe.apply(stack, "box:3")
    assert len(caught) == 2


def test_channels_that_are_named_do_not_warn():
    stack = np.zeros((4, 30, 17), np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for axis in -1, 2, 0, None:
            plan = swathe.Plan("box:3", stack.shape, channel_axis=axis)
            assert np.array_equal(plan(stack), swathe.apply(stack, "box:3", channel_axis=axis))
        swathe.apply(stack[..., :16], "box:3")
        swathe.apply(stack[0], "box:3")
        pickle.loads(pickle.dumps(swathe.Plan("box:3", stack.shape, channel_axis=-1)))


def test_misaligned_arrays_are_refused_with_advice():
    packed = np.zeros((9, 9), [("a", "u1"), ("b", "f4")])["b"]
    with pytest.raises(ValueError, match="np.require"):
        swathe.apply(packed, "box:3")


def test_a_replaced_file_is_noticed(photo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    swathe.imwrite("a.png", photo)
    image = swathe.open("a.png")
    os.mkdir("below")
    monkeypatch.chdir("below")
    assert np.array_equal(image[:, :], photo) and np.array_equal(image[:, :], photo)
    swathe.imwrite("../a.png", 255 - photo, overwrite=True)
    with pytest.raises(OSError, match="changed"):
        image[0:1, 0:1]


def test_callbacks_may_use_the_image(photo):
    image = swathe.open(swathe.imwrite(None, photo, format="tiff"))
    parts = []
    image.save(None, format="png", progress=lambda *done: parts.append(image[:5, :5]))
    assert parts and np.array_equal(parts[0], photo[:5, :5])
    image.save(None, format="png", progress=lambda *done: image.close())
    with pytest.raises(ValueError, match="closed"):
        image.save(None, format="png")


class Failing(io.BytesIO):
    """A file that may fail, as one on a network does."""

    error = None

    def read(self, size=-1):
        if self.error:
            raise self.error
        return bytearray(super().read(size))


@pytest.mark.parametrize("format", ["tiff", "png", "pnm"])
@pytest.mark.parametrize("error", [TimeoutError("net"), KeyboardInterrupt()])
def test_a_failed_read_can_be_repeated(photo, format, error):
    file = Failing(swathe.imwrite(None, np.tile(photo, (9, 9, 1)), format=format))
    image = swathe.open(file)
    for use in (lambda: image[:, :]), (lambda: image.save(None, format="png")):
        file.error = error
        with pytest.raises(type(error)):
            use()
        file.error = None
        assert np.array_equal(image[10:20, 30:40], np.tile(photo, (9, 9, 1))[10:20, 30:40])


class Signalling(io.BytesIO):
    """A file during whose reads a signal arrives."""

    armed = False

    def read(self, size=-1):
        if self.armed:
            self.armed = False
            signal.raise_signal(signal.SIGUSR1)
        return super().read(size)


def waited_for_ever(*arguments):
    raise TimeoutError("the call waits for itself")


@pytest.fixture
def in_handler():
    """Sets the handler of a signal; a call that waits for ever fails after 10 s."""
    before = signal.getsignal(signal.SIGUSR1), signal.signal(signal.SIGALRM, waited_for_ever)
    signal.alarm(10)
    yield lambda function: signal.signal(signal.SIGUSR1, lambda *arguments: function())
    signal.alarm(0)
    signal.signal(signal.SIGUSR1, before[0])
    signal.signal(signal.SIGALRM, before[1])


@pytest.mark.parametrize("format", ["tiff", "png"])
def test_a_signal_handler_closes_the_image_after_the_read(photo, format, in_handler):
    photo = np.tile(photo, (9, 9, 1))
    file = Signalling(swathe.imwrite(None, photo, format=format))
    image = swathe.open(file)
    in_handler(image.close)
    file.armed = True
    assert np.array_equal(image[:, :], photo) and not file.armed
    with pytest.raises(ValueError, match="closed"):
        image[:5, :5]


@pytest.mark.parametrize("filtered", [False, True])
def test_a_signal_handler_does_not_read_within_a_read(photo, filtered, in_handler):
    """Nor the image of another chain, which has the same file object."""
    photo = np.tile(photo, (9, 9, 1))
    file = Signalling(swathe.imwrite(None, photo, format="tiff"))
    image = swathe.open(file)
    other = image.apply("box:3") if filtered else image
    in_handler(lambda: other[300:305, 300:305])
    file.armed = True
    with pytest.raises(RuntimeError, match="signal handler"):
        image[:, :]
    assert np.array_equal(image[:, :], photo) and other[300:305].shape == (5, 747, 3)


@pytest.fixture
def interruptible():
    """Ctrl-C as at a terminal: shells let background processes ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("format", ["jpeg", "webp", "tiff", "png"])
def test_ctrl_c_while_saving(format, tmp_path, interruptible):
    """KeyboardInterrupt, and no partial file."""
    data = swathe.imwrite(None, np.zeros((3000, 3000, 3), np.uint8), format=format)
    for delay in 0.01, 0.05, 0.1:
        timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                swathe.open(data).apply("gaussian:31").save(tmp_path / "a.png", overwrite=True)
        timer.join()
        assert [path.name for path in tmp_path.iterdir()] in ([], ["a.png"])
        if (tmp_path / "a.png").exists():
            assert swathe.imread(tmp_path / "a.png").shape == (3000, 3000, 3)


def test_fork_while_an_image_is_used(photo):
    image = swathe.open(swathe.imwrite(None, np.tile(photo, (20, 20, 1)), format="tiff"))
    expected, stop = image[:50, :50], threading.Event()

    def use():
        while not stop.is_set():
            image[:, :]

    thread = threading.Thread(target=use)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(0 if np.array_equal(image[:50, :50], expected) else 1)
            limit = time.monotonic() + 30
            while (status := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < limit:
                time.sleep(0.01)
            if status == (0, 0):
                os.kill(child, signal.SIGKILL)
            assert status[1] == 0
    finally:
        stop.set()
        thread.join()


def test_texts():
    for count in range(40, 60):
        with pytest.raises(swathe.ArgumentError):
            swathe.Chain("x" + "é" * count)
        with pytest.raises(OSError):
            swathe.open("x" + "é" * 10 * count)
    with pytest.raises(ValueError, match="null"):
        swathe.Chain("box:3\0,box:9")
    with pytest.raises(ValueError, match="null"):
        swathe.apply(np.zeros((4, 4), np.uint8), "box:3", border="wrap\0evil")


def test_names_that_are_not_utf_8(photo, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.png")
    swathe.imwrite(path, photo)
    assert np.array_equal(swathe.imread(path), photo)
    with open(path, "rb") as file:
        swathe.open(file).save(path, overwrite=True)


def test_images_are_not_iterated(photo):
    image = swathe.open(swathe.imwrite(None, photo, format="png"))
    with pytest.raises(TypeError):
        list(image)
    assert np.array_equal(image[...], photo)


@pytest.mark.parametrize("call, error, says", [
    (lambda a: swathe.apply(a, np.ones((3, 3))), TypeError, "swathe.mask"),
    (lambda a: swathe.apply(a, b"box:3"), TypeError, "a chain is a str"),
    (lambda a: swathe.apply("photo.jpg", "box:3"), TypeError, "imread"),
    (lambda a: swathe.open(a), TypeError, "swathe.apply"),
    (lambda a: swathe.apply(a, "box:3", border=3), TypeError, "border must be a str, not int"),
    (lambda a: swathe.apply(a, "box:3", boarder="wrap"), TypeError, "did you mean 'border'"),
    (lambda a: swathe.apply(a, "box:3", type=3), TypeError, "unexpected"),
    (lambda a: swathe.apply(a, "box:3", nodata=[1]), TypeError, "single value"),
    (lambda a: swathe.apply(a, "box:3", out=[1]), TypeError, "out must be a NumPy array, not list"),
    (lambda a: swathe.apply(a.astype(int), "box:3", out=[1]), TypeError, "out must be"),
    (lambda a: swathe.apply(a, "box:3", out=np.broadcast_to(a[:1], a.shape)), ValueError,
     "out is read-only"),
    (lambda a: swathe.apply(a, "box:3", threads="2"), TypeError, "integer"),
    (lambda a: swathe.imwrite(io.BytesIO(), a, format="png"), TypeError, "to paths, not to BytesIO"),
    (lambda a: swathe.open(swathe.imwrite(None, a, format="png")).save(None),
     swathe.ArgumentError, "format= is required"),
    (lambda a: swathe.apply(a[..., 0], "box:3", alpha="keep"), ValueError, "needs channels"),
    (lambda a: swathe.imread(swathe.imwrite(None, a, format="png"), max_pixels=10),
     swathe.LimitError, "max_pixels")])
def test_mistakes_are_explained(photo, call, error, says):
    with pytest.raises(error, match=says):
        call(photo)
