#!/usr/bin/env python3
"""Tests the store against servers that are hostile or broken: nothing that they send may crash it,
lead it to another host, exceed its limits or reveal a credential.

    store_hostile.py STORE_PROBE [--only NAME]
"""
import contextlib
import errno
import os
import random
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

SECRET = "hostile/secret+0123456789abcdefghijklmnop"
TOKEN = "hostile-token-0123456789"
PROBE = os.path.abspath(sys.argv[1])


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Server:
    """Answers every request with what `answer(head, body)` returns: bytes, or an iterator of bytes.
    The connection is closed after each response."""

    def __init__(self, answer, context=None):
        self.answer, self.context = answer, context
        self.requests = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError, ValueError, ssl.SSLError):
            connection.settimeout(30)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            data = b""
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, _, body = data.partition(b"\r\n\r\n")
            length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                           if line.startswith(b"content-length:")), 0)
            while len(body) < length:
                body += connection.recv(65536)
            self.requests.append(head.decode("latin-1"))
            answer = self.answer(head.decode("latin-1"), body)
            for part in [answer] if isinstance(answer, bytes) else answer:
                connection.sendall(part)
        with contextlib.suppress(OSError):
            connection.close()


def response(status="200 OK", body=b"", **headers):
    lines = [f"HTTP/1.1 {status}"]
    headers = {"Content-Length": len(body), "Connection": "close",
               **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def probe(endpoint, *words, timeout=60, scheme="http", **variables):
    """(status, errno, rest of the line) of one call."""
    env = {**os.environ, "AWS_ACCESS_KEY_ID": "HOSTILE", "AWS_SECRET_ACCESS_KEY": SECRET,
           "AWS_SESSION_TOKEN": TOKEN, "AWS_REGION": "us-east-1", "AWS_CA_BUNDLE": "",
           "AWS_ENDPOINT_URL": f"{scheme}://{endpoint}", "AWS_MAX_ATTEMPTS": "2",
           "AWS_PROFILE": "", "no_proxy": "127.0.0.1,localhost", **variables}
    done = subprocess.run([PROBE, *words], env=env, text=True, capture_output=True, timeout=timeout)
    expect(done.returncode in range(10), f"{words}: ended with {done.returncode}\n{done.stderr}")
    for secret in (SECRET, TOKEN, "Signature"):
        expect(secret not in done.stdout + done.stderr, f"the output contains {secret}")
    parts = done.stdout.strip().split(" ", 2)
    return int(parts[0]), int(parts[1]), parts[2] if len(parts) > 2 else ""


def expect_failure(found, status, number, word=""):
    expect(found[0] == status and found[1] == number and word in found[2],
           f"found {found}, expected {status} {errno.errorcode.get(number)} '{word}'")


def test_redirects(_):
    """Credentials and requests stay with the endpoint."""
    other = Server(lambda head, body: response(body=b"stolen"))
    for status in ("301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"):
        server = Server(lambda head, body, status=status: response(
            status, Location=f"http://{other.address}/bucket/key", x_amz_bucket_region="eu-west-9"))
        found = probe(server.address, "get", "s3://bucket/key")
        expect(found[0] == 5, f"{status}: {found}")
        expect("eu-west-9" in found[2] or status[:3] == "302", f"the region is not named: {found}")
    expect(not other.requests, "a redirect was followed")


def test_signature(_):
    """All headers that the signature must cover are in it."""
    server = Server(lambda head, body: response(ETag='"x"'))
    probe(server.address, "new", "s3://bucket/key", "10")
    lines = [line.split(": ", 1) for line in server.requests[0].lower().split("\r\n")[1:]]
    signed = dict(lines)["authorization"].split("signedheaders=")[1].split(",")[0].split(";")
    must = [name for name, _ in lines if name.startswith(("x-amz-", "content-", "if-", "host"))]
    expect(signed == sorted(name for name in must if name != "content-length"), f"{signed} of {must}")


def test_refusals(_):
    """What messages name, and that a store cannot put other characters into them."""
    def found(status, body=b"", **headers):
        server = Server(lambda head, _: response(status, body, **headers))
        return probe(server.address, "get", "s3://bucket/key")
    wrong = b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-9</Region></Error>"
    expect_failure(found("400 Bad", wrong), 5, errno.EIO, "another region, eu-west-9;")
    expect_failure(found("400 Bad", wrong.replace(b"-9", b"-\x1b[9m")), 5, errno.EIO, "region; set")
    expect_failure(found("301 Moved", x_amz_bucket_region="\x1b[31m"), 5, errno.EIO, "region; set")
    expired = b"<Error><Code>ExpiredToken</Code></Error>"
    expect_failure(found("400 Bad", expired), 5, errno.EKEYREJECTED, "access denied (ExpiredToken)")
    denied = expired.replace(b"ExpiredToken", b"AccessDenied")
    expect_failure(found("403 Forbidden", denied), 5, errno.EACCES, "access denied (AccessDenied)")


def test_bodies(_):
    """Bodies that never end, or are larger than announced or allowed."""
    def endless(head, body, status="200 OK"):
        yield f"HTTP/1.1 {status}\r\nETag: \"x\"\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        while True:
            yield b"10000\r\n" + bytes(65536) + b"\r\n"
    expect_failure(probe(Server(endless).address, "get", "s3://bucket/key", "100000"), 4,
                   errno.EFBIG)
    expect_failure(probe(Server(endless).address, "read", "s3://bucket/key"), 5, errno.EIO)
    expect_failure(probe(Server(endless).address, "list", "s3://bucket/"), 4, errno.EFBIG)
    huge = Server(lambda head, body: response(body=b"x", Content_Length=1 << 60, ETag='"x"'))
    expect_failure(probe(huge.address, "get", "s3://bucket/key"), 4, errno.EFBIG)
    huge = Server(lambda head, body: response("206 P", b"x", ETag='"x"',
                                              Content_Range=f"bytes 0-0/{1 << 62}"))
    expect(probe(huge.address, "read", "s3://bucket/key")[0] != 0, "an object of 2^62 bytes")
    error = Server(lambda head, body: response("404 No", b"<Error>" + b"x" * (8 << 20)))
    expect_failure(probe(error.address, "get", "s3://bucket/key"), 5, errno.ENOENT)
    for word, status, expected in (("get", "404 No", errno.ENOENT), ("list", "403 No", errno.EACCES),
                                   ("get", "500 No", errno.EIO), ("put", "200 OK", 0)):
        server = Server(lambda head, body, status=status: endless(head, body, status))
        try:
            found = probe(server.address, word, "s3://bucket/a/" if word == "list" else "s3://bucket/a",
                          "10", timeout=10)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{word}: does not end while the body of a {status} does not") from error
        expect(found[:2] == (5 if expected else 0, expected), f"{word} {status}: {found}")


def test_headers(_):
    """Headers that are too long, contradictory or not headers."""
    for raw in (b"HTTP/1.1 200 OK\r\nETag: " + b"x" * 50000 + b"\r\nContent-Length: 1\r\n\r\nx",
                b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nabc",
                b"HTTP/1.1 999 What\r\n\r\n", b"HTTP/1.1 20\r\n\r\n", b"SSH-2.0-OpenSSH\r\n", b"",
                b"\0" * 1000, b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200000 + b"\r\n"):
        for what in ("read", "stat", "put"):
            found = probe(Server(lambda head, body, raw=raw: raw).address, what, "s3://bucket/key",
                          "10")
            expect(found[0] != 0 or (what == "put" and raw[9:12] == b"200"), f"{raw[:60]}: {found}")


def listing(*keys, more="false", encoding="<EncodingType>url</EncodingType>"):
    entries = "".join(f"<Contents><Key>{key}</Key><Size>1</Size></Contents>" for key in keys)
    return (f"<ListBucketResult><IsTruncated>{more}</IsTruncated>{entries}"
            f"{encoding}</ListBucketResult>").encode()


def test_listings(_):
    def found(body):
        return probe(Server(lambda head, _: response(body=body)).address, "list", "s3://bucket/a/")
    expect(found(listing("a/b", "a/c")) == (0, 2, ""), "a good listing")
    expect(found(listing("a/b+c", "a/b%2Bc")) == (0, 2, ""), "encoded keys")
    expect(found(listing("a/b c", "a/b%zz", "a/b+c", encoding="")) == (0, 3, ""), "plain keys")
    expect_failure(found(listing("a/c", "a/b", "a/b")), 5, errno.EIO, "order")
    expect_failure(found(listing("b/c")), 5, errno.EIO, "outside the prefix")
    expect_failure(found(listing("a/%zz")), 5, errno.EIO)
    expect_failure(found(listing("a/" + "x" * 2000)), 5, errno.EIO)
    expect_failure(found(listing("a/" + "x" * 2000, encoding="")), 5, errno.EIO)
    expect_failure(found(listing(more="true")), 5, errno.EIO, "advance")
    expect_failure(found(listing("a/b").replace(b"<Size>1</Size>", b"")), 5, errno.EIO)
    expect_failure(found(listing("a/b").replace(b">1<", b">-1<")), 5, errno.EIO)
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]>' + listing("a/&b;")
    for body in (bomb, b"<a>" * 100000, b"", b"<ListBucketResult>", listing("a/b")[:-1],
                 listing("a/b") + b"<x/>", listing("a/b").replace(b"a/b", b"a/&unknown;"),
                 listing("a/b").replace(b"a/b", b"a/&#0;"), b"\xff\xfe" + listing("a/b")):
        expect_failure(found(body), 5, errno.EIO, "XML")
    again = Server(lambda head, _: response(body=listing("a/b", more="true")))
    expect_failure(probe(again.address, "list", "s3://bucket/a/"), 5, errno.EIO)


def test_mutations(_):
    """Damaged XML in listings and uploads: a failure or a listing, never a crash."""
    draw = random.Random(5)
    good = [b'<?xml version="1.0"?>\n' + listing("a/b", "a/c%20d"),
            b"<InitiateMultipartUploadResult><UploadId>abc</UploadId></InitiateMultipartUploadResult>",
            b"<Error><Code>NoSuchKey</Code><Message>&quot;x&quot;</Message></Error>"]

    def damaged(head, _):
        body = bytearray(draw.choice(good))
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(body))
            body[at:at + draw.randrange(3)] = bytes(draw.choices(b"<>&;/#\"'x\0 \xff", k=draw.randrange(3)))
        return response(draw.choice(("200 OK", "404 No", "403 No", "400 Bad")), bytes(body))
    server = Server(damaged)
    for i in range(150):
        probe(server.address, "list" if i % 3 else "write", "s3://bucket/a/" + ("" if i % 3 else "x"),
              "9000000", AWS_MAX_ATTEMPTS="1")


def upload(part, aborted, upload_id=b"abc"):
    """What a failed upload in parts reports, and the requests."""
    def answer(head, body):
        if head.startswith("POST"):
            return response(body=b"<InitiateMultipartUploadResult><UploadId>" + upload_id +
                            b"</UploadId></InitiateMultipartUploadResult>")
        status, code = part if head.startswith("PUT") else aborted
        return response(status, f"<Error><Code>{code}</Code></Error>".encode())
    server = Server(answer)
    return probe(server.address, "write", "s3://bucket/key", "9000000"), server.requests


def test_uploads(_):
    """A failed upload is aborted, and the message has its cause."""
    found, _ = upload(("400 Bad", "QuotaExceeded"), ("403 No", "AccessDenied"))
    expect_failure(found, 5, errno.EIO, "QuotaExceeded")
    found, _ = upload(("404 No", "NoSuchUpload"), ("404 No", "NoSuchUpload"))
    expect_failure(found, 5, errno.ENOENT, "no such upload")
    found, requests = upload(("200 OK", ""), ("204 No", ""), b"x" * 1010)
    expect_failure(found, 4, errno.ENAMETOOLONG)
    expect([line.split()[:2] for line in requests[1:]] ==
           [["DELETE", "/bucket/key?uploadId=" + "x" * 1010]], f"aborts of a long id: {requests}")


def test_removal(_):
    """Listings of uploads that are damaged, or name those of others."""
    def found(body):
        server = Server(lambda head, _: response(body=body if "?prefix=" in head else listing()))
        return probe(server.address, "below", "s3://bucket/a/"), server.requests
    def uploads(key):
        return (f"<ListMultipartUploadsResult><Upload><Key>{key}</Key><UploadId>u</UploadId></Upload>"
                "</ListMultipartUploadsResult>").encode()
    result, requests = found(uploads("a/b"))
    expect(result[0] == 0 and requests[1].startswith("DELETE /bucket/a/b?uploadId=u"),
           f"an abandoned upload: {result} {requests}")
    result, requests = found(uploads("b/c"))
    expect(result[0] == 0 and not any(head.startswith("DELETE") for head in requests),
           f"an upload outside the prefix: {result} {requests}")
    for body in (b"", b"<a>", uploads("a/b")[:-1], uploads("a/&unknown;")):
        result, requests = found(body)
        expect_failure(result, 5, errno.EIO, "s3://bucket/a/: the store sent a listing")
        expect(not any(head.startswith("DELETE") for head in requests), f"{body}: {requests}")


def test_removal_ends(_):
    """Aborting abandoned uploads ends, whatever the store lists."""
    def page(number, count=1000):
        uploads = "".join(f"<Upload><Key>a/b</Key><UploadId>{number}-{i}</UploadId></Upload>"
                          for i in range(count))
        return (f"<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>{uploads}"
                "</ListMultipartUploadsResult>").encode()

    def found(answer):
        lists = [0]

        def serve(head, _):
            if "?prefix=" not in head:
                return response("204 No" if head.startswith("DELETE") else "200 OK",
                                b"" if head.startswith("DELETE") else listing())
            lists[0] += 1
            return answer(lists[0])
        try:
            return probe(Server(serve).address, "below", "s3://bucket/a/", timeout=90), lists[0]
        except subprocess.TimeoutExpired as error:
            raise Failure(f"does not end after {lists[0]} listings") from error
    result, lists = found(lambda number: response(body=page(1)))
    expect_failure(result, 5, errno.EIO, "still lists an aborted upload")
    result, lists = found(lambda number: response(body=page(number, 1)))
    expect_failure(result, 4, errno.EFBIG, "more than 1000 pages")
    result, lists = found(lambda number: response(body=page(number, 0)))
    expect(result[0] == 0 and lists == 1, f"an empty page that is not the last: {result} {lists}")
    result, lists = found(lambda number: response(body=page(number, 2) if number < 3 else
                                                  page(3, 0).replace(b"true", b"false")))
    expect(result[0] == 0 and lists == 3, f"short pages: {result} {lists}")
    for status in ("501 Not Implemented", "403 Forbidden", "405 Method Not Allowed"):
        result, _ = found(lambda number, status=status: response(status, b"<Error/>"))
        expect(result[0] == 0, f"a store without this listing: {status}: {result}")


def test_copies(_):
    """A store that cannot copy is told apart from one that fails."""
    for status in ("501 Not Implemented", "405 Method Not Allowed"):
        server = Server(lambda head, _, status=status: response(status, b"<Error/>"))
        expect_failure(probe(server.address, "copy", "s3://bucket/a"), 7, errno.EINVAL, "copy")
    server = Server(lambda head, _: response("403 No", b"<Error/>"))
    expect_failure(probe(server.address, "copy", "s3://bucket/a"), 5, errno.EACCES)


def test_expiry(folder):
    """Credentials that expire are read again from the profile file, once for a request."""
    path = os.path.join(folder, "expiring")
    tokens = iter(f"token-{i}" for i in range(100))

    def write(token):
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(f"[default]\naws_access_key_id = HOSTILE\naws_secret_access_key = {SECRET}\n"
                       f"aws_session_token = {token}\n")
        os.rename(path + ".new", path)
        return token

    def run(renews, status, code="ExpiredToken", word="twice"):
        """`renews`: a new token is written whenever one expires, and it is good."""
        good = ["none"]
        write("old")

        def answer(head, _):
            if f"x-amz-security-token: {good[0]}\r\n" in head + "\r\n":
                good[0] = "none"  # expires after one request
                return response(body=b"abc", ETag='"x"')
            if renews == "damaged":
                with open(path, "w", encoding="utf-8") as file:
                    file.write("[default]\naws_access_key_id = HOSTILE\n")
            elif renews:
                good[0] = write(next(tokens))
            body = f"<Error><Code>{code}</Code></Error>".encode()
            return response(status, b"" if head.startswith("HEAD") else body)
        server = Server(answer)
        found = probe(server.address, word, "s3://bucket/key", AWS_ACCESS_KEY_ID="",
                      AWS_SECRET_ACCESS_KEY="", AWS_SESSION_TOKEN="",
                      AWS_SHARED_CREDENTIALS_FILE=path)
        return found, len(server.requests)
    for status in ("400 Bad Request", "403 Forbidden"):
        found, requests = run(True, status)
        expect(found == (0, 3, "") and requests == 4, f"{status}: {found}, {requests} requests")
    found, requests = run(True, "403 Forbidden", word="stat")
    expect(found[0] == 0 and requests == 2, f"HEAD: {found}, {requests} requests")
    for renews in (False, "damaged"):
        found, requests = run(renews, "403 Forbidden")
        expect_failure(found, 5, errno.EKEYREJECTED, "ExpiredToken")
        expect(requests == 1, f"no other credentials: {requests} requests")
    found, requests = run(True, "403 Forbidden", "AccessDenied")
    expect_failure(found, 5, errno.EACCES, "AccessDenied")
    expect(requests == 1, f"access denied: {requests} requests")


def test_time(_):
    """A store that stops sending is given up, one that is slow is not."""
    def stalls(head, body):
        yield b"HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 100\r\n\r\nabc"
        time.sleep(20)

    def slow(head, body):
        yield b"HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 6\r\n\r\n"
        for _ in range(6):
            time.sleep(0.6)
            yield b"x"
    start = time.monotonic()
    expect_failure(probe(Server(stalls).address, "get", "s3://bucket/key", STORE_TIMEOUT_MS="1500"),
                   5, errno.ETIMEDOUT, "in time")
    expect(time.monotonic() - start < 12, "the limit was not kept")
    expect(probe(Server(slow).address, "get", "s3://bucket/key", STORE_TIMEOUT_MS="2000")[:2] == (0, 6),
           "slow")
    for status in ("200 OK", "500 Internal Server Error"):
        def drips(head, body, status=status):
            yield f"HTTP/1.1 {status}\r\nETag: \"x\"\r\nContent-Length: 10000\r\n\r\n".encode()
            for _ in range(10000):
                time.sleep(0.02)
                yield b"x"
        start = time.monotonic()
        expect_failure(probe(Server(drips).address, "get", "s3://bucket/key", STORE_TIMEOUT_MS="100",
                             AWS_MAX_ATTEMPTS="1"), 5, errno.ETIMEDOUT, "in time")
        expect(time.monotonic() - start < 20, f"{status}: a byte from time to time kept it waiting")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    expect_failure(probe(f"127.0.0.1:{port}", "get", "s3://bucket/key"), 5, errno.ECONNREFUSED)


def test_tls(folder):
    """Certificates are verified."""
    if not shutil.which("openssl"):
        print("skipped: TLS (openssl is not installed)")
        return
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(lambda head, body: response(body=b"tls", ETag='"x"'), context)
    local = server.address.replace("127.0.0.1", "localhost")
    found = probe(local, "get", "s3://bucket/key", scheme="https")
    expect(not server.requests, "a request to an unknown server")
    expect_failure(found, 5, errno.EIO, "certificate is not trusted; AWS_CA_BUNDLE names")
    found = probe(local, "get", "s3://bucket/key", scheme="https", AWS_CA_BUNDLE="/none.pem")
    expect_failure(found, 5, errno.EIO, "file that AWS_CA_BUNDLE names")
    good = probe(local, "get", "s3://bucket/key", scheme="https", AWS_CA_BUNDLE=certificate)
    expect(good == (0, 3, ""), f"a known certificate: {good}")
    found = probe(server.address, "get", "s3://bucket/key", scheme="https",
                  AWS_CA_BUNDLE=certificate)
    expect(found[0] == 5, f"the certificate of another host: {found}")


def test_core(folder):
    """A core dump has no secret key."""
    with open("/proc/sys/kernel/core_pattern") as file:
        pattern = file.read().strip()
    if pattern.startswith(("|", "/")):
        print("skipped: core dumps (the system does not write them into the current directory)")
        return
    server = Server(lambda head, body: response(body=b"object", ETag='"x"'))
    files = os.path.join(folder, "credentials")
    with open(files, "w") as file:
        file.write(f"[default]\naws_access_key_id = HOSTILE\naws_secret_access_key = {SECRET}\n")
    for name, variables in {
            "environment": {"AWS_ACCESS_KEY_ID": "HOSTILE", "AWS_SECRET_ACCESS_KEY": SECRET},
            "file": {"AWS_SHARED_CREDENTIALS_FILE": files},
            "planted": {"AWS_ACCESS_KEY_ID": "HOSTILE", "AWS_SECRET_ACCESS_KEY": SECRET,
                        "STORE_PLANTED": "1"}}.items():
        place = os.path.join(folder, "core-" + name)
        os.mkdir(place)
        subprocess.run([PROBE, "hold", "s3://bucket/key"], cwd=place,
                       env={"AWS_ENDPOINT_URL": f"http://{server.address}", **variables},
                       preexec_fn=lambda: resource.setrlimit(
                           resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
        cores = [os.path.join(place, one) for one in os.listdir(place)]
        if not cores:
            print("skipped: core dumps (this build writes none, as with the address sanitizer)")
            return
        with open(cores[0], "rb") as file:
            core = file.read()
        expect(b"object" in core, f"{name}: the core dump is not one")
        expect((SECRET.encode() in core) == (name == "planted"),
               f"{name}: the secret key {'is not' if name == 'planted' else 'is'} in the core dump")


TESTS = {name[5:]: function for name, function in globals().items() if name.startswith("test_")}


def main():
    only = sys.argv[3] if len(sys.argv) > 3 else None
    failed = 0
    with tempfile.TemporaryDirectory(prefix="swathe-hostile-") as folder:
        for name, function in TESTS.items():
            if only and name != only:
                continue
            start = time.monotonic()
            try:
                function(folder)
                print(f"ok: {name}, {time.monotonic() - start:.1f} s", flush=True)
            except Failure as error:
                failed += 1
                print(f"FAILED {name}: {error}\nrepeat with: {' '.join(sys.argv[:2])} --only {name}",
                      flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
