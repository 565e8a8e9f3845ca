#!/usr/bin/env python3
"""Runs the suite of stores through a proxy that makes requests fail: all of it must pass. Through a
proxy that changes bytes, the suite must fail, which shows that it compares them.

    store_faults.py SUITE [--only 1%|20%|planted]
"""
import os
import subprocess
import sys
import threading

import fault_proxy
import weed_server

# Name, options of the proxy, attempts, arguments of the suite, and whether the suite must pass.
RUNS = (("1%", {"share": 0.01, "seed": 11, "delay": 0.2}, 8, [], True),
        ("20%", {"share": 0.2, "seed": 12, "delay": 0.05}, 14, [], True),
        ("planted", {"share": 1, "faults": "", "lies": "flip", "methods": "GET"}, 1,
         ["--only", "readers"], False))


def run(weed, suite, name, options, attempts, words, passes, failed):
    prefix = f"s3://faults-bucket/{name.strip('%')}/"
    with fault_proxy.running(weed.endpoint, **options) as proxy:
        done = subprocess.run([suite, prefix, *words], text=True, capture_output=True,
                              env={**os.environ, **weed.environment(proxy.endpoint),
                                   "AWS_MAX_ATTEMPTS": str(attempts)})
    faults = sum(proxy.counts.values()) - proxy.counts["requests"] - proxy.counts.get("bytes", 0)
    good = (done.returncode == 0) == passes and faults > 0
    if not good:
        failed.append(name)
        print(done.stdout[-3000:], done.stderr[-1000:])
    print(f"{'ok' if good else 'FAILED'}: {name}: {faults} faults, {proxy.counts}; "
          f"{done.stdout.strip().splitlines()[-1:]}")
    if not good:
        print(f"repeat with: {' '.join(sys.argv[:2])} --only {name}")


def main():
    suite = os.path.abspath(sys.argv[1])
    only = sys.argv[3] if len(sys.argv) > 3 else None
    failed = []
    weed_server.skip_unless_installed()
    with weed_server.start("faults-bucket") as weed:
        threads = [threading.Thread(target=run, args=(weed, suite, *one, failed)) for one in RUNS
                   if not only or one[0] == only]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
