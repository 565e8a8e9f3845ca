"""Starts SeaweedFS as an S3 store for tests, on free ports of the loopback interface and in a
temporary directory.

    with weed_server.start("bucket") as weed:
        subprocess.run(command, env={**os.environ, **weed.environment()})

As a program it starts a store, prints `export` lines, and ends it when standard input is closed:

    weed_server.py [BUCKET...]
"""
import contextlib
import datetime
import hashlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from processes import free_ports

ACCESS_KEY = "SWATHETESTKEY"
SECRET_KEY = "swathe/test+secret/0123456789abcdefghij"
REGION = "us-east-1"
# Valid keys that allow nothing in the buckets of tests.
STRANGER = {"AWS_ACCESS_KEY_ID": "SWATHESTRANGER", "AWS_SECRET_ACCESS_KEY": "swathe-stranger"}
READY_SECONDS = 60


def program():
    """The path of `weed`; None if it is not installed."""
    return os.environ.get("SWATHE_WEED") or shutil.which("weed")


def skip_unless_installed():
    if not program():
        print("skipped: SeaweedFS (weed is not installed; set SWATHE_WEED)")
        sys.exit(77)


def signed(method, endpoint, path, query="", body=b"", now=None):
    """Returns a signed request; `path` and `query` are encoded, the query sorted."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    host = urllib.parse.urlsplit(endpoint).netloc
    payload = hashlib.sha256(body).hexdigest()
    names = "host;x-amz-content-sha256;x-amz-date"
    canonical = "\n".join([method, path, query, f"host:{host}", f"x-amz-content-sha256:{payload}",
                           f"x-amz-date:{stamp}", "", names, payload])
    scope = f"{day}/{REGION}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = b"AWS4" + SECRET_KEY.encode()
    for part in (day, REGION, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    url = endpoint + path + ("?" + query if query else "")
    return urllib.request.Request(url, data=body or None, method=method, headers={
        "x-amz-content-sha256": payload, "x-amz-date": stamp,
        "Authorization": f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, "
                         f"SignedHeaders={names}, Signature={signature}"})


class Weed:
    def __init__(self, folder):
        self.folder = folder
        self.process = None
        (self.s3, self.s3_grpc, self.master, self.master_grpc, self.volume, self.volume_grpc,
         self.filer, self.filer_grpc) = free_ports(8)
        self.endpoint = f"http://127.0.0.1:{self.s3}"
        with open(os.path.join(folder, "s3.json"), "w") as config:
            json.dump({"identities": [{
                "name": "test", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
                "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}]}, {
                    "name": "stranger", "actions": ["Read:no-such-bucket"], "credentials": [
                        {"accessKey": STRANGER["AWS_ACCESS_KEY_ID"],
                         "secretKey": STRANGER["AWS_SECRET_ACCESS_KEY"]}]}]}, config)

    def environment(self, endpoint=None):
        """Variables for programs that use the store, `endpoint` if through a proxy."""
        return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
                "AWS_REGION": REGION, "AWS_ENDPOINT_URL": endpoint or self.endpoint,
                "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_CA_BUNDLE": "",
                "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    def request(self, method, path, query="", body=b"", timeout=30):
        """Returns the body of the response, or None if the status is 404."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(signed(method, self.endpoint, path, query, body), timeout=timeout) as got:
                return got.read()
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def run(self):
        """Starts the server and waits until it answers. After a kill it starts again with the same
        data and ports."""
        data = os.path.join(self.folder, "data")
        os.makedirs(data, exist_ok=True)
        log = open(os.path.join(self.folder, "weed.log"), "ab")
        ip = "127.0.0.1"
        self.process = subprocess.Popen(
            [program(), "server", f"-dir={data}", f"-ip={ip}", f"-ip.bind={ip}", "-s3",
             f"-s3.port={self.s3}", f"-s3.port.grpc={self.s3_grpc}",
             f"-s3.config={self.folder}/s3.json", f"-master.port={self.master}",
             f"-master.port.grpc={self.master_grpc}", f"-volume.port={self.volume}",
             f"-volume.port.grpc={self.volume_grpc}", f"-filer.port={self.filer}",
             f"-filer.port.grpc={self.filer_grpc}", "-volume.max=1000",
             "-master.volumeSizeLimitMB=64", "-master.electionTimeout=1s", "-s3.port.iceberg=0",
             "-s3.port.lance=0"], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            cwd=self.folder)
        log.close()
        end = time.monotonic() + READY_SECONDS
        while True:
            try:
                self.request("GET", "/", timeout=5)
                return self
            except (OSError, urllib.error.URLError):
                if self.process.poll() is not None or time.monotonic() > end:
                    self.kill()
                    raise RuntimeError("SeaweedFS did not start:\n" + self.log_end()) from None
                time.sleep(0.1)

    def log_end(self):
        with open(os.path.join(self.folder, "weed.log"), errors="replace") as log:
            return log.read()[-3000:]

    def make_bucket(self, name):
        """Creates a bucket and waits until it can be written to: volumes are made on demand."""
        end = time.monotonic() + READY_SECONDS
        while True:
            try:
                self.request("PUT", f"/{name}")
            except urllib.error.HTTPError as error:
                if error.code != 409 and time.monotonic() > end:
                    raise
            try:
                self.request("PUT", f"/{name}/ready", body=b"ready")
                self.request("DELETE", f"/{name}/ready")
                return
            except (OSError, urllib.error.URLError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def kill(self):
        """Ends the server at once: it may not react to SIGTERM."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()


def first_run(folder):
    """Starts a server. If another program takes one of its ports, it starts on others."""
    for left in range(3, -1, -1):
        weed = Weed(folder)
        try:
            return weed.run()
        except BaseException as error:
            weed.kill()
            if left == 0 or "address already in use" not in str(error):
                raise
            shutil.rmtree(os.path.join(folder, "data"))


@contextlib.contextmanager
def start(*buckets):
    folder = tempfile.mkdtemp(prefix="swathe-weed-")
    weed = None
    try:
        weed = first_run(folder)
        for bucket in buckets:
            weed.make_bucket(bucket)
        yield weed
    finally:
        if weed:
            weed.kill()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    skip_unless_installed()
    with start(*sys.argv[1:]) as weed:
        for name, value in weed.environment().items():
            print(f"export {name}='{value}'")
        print(f"# pid {weed.process.pid}, ready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
