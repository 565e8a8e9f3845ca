"""Threads, fork, Ctrl-C and progress."""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import swathe


def test_threads_share_a_plan(photo):
    plan = swathe.Plan("sharpen,gaussian:9", photo.shape)
    images = [np.roll(photo, i, 0) for i in range(8)]
    expected = [plan(image) for image in images]
    wrong = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(plan(images[i]), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_released():
    """A Python thread counts while another one filters."""
    image = np.zeros((6000, 6000), np.float32)
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.02)
    before, start = counted[0], time.monotonic()
    swathe.apply(image, "gaussian:31", threads=1)
    passed, seconds = counted[0] - before, time.monotonic() - start
    done.set()
    thread.join()
    assert passed > 100 * seconds, f"{passed} counts in {seconds:.3f} s"


def filtered(image):
    return swathe.apply(image, "sharpen,gaussian:9")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(photo, method):
    """Also with a plan that the parent made, while its threads are busy."""
    expected, stop = filtered(photo), threading.Event()
    large = np.zeros((1000, 1000), np.uint8)

    def keep_busy():
        while not stop.is_set():
            filtered(large)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        with multiprocessing.get_context(method).Pool(3) as pool:
            for result in pool.map(filtered, [photo] * 12):
                assert np.array_equal(result, expected)
    finally:
        stop.set()
        busy.join()


INTERRUPTED = """
import numpy as np, signal
import swathe
signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes may ignore it
image = np.zeros((9000, 9000), np.float32)
chain = "gaussian:21:dense"
print("ready", flush=True)
try:
    while True:
        swathe.apply(image, chain, algorithm="direct")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c():
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE,
                               text=True, env={**os.environ, "SWATHE_WISDOM": "off"})
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert output == "interrupted\n" and process.returncode == 0
    assert time.monotonic() - start < 10


def test_progress():
    image = np.zeros((3000, 3000), np.uint8)
    calls = []
    swathe.apply(image, "gaussian:9", progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (9000000, 9000000)
    assert all(a <= b for a, b in zip(calls, calls[1:]))

    def stop(done, total):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        swathe.apply(image, "gaussian:9", progress=stop)
