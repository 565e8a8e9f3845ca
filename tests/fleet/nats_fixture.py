"""A NATS server of its own for a test: free port, temporary store, killed at the end."""
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def find_server():
    """The path of nats-server: $SWATHE_NATS_SERVER, or on PATH. Exits with 77 if there is none."""
    found = os.environ.get("SWATHE_NATS_SERVER") or shutil.which("nats-server") or shutil.which(
        "nats-server", path="/usr/sbin:/usr/local/sbin")
    if not found:
        print("skipped: tests of the queue (nats-server is not installed)")
        sys.exit(77)
    return found


def free_port():
    """A port that is free now, below those that connections get by chance."""
    while True:
        port = random.randrange(12000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class NatsServer:
    """Starts a server, and kills and restarts it with the same store. `config` is text to add to
    its configuration, `limits` to that of its streams."""

    def __init__(self, config="", limits=""):
        self.binary = find_server()
        self.folder = tempfile.mkdtemp(prefix="swathe-nats-")
        self.port = free_port()
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
