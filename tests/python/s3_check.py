#!/usr/bin/env python3
"""Opens images of an object store (SeaweedFS) by s3:// URLs: parts, chains, a missing object.

    s3_check.py
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "store"))
import weed_server

import swathe


def check(weed):
    image = np.random.default_rng(1).integers(0, 256, (1500, 1500, 3), np.uint8)
    for name, more in ("a.tif", {"tile": 256, "compression": "none"}), ("a.png", {}):
        data = swathe.imwrite(None, image, format={"a.tif": "tiff", "a.png": "png"}[name], **more)
        weed.request("PUT", f"/images/{name}", body=data)
        opened = swathe.open(f"s3://images/{name}").apply("gaussian:9")
        part = opened[700:800, 900:1000]
        assert np.array_equal(part, swathe.apply(image, "gaussian:9")[700:800, 900:1000]), name
        print(f"{name}: a part of {opened!r} is right")
    try:
        swathe.open("s3://images/missing.png")
        raise AssertionError("an object that does not exist was opened")
    except FileNotFoundError as error:
        print(f"missing: {type(error).__name__}: {error}")


def main():
    with weed_server.start("images") as weed:
        os.environ.update(weed.environment())
        for name in "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE":
            os.environ.pop(name)  # botocore takes empty ones for values
        check(weed)


if __name__ == "__main__":
    main()
