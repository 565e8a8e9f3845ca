#!/usr/bin/env python3
"""An HTTP proxy in front of a store that makes a share of the requests fail, or lies.

    fault_proxy.py --to http://127.0.0.1:8333 --share 0.01 --seed 7

Prints "listening http://127.0.0.1:PORT" and passes requests on until SIGTERM or SIGINT, then prints
one line of JSON with the number of requests, of bytes of responses and of faults of each kind. Clients use the address as
AWS_ENDPOINT_URL. The Host header is passed on unchanged, so that signatures stay valid.

Faults (--faults, a list separated by commas; each faulty request draws one of them):
    500         answers 500 InternalError; the store never sees the request
    503         answers 503 SlowDown; the store never sees the request
    reset       resets the connection; the store never sees the request
    late-500    the store handles the request, then the client gets a 500
    late-reset  the store handles the request, then the connection is reset
    cut         passes on a part of the response's body and closes the connection
    delay       waits --delay seconds, then passes the request on
Lies (--lies; only responses 200 and 206 with a body, and HEAD for `etag`):
    length      a Content-Length that is larger than the body
    short       half of the body, with a Content-Length and no other header to match
    long        more bytes than the store sent, with a Content-Length to match
    etag        another ETag
    flip        one changed bit in the body

From a test:

    with fault_proxy.running(weed.endpoint, share=0.2, seed=1) as proxy:
        ... proxy.endpoint ...
    print(proxy.counts)
"""
import argparse
import asyncio
import collections
import contextlib
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import urllib.parse

FAULTS = ("500", "503", "reset", "late-500", "late-reset", "cut", "delay")
LIES = ("length", "short", "long", "etag", "flip")
BLOCK = 1 << 18


class Closed(Exception):
    """The other side has closed the connection."""


class Reset(Exception):
    """The connection to the client is to be reset."""


class Head:
    """The first line and the headers of a request or a response."""

    def __init__(self, raw):
        lines = raw.decode("latin-1").split("\r\n")
        self.first = lines[0]
        self.headers = [line.partition(":") for line in lines[1:] if line]

    def get(self, name):
        return next((value.strip() for key, _, value in self.headers if key.lower() == name), None)

    def set(self, name, value):
        self.headers = [header for header in self.headers if header[0].lower() != name]
        self.headers.append((name, ":", f" {value}"))

    def bytes(self):
        lines = [self.first] + ["".join(header) for header in self.headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def read_head(reader):
    try:
        return Head((await reader.readuntil(b"\r\n\r\n"))[:-4])
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError) as error:
        raise Closed() from error


async def body_blocks(reader, head, empty=False):
    """Yields the body in blocks, as it is on the wire."""
    length = head.get("content-length")
    try:
        if empty:
            return
        if (head.get("transfer-encoding") or "").lower() == "chunked":
            while True:
                line = await reader.readuntil(b"\r\n")
                size = int(line.split(b";")[0], 16)
                yield line + await reader.readexactly(size + 2)
                if size == 0:
                    return
        left = int(length or 0)
        while left > 0:
            block = await reader.read(min(left, BLOCK))
            if not block:
                raise Closed()
            left -= len(block)
            yield block
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise Closed() from error


class Proxy:
    def __init__(self, options):
        self.options = options
        self.target = urllib.parse.urlsplit(options.to)
        self.random = random.Random(options.seed)
        self.counts = collections.Counter(requests=0)

    def draw(self, method, path):
        """The fault or lie of a request; None: none."""
        options = self.options
        self.counts["requests"] += 1
        first, second = self.random.random(), self.random.random()
        if options.methods and method not in options.methods:
            return None
        if options.path and options.path not in path:
            return None
        if first >= options.share:
            return None
        return options.kinds[int(second * len(options.kinds))]

    def count(self, kind):
        self.counts[kind] += 1

    async def serve(self, reader, writer):
        """One connection of a client, with a connection to the store of its own."""
        store = None
        try:
            while True:
                request = await read_head(reader)
                method, path = request.first.split(" ")[:2]
                kind = self.draw(method, path)
                if kind in ("500", "503", "reset"):
                    self.count(kind)
                    async for _ in body_blocks(reader, request):
                        pass
                    if kind == "reset":
                        raise Reset()
                    await self.refuse(writer, method, kind)
                    continue
                if kind == "delay":
                    self.count(kind)
                    await asyncio.sleep(self.options.delay)
                store = store or await asyncio.open_connection(
                    self.target.hostname, self.target.port or 80, limit=1 << 20)
                try:
                    await self.pass_on(reader, request, store[1])
                    if not await self.answer(store[0], writer, method, kind):
                        return
                except Closed:
                    return
        except Reset:
            self.reset(writer)
        except (Closed, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            for one in (writer, store and store[1]):
                if one:
                    one.close()

    async def pass_on(self, reader, request, store):
        store.write(request.bytes())
        async for block in body_blocks(reader, request):
            store.write(block)
            await store.drain()
        await store.drain()

    async def refuse(self, writer, method, status):
        code, name = ("503", "SlowDown") if status == "503" else ("500", "InternalError")
        body = f"<?xml version=\"1.0\"?><Error><Code>{name}</Code></Error>".encode()
        writer.write(f"HTTP/1.1 {code} {name}\r\nContent-Type: application/xml\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n".encode())
        if method != "HEAD":
            writer.write(body)
        await writer.drain()

    @staticmethod
    def reset(writer):
        raw = writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async def answer(self, store, writer, method, kind):
        """Passes a response on; False if the connection must be closed after it."""
        while True:
            head = await read_head(store)
            status = int(head.first.split(" ")[1])
            if status >= 200:
                break
            writer.write(head.bytes())
        empty = method == "HEAD" or status in (204, 304)
        blocks = body_blocks(store, head, empty)
        if kind in ("late-500", "late-reset"):
            self.count(kind)
            async for _ in blocks:
                pass
            if kind == "late-reset":
                raise Reset()
            await self.refuse(writer, method, "500")
            return True
        if kind in LIES + ("cut",) and status in (200, 206):
            return await self.spoil(writer, head, blocks, empty, kind)
        writer.write(head.bytes())
        async for block in blocks:
            self.counts["bytes"] += len(block)
            writer.write(block)
            await writer.drain()
        await writer.drain()
        return (head.get("connection") or "").lower() != "close"

    async def spoil(self, writer, head, blocks, empty, kind):
        """A response whose body is cut, or that lies."""
        body = b"".join([block async for block in blocks])
        chunked = (head.get("transfer-encoding") or "").lower() == "chunked"
        keep = True
        if kind == "etag" and head.get("etag"):
            head.set("etag", '"00000000000000000000000000000bad"')
            self.count(kind)
        elif not body or (chunked and kind != "cut"):
            pass  # nothing to change
        else:
            self.count(kind)
            keep = kind not in ("cut", "length")
            if kind == "cut":
                body = body[:int(self.random.random() * len(body))]
            elif kind == "length":
                head.set("content-length", len(body) + 1 + int(self.random.random() * 1000))
            elif kind == "short":
                body = body[:len(body) // 2]
            elif kind == "long":
                body += b"more than there is"
            elif kind == "flip":
                at = int(self.random.random() * len(body))
                body = body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]
            if kind in ("short", "long"):
                head.set("content-length", len(body))
        writer.write(head.bytes())
        if not empty:
            writer.write(body)
        await writer.drain()
        return keep


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                     epilog="The docstring of the file explains the kinds.")
    parser.add_argument("--to", required=True, help="the store, http://HOST:PORT")
    parser.add_argument("--port", type=int, default=0, help="to listen on; 0: a free one")
    parser.add_argument("--share", type=float, default=0.01, help="of faulty requests, 0 to 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", default="500,503,reset,late-500,late-reset,cut,delay",
                        help="kinds, separated by commas; empty: none")
    parser.add_argument("--lies", default="", help="kinds, separated by commas")
    parser.add_argument("--delay", type=float, default=0.5, help="seconds")
    parser.add_argument("--methods", default="", help="only these, as in GET,PUT")
    parser.add_argument("--path", default="", help="only paths or queries that contain this")
    options = parser.parse_args(arguments)
    faults = [kind for kind in options.faults.split(",") if kind]
    lies = [kind for kind in options.lies.split(",") if kind]
    for kind, known in [(one, FAULTS) for one in faults] + [(one, LIES) for one in lies]:
        if kind not in known:
            parser.error(f"'{kind}' is not one of {', '.join(known)}")
    options.kinds = faults + lies
    options.methods = set(filter(None, options.methods.split(",")))
    if not options.kinds:
        options.share = 0
    return options


async def run(options):
    proxy = Proxy(options)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", options.port, limit=1 << 20,
                                        backlog=1024)
    print(f"listening http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()
    server.close()
    print(json.dumps(proxy.counts, sort_keys=True), flush=True)
    sys.stdout.flush()
    os._exit(0)  # without waiting for connections


class Running:
    """A proxy in a process of its own; `counts` is known after it has ended."""

    def __init__(self, arguments):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__)] + arguments,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening "):
            raise RuntimeError("the proxy did not start")
        self.endpoint = line.split()[1]
        self.counts = None

    def stop(self):
        if self.counts is None:
            self.process.terminate()
            self.counts = json.loads(self.process.stdout.readline() or "{}")
            self.process.wait()
        return self.counts


@contextlib.contextmanager
def running(to, **options):
    """A proxy while the block runs; options as on the command line, without "--"."""
    proxy = Running(["--to", to] + [f"--{name}={value}" for name, value in options.items()])
    try:
        yield proxy
    finally:
        proxy.stop()


if __name__ == "__main__":
    asyncio.run(run(parse(sys.argv[1:])))
