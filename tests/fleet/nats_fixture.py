"""A NATS server of its own for a test, and a small client that publishes raw messages and reads
streams."""
import base64
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from processes import free_ports


def find_server():
    """The path of nats-server: $SWATHE_NATS_SERVER, or on PATH. Exits with 77 if there is none."""
    found = os.environ.get("SWATHE_NATS_SERVER") or shutil.which("nats-server") or shutil.which(
        "nats-server", path="/usr/sbin:/usr/local/sbin")
    if not found:
        print("skipped: tests of the queue (nats-server is not installed)")
        sys.exit(77)
    return found


class NatsServer:
    """A server with a free port and a temporary store, killed at the end; it can be restarted. `config` is text to add to
    its configuration, `limits` to that of its streams."""

    def __init__(self, config="", limits=""):
        self.binary = find_server()
        self.folder = tempfile.mkdtemp(prefix="swathe-nats-")
        self.port = free_ports(1)[0]
        self.url = f"nats://127.0.0.1:{self.port}"
        self.process = None
        self.config = os.path.join(self.folder, "nats.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\n'
                       f'jetstream {{ store_dir: "{self.folder}/store"\n{limits} }}\n{config}\n')

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen([self.binary, "-c", self.config], stdout=log,
                                            stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as link:
                    if link.recv(4).startswith(b"INFO"):
                        return
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            print(log.read())
        raise RuntimeError("nats-server did not start")

    def kill(self):
        """Ends it at once, as a power cut of the machine's processes would."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process = None

    def restart(self, pause=0.3):
        self.kill()
        time.sleep(pause)
        self.start()


class NatsClient:
    def __init__(self, url, timeout=10):
        place = urllib.parse.urlsplit(url)
        self.link = socket.create_connection((place.hostname, place.port), timeout)
        self.file = self.link.makefile("rb")
        self.file.readline()  # INFO
        self.send(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,'
                  b'"no_responders":true}\r\n')
        self.inbox = f"_INBOX.test{secrets.token_hex(8)}"
        self.send(f"SUB {self.inbox}.* 1\r\n".encode())
        self.number = 0

    def send(self, data):
        self.link.sendall(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()

    def receive(self):
        """Returns the payload of the next message."""
        while True:
            words = self.file.readline().split()
            if not words:
                raise ConnectionError("the server closed the connection")
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                data = self.file.read(int(words[-1]) + 2)[:-2]
                return data[int(words[-2]):] if words[0] == b"HMSG" else data
            elif words[0] == b"-ERR":
                raise ConnectionError(b" ".join(words).decode())

    def request(self, subject, payload=b""):
        self.number += 1
        self.send(f"PUB {subject} {self.inbox}.{self.number} {len(payload)}\r\n".encode() +
                  payload + b"\r\n")
        return self.receive()

    def publish(self, subject, payload, message_id=None):
        """Publishes to a stream and checks its acknowledgement. The stream ignores a second message
        with the same id."""
        if message_id is None:
            answer = json.loads(self.request(subject, payload))
        else:
            head = f"NATS/1.0\r\nNats-Msg-Id: {message_id}\r\n\r\n".encode()
            self.number += 1
            self.send(f"HPUB {subject} {self.inbox}.{self.number} {len(head)} "
                      f"{len(head) + len(payload)}\r\n".encode() + head + payload + b"\r\n")
            answer = json.loads(self.receive())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def info(self, name):
        """The state of a stream, such as its number of messages."""
        return json.loads(self.request(f"$JS.API.STREAM.INFO.{name}"))["state"]

    def unsettled(self, name):
        """Messages of a work queue that wait or are delivered and not acknowledged. A server that
        was killed may keep acknowledged messages in the stream; it does not deliver them again."""
        streams = f"$JS.API.CONSUMER.NAMES.{name}"
        count = 0
        for consumer in json.loads(self.request(streams))["consumers"]:
            info = json.loads(self.request(f"$JS.API.CONSUMER.INFO.{name}.{consumer}"))
            count += info["num_pending"] + info["num_ack_pending"]
        return count

    def stream(self, name):
        """Returns (subject, payload) of every message of a stream, in order."""
        return [message[:2] for message in self.messages(name)]

    def last(self, name, subject):
        """Returns the payload of the last message of a subject."""
        got = json.loads(self.request(f"$JS.API.STREAM.MSG.GET.{name}",
                                      json.dumps({"last_by_subj": subject}).encode()))
        if "error" in got:
            raise RuntimeError(got["error"])
        return base64.b64decode(got["message"]["data"])

    def messages(self, name):
        """Returns (subject, payload, time) of every message of a stream, in order."""
        state = self.info(name)
        messages = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            got = json.loads(self.request(f"$JS.API.STREAM.MSG.GET.{name}",
                                          json.dumps({"seq": sequence}).encode()))
            if "message" in got:
                messages.append((got["message"]["subject"],
                                 base64.b64decode(got["message"].get("data", "")),
                                 got["message"]["time"]))
        return messages
