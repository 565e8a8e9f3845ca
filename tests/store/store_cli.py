#!/usr/bin/env python3
"""Tests the command on s3:// URLs, with SeaweedFS and a proxy that makes requests fail or lies.

    store_cli.py SWATHE PHOTO [--only NAME]

PHOTO is a JPEG. Results must have the bytes of a run on files.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import fault_proxy
import weed_server

BUCKET = "cli-bucket"
URL = f"s3://{BUCKET}/"


class Failure(Exception):
    pass


class Test:
    def __init__(self, swathe, folder, weed):
        self.swathe, self.folder, self.weed = swathe, folder, weed
        self.variables = weed.environment()

    def run(self, *words, program=None, **variables):
        env = {**os.environ, **self.variables, "SWATHE_WISDOM": "off", **variables}
        done = subprocess.run([program or self.swathe, *words], cwd=self.folder, env=env, text=True,
                              capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        for secret in (weed_server.SECRET_KEY, "Signature=", "X-Amz-Signature", "wrong-secret"):
            self.expect(secret not in done.stdout + done.stderr, f"{secret} in the output", done)
        for url in {word for word in words if word.startswith("s3://")}:
            self.expect(done.stderr.count(url) < 2, "a message names the URL twice", done)
        return done

    @staticmethod
    def expect(condition, what, done=None):
        if not condition:
            raise Failure(what + (f"\n{done.args}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
                                  if done else ""))

    def succeed(self, *words, **more):
        done = self.run(*words, **more)
        self.expect(done.returncode == 0, "failed", done)
        return done.stdout

    def fail(self, code, pattern, *words, **more):
        done = self.run(*words, **more)
        self.expect(done.returncode == code and re.search(pattern, done.stderr),
                    f"expected exit {code} and '{pattern}'", done)

    def put(self, key, path):
        with open(os.path.join(self.folder, path), "rb") as file:
            self.weed.request("PUT", f"/{BUCKET}/{key}", body=file.read())

    def get(self, key):
        return self.weed.request("GET", f"/{BUCKET}/{key}")

    def local(self, path):
        with open(os.path.join(self.folder, path), "rb") as file:
            return file.read()


def test_bytes(test):
    """Every combination of files and objects gives the same bytes, for formats written in order
    and for those that seek."""
    for name in ("out.jpg", "out.png", "out.tif", "out.ppm"):
        test.succeed("apply", "sharpen", "photo.jpg", name)
        test.succeed("apply", "sharpen", URL + "photo.jpg", URL + name)
        test.expect(test.get(name) == test.local(name), f"{name} differs")
        test.succeed("apply", "sharpen", URL + "photo.jpg", "from-" + name)
        test.expect(test.local("from-" + name) == test.local(name), f"from-{name} differs")
        test.expect("equal" in test.succeed("compare", URL + name, name), f"compare {name}")
    test.expect("960 x 640" in test.succeed("info", URL + "out.tif"), "info")
    test.succeed("explain", "sharpen", URL + "photo.jpg")


def test_existing(test):
    test.put("existing.png", "photo.jpg")
    test.fail(2, "exists already; replace it with --overwrite", "apply", "sharpen",
              URL + "photo.jpg", URL + "existing.png")
    test.expect(test.get("existing.png") == test.local("photo.jpg"), "the object changed")
    test.succeed("apply", "sharpen", URL + "photo.jpg", URL + "existing.png", "--overwrite")
    test.expect(test.get("existing.png") != test.local("photo.jpg"), "the object did not change")


def test_failures(test):
    photo = URL + "photo.jpg"
    test.fail(5, "there is no such object", "info", URL + "none.png")
    test.fail(5, "there is no such bucket", "info", "s3://no-such-bucket/none.png")
    test.fail(5, "access denied", "info", photo, AWS_SECRET_ACCESS_KEY="wrong-secret")
    test.fail(5, "access denied", "info", photo, AWS_ACCESS_KEY_ID="UNKNOWN")
    test.fail(5, "no credentials", "info", photo, AWS_ACCESS_KEY_ID="", HOME="/nonexistent")
    test.fail(2, "segment", "info", URL + "a/../photo.jpg")
    test.fail(2, "AWS_ENDPOINT_URL must be", "info", photo,
              AWS_ENDPOINT_URL="http://name:wrong-secret@127.0.0.1")
    test.fail(5, "127.0.0.1:1: Couldn't connect", "info", photo, AWS_MAX_ATTEMPTS="1",
              AWS_ENDPOINT_URL="http://127.0.0.1:1")
    test.put("damaged.png", "damaged.png")
    test.fail(3, "damaged.png", "apply", "sharpen", URL + "damaged.png", URL + "no.png")
    test.fail(5, "access denied", "apply", "sharpen", "photo.jpg", URL + "new.png",
              AWS_ACCESS_KEY_ID="UNKNOWN")
    test.expect(test.get("no.png") is None, "a damaged image has an output")
    test.fail(7, "batch filters files", "batch", "sharpen", photo, "--out", "results")
    test.fail(7, "batch filters files", "batch", "sharpen", "photo.jpg", "--out", URL + "results")


def test_profile(test):
    none = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL": "",
            "AWS_REGION": ""}
    with open(os.path.join(test.folder, "credentials"), "w") as file:
        file.write("[default]\naws_access_key_id = X\naws_secret_access_key = wrong-secret\n"
                   f"# a comment\n[other]\naws_access_key_id={weed_server.ACCESS_KEY}\n"
                   f"aws_secret_access_key =  {weed_server.SECRET_KEY} \r\n")
    with open(os.path.join(test.folder, "config"), "w") as file:
        file.write("[default]\nregion = eu-west-1\n[profile other]\ns3 =\n  region = wrong\n"
                   f"region = us-east-1\nendpoint_url = {test.weed.endpoint}/\n")
    files = {"AWS_SHARED_CREDENTIALS_FILE": "credentials", "AWS_CONFIG_FILE": "config"}
    test.succeed("info", URL + "photo.jpg", **none, **files, AWS_PROFILE="other")
    test.fail(5, "access denied", "info", URL + "photo.jpg", **{**none, **files},
              AWS_ENDPOINT_URL_S3=test.weed.endpoint)
    test.fail(5, "profile 'absent'", "info", URL + "photo.jpg", **none, **files,
              AWS_PROFILE="absent")


def test_ranges(test):
    """A part of a tiled TIFF costs the ranges that it needs."""
    test.succeed("apply", "identity", "photo.jpg", "large.tif", "--tile", "128", "--compression",
                 "none")
    test.put("large.tif", "large.tif")
    size = os.path.getsize(os.path.join(test.folder, "large.tif"))
    with fault_proxy.running(test.weed.endpoint, share=0) as proxy:
        test.succeed("apply", "gaussian:3", URL + "large.tif", "part.png", "--region", "64x64+0+300",
                     AWS_ENDPOINT_URL=proxy.endpoint)
    test.succeed("apply", "gaussian:3", "large.tif", "same.png", "--region", "64x64+0+300")
    test.expect(test.local("part.png") == test.local("same.png"), "the part differs")
    test.expect(proxy.counts["bytes"] < 0.6 * size,
                f"{proxy.counts['bytes']} of {size} bytes were read: {proxy.counts}")


def test_faults(test):
    """One in five requests fails, and the bytes are right."""
    with fault_proxy.running(test.weed.endpoint, share=0.2, seed=9, delay=0.05) as proxy:
        for i in range(10):
            test.succeed("apply", "sharpen", URL + "photo.jpg", f"{URL}faults/{i}.png",
                         AWS_ENDPOINT_URL=proxy.endpoint)
            test.expect(test.get(f"faults/{i}.png") == test.local("out.png"), f"{i}.png differs")
    test.expect(sum(proxy.counts.values()) > proxy.counts["requests"], "there were no faults")


def test_lies(test):
    """A store that lies gives an error and no output, or the right bytes."""
    test.succeed("apply", "identity", "photo.jpg", "lies.ppm")  # larger than one range
    test.succeed("apply", "sharpen", "lies.ppm", "truth.png")
    test.put("lies.ppm", "lies.ppm")
    for lie, share in (("length", 1), ("short", 1), ("long", 1), ("etag", 0.5)):
        failed = 0
        with fault_proxy.running(test.weed.endpoint, share=share, seed=2, faults="", lies=lie,
                                 methods="GET", path="lies.ppm") as proxy:
            for i in range(1 if share == 1 else 4):
                done = test.run("apply", "sharpen", URL + "lies.ppm", f"{URL}lies/{lie}{i}.png",
                                AWS_ENDPOINT_URL=proxy.endpoint, AWS_MAX_ATTEMPTS="3")
                found = test.get(f"lies/{lie}{i}.png")
                test.expect(found is None if done.returncode else found == test.local("truth.png"),
                            f"{lie}: wrong output", done)
                failed += done.returncode == 5
        test.expect(failed > 0, f"{lie} was not noticed: {proxy.counts}")


def test_module(test):
    """Only s3:// URLs load libcurl, and nothing loads libnats; without the module there is a message."""
    def libraries(*words):
        done = test.run(*words, LD_DEBUG="files")
        test.expect("libnats" not in done.stderr, "libnats is loaded", done)
        return "libcurl" in done.stderr
    test.expect(not libraries("--version"), "--version loads libcurl")
    test.expect(not libraries("info", "photo.jpg"), "a file loads libcurl")
    test.expect(libraries("info", URL + "photo.jpg"), "an object does not load libcurl")
    os.makedirs(os.path.join(test.folder, "alone/bin"))
    alone = shutil.copy(test.swathe, os.path.join(test.folder, "alone/bin/swathe"))
    test.fail(7, "need a module that is not installed", "info", URL + "photo.jpg", program=alone)
    test.succeed("info", "photo.jpg", program=alone)
    os.makedirs(os.path.join(test.folder, "alone/store"))
    with open(os.path.join(test.folder, "alone/store/swathe_store.so"), "w") as file:
        file.write("not a library")
    test.fail(7, "cannot be loaded", "info", URL + "photo.jpg", program=alone)


def test_interrupt(test):
    """Ctrl-C ends a run that waits for a store, without output."""
    with fault_proxy.running(test.weed.endpoint, share=1, faults="delay", delay=60,
                             methods="PUT,POST") as proxy:
        process = subprocess.Popen(
            [test.swathe, "apply", "sharpen", URL + "photo.jpg", URL + "late.png"],
            env={**os.environ, **test.variables, "AWS_ENDPOINT_URL": proxy.endpoint},
            stderr=subprocess.PIPE)
        try:
            process.wait(1.5)
        except subprocess.TimeoutExpired:
            pass
        test.expect(process.poll() is None, "ended early")
        process.send_signal(2)
        test.expect(process.wait(10) == -signal.SIGINT, "exit code")
    test.expect(test.get("late.png") is None, "there is an output")


def test_interrupt_parts(test):
    """Ctrl-C deletes the parts of an upload."""
    with open(os.path.join(test.folder, "large.ppm"), "wb") as file:
        file.write(b"P6 4096 1024 255\n" + bytes(3 * 4096 * 1024))
    with fault_proxy.running(test.weed.endpoint, share=1, faults="delay", delay=60,
                             methods="PUT") as proxy:
        process = subprocess.Popen(
            [test.swathe, "apply", "identity", "large.ppm", URL + "late.ppm"], cwd=test.folder,
            env={**os.environ, **test.variables, "AWS_ENDPOINT_URL": proxy.endpoint},
            stderr=subprocess.PIPE)
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            pass
        uploads = test.weed.request("GET", f"/{BUCKET}", "uploads=")
        test.expect(b"<UploadId>" in uploads, "the upload has not started")
        process.send_signal(2)
        test.expect(process.wait(10) == -signal.SIGINT, "exit code")
    uploads = test.weed.request("GET", f"/{BUCKET}", "uploads=")
    test.expect(b"<UploadId>" not in uploads, "the upload is still there")


TESTS = {name[5:]: function for name, function in globals().items() if name.startswith("test_")}


def main():
    swathe, photo = sys.argv[1:3]
    only = sys.argv[4] if len(sys.argv) > 4 else None
    weed_server.skip_unless_installed()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="swathe-cli-") as folder, \
            weed_server.start(BUCKET) as weed:
        shutil.copy(photo, os.path.join(folder, "photo.jpg"))
        test = Test(os.path.abspath(swathe), folder, weed)
        test.put("photo.jpg", "photo.jpg")
        test.succeed("apply", "sharpen", "photo.jpg", "out.png")
        with open(os.path.join(folder, "damaged.png"), "wb") as file:
            file.write(test.local("out.png")[:20000])
        os.remove(os.path.join(folder, "out.png"))
        for name, function in TESTS.items():
            if only and name not in (only, "bytes"):
                continue
            try:
                function(test)
                print(f"ok: {name}", flush=True)
            except Failure as error:
                failed += 1
                print(f"FAILED {name}: {error}\nrepeat with: {' '.join(sys.argv[:3])} --only {name}",
                      flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
