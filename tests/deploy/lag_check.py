#!/usr/bin/env python3
"""Checks that the NATS server shows what deploy/kubernetes.yaml scales on: asks its monitoring port
the way KEDA does, after a submission.

    lag_check.py SWATHE_FLEET
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fleet"))

from nats_fixture import NatsServer, free_ports  # noqa: E402

IMAGES = 5


def triggers():
    """The (stream, consumer) pairs of the manifest."""
    with open(os.path.join(HERE, "..", "..", "deploy", "kubernetes.yaml"), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"stream: (\S+)\n\s+consumer: (\S+)", text)


def lags(monitor):
    """The lag of each consumer as KEDA counts it: jobs that wait, and jobs that workers hold."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f"http://127.0.0.1:{monitor}/jsz?acc=$G&consumers=true&config=true"
    with opener.open(url, timeout=10) as page:
        answer = json.load(page)
    return {(stream["name"], consumer["name"]): consumer["num_pending"] + consumer["num_ack_pending"]
            for account in answer["account_details"] if account["name"] == "$G"
            for stream in account["stream_detail"]
            for consumer in stream.get("consumer_detail") or []}


def main():
    program, monitor = sys.argv[1], free_ports(1)[0]
    with NatsServer(f'http: "127.0.0.1:{monitor}"') as nats, tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/in")
        for number in range(IMAGES):
            with open(f"{folder}/in/{number}.ppm", "wb") as file:
                file.write(b"P6 1 1 255\n123")
        subprocess.run([program, "submit", "sharpen", "--queue", nats.url, "--set", "photos", "--from",
                        folder + "/in/", "--to", folder + "/out/", "--images-per-job", "1"], check=True,
                       stdout=subprocess.DEVNULL)
        seen = lags(monitor)
    wanted = triggers()
    lag = [seen.get(trigger) for trigger in wanted]
    print(f"KEDA would read {dict(zip(wanted, lag))}")
    if len(wanted) != 3 or None in lag or sum(lag) != IMAGES:
        print(f"NOT OK: the server has {seen}\nrun it alone: {' '.join(sys.argv)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
