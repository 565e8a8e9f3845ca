"""What tests of mosaics share: a source image, and the places that it can be in."""
import hashlib
import os
import random
import urllib.parse
import urllib.request

import fleet_run
import weed_server

CHAIN = "gaussian:7,sharpen"


def make_source(swathe, folder, width, height, seed=1):
    """Writes source.tif, tiled, of noise in rows that repeat; and expected.tif, filtered."""
    draw = random.Random(seed)
    with open(folder + "/source.ppm", "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, height))
        for y in range(0, height, 4):
            file.write(min(4, height - y) * draw.randbytes(3 * width))
    fleet_run.run([swathe, "apply", "identity", folder + "/source.ppm", folder + "/source.tif",
                   "--tile", "128"])
    os.unlink(folder + "/source.ppm")
    fleet_run.run([swathe, "apply", CHAIN, folder + "/source.tif", folder + "/expected.tif",
                   "--exact"])


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Directory:
    """A place on the file system."""
    name = "directory"

    def __init__(self, folder, original):
        self.folder, self.original, self.environment = folder, original, {}
        os.makedirs(folder)
        self.allow = folder
        self.restore()

    def url(self, name):
        return f"{self.folder}/{name}"

    def restore(self):
        with open(self.url("source.tif"), "wb") as file:
            file.write(read(self.original))

    def change(self):
        with open(self.url("source.tif"), "ab") as file:
            file.write(b"0")

    def put(self, name, content):
        with open(self.url(name), "wb") as file:
            file.write(content)

    def result(self, name):
        return read(self.url(name)) if os.path.exists(self.url(name)) else None

    def size(self, name):
        return os.path.getsize(self.url(name)) if os.path.exists(self.url(name)) else None

    def others(self, *expected):
        """Everything but the expected files, hidden files and empty directories included."""
        return sorted(set(os.listdir(self.folder)) - {"source.tif", *expected})


class Bucket:
    """A place in SeaweedFS."""
    name = "s3"

    def __init__(self, weed, bucket, original):
        self.weed, self.bucket, self.original = weed, bucket, original
        self.environment, self.allow = weed.environment(), f"s3://{bucket}/"
        self.restore()

    def url(self, name):
        return f"s3://{self.bucket}/{name}"

    def restore(self):
        self.weed.request("PUT", f"/{self.bucket}/source.tif", body=read(self.original))

    def change(self):
        self.weed.request("PUT", f"/{self.bucket}/source.tif", body=read(self.original) + b"0")

    def put(self, name, content):
        self.weed.request("PUT", f"/{self.bucket}/{name}", body=content)

    def result(self, name):
        return self.weed.request("GET", f"/{self.bucket}/{name}")

    def listing(self, query, element):
        text = (self.weed.request("GET", f"/{self.bucket}", query) or b"").decode()
        return [part.split("<")[0] for part in text.split(f"<{element}>")[1:]]

    def size(self, name):
        return len(self.result(name) or b"") or None

    def others(self, *expected):
        """Objects, and uploads that were neither completed nor aborted."""
        keys = set(self.listing("list-type=2&max-keys=1000", "Key")) - {"source.tif", *expected}
        return sorted(keys) + self.listing("uploads=", "UploadId")


def statistics(fleet):
    """Number of results, and of those after a redelivery."""
    attempts = [result["attempt"] for subject, result in fleet.results()
                if subject.startswith("swathe.results.")]
    return len(attempts), sum(attempt > 1 for attempt in attempts)


def wait(fleet, seconds=240):
    """Waits until the set has ended; returns its status."""
    return fleet_run.wait_until("the set", lambda: (lambda status: status["ended"] and status)(
        fleet.status()), seconds, 0.3)


def peak_memory(pid):
    """Peak of the resident memory of a process in MiB; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


class LargeDirectory(Directory):
    """The same without reading files into memory."""

    def restore(self):
        os.link(self.original, self.url("source.tif"))

    def digest(self, name):
        with open(self.url(name), "rb") as file:
            return digest_of(file)


class LargeBucket(Bucket):
    def restore(self):
        upload(self.weed, f"/{self.bucket}/source.tif", self.original)

    def digest(self, name):
        request = weed_server.signed("GET", self.weed.endpoint, f"/{self.bucket}/{name}")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as got:
            return digest_of(got)


def digest_of(file):
    total = hashlib.sha256()
    while block := file.read(1 << 20):
        total.update(block)
    return total.hexdigest()


def upload(weed, path, source):
    """Uploads a file in parts of 64 MiB."""
    answer = weed.request("POST", path, "uploads=").decode()
    name, etags = answer.split("<UploadId>")[1].split("<")[0], []
    with open(source, "rb") as file:
        while block := file.read(64 << 20):
            query = f"partNumber={len(etags) + 1}&uploadId={urllib.parse.quote(name, safe='')}"
            weed.request("PUT", path, query, block, timeout=300)
            etags.append(f'"{hashlib.md5(block).hexdigest()}"')
    parts = "".join(f"<Part><PartNumber>{i + 1}</PartNumber><ETag>{etag}</ETag></Part>"
                    for i, etag in enumerate(etags))
    weed.request("POST", path, f"uploadId={urllib.parse.quote(name, safe='')}",
                 f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode(), timeout=300)
