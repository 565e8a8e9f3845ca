"""A small client of NATS for tests: publishes raw messages and reads streams."""
import base64
import json
import socket
import urllib.parse


class NatsClient:
    def __init__(self, url):
        place = urllib.parse.urlsplit(url)
        self.link = socket.create_connection((place.hostname, place.port), timeout=10)
        self.file = self.link.makefile("rb")
        self.file.readline()  # INFO
        self.send(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,'
                  b'"no_responders":true}\r\nSUB _INBOX.test.* 1\r\n')
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
        self.send(f"PUB {subject} _INBOX.test.{self.number} {len(payload)}\r\n".encode() +
                  payload + b"\r\n")
        return self.receive()

    def publish(self, subject, payload):
        """Publishes to a stream and checks its acknowledgement."""
        answer = json.loads(self.request(subject, payload))
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def stream(self, name):
        """Returns (subject, payload) of every message of a stream, in order."""
        state = json.loads(self.request(f"$JS.API.STREAM.INFO.{name}"))["state"]
        messages = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            got = json.loads(self.request(f"$JS.API.STREAM.MSG.GET.{name}",
                                          json.dumps({"seq": sequence}).encode()))
            if "message" in got:
                messages.append((got["message"]["subject"],
                                 base64.b64decode(got["message"].get("data", ""))))
        return messages
