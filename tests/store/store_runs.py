#!/usr/bin/env python3
"""Runs the suite of stores against a directory or SeaweedFS.

    store_runs.py SUITE files|s3|faults [1%|20%|planted]

`faults` runs it through a proxy that makes requests fail: all of it must pass. Through a proxy that
changes bytes, the suite must fail, which shows that it compares them.
"""
import os
import subprocess
import sys
import tempfile
import threading

import fault_proxy
import weed_server

# Name, options of the proxy, attempts, arguments of the suite, and whether the suite must pass.
RUNS = (("1%", {"share": 0.01, "seed": 11, "delay": 0.2}, 8, [], True),
        ("20%", {"share": 0.2, "seed": 12, "delay": 0.05}, 14, [], True),
        ("planted", {"share": 1, "faults": "", "lies": "flip", "methods": "GET"}, 1,
         ["--only", "readers"], False))


def run_faults(weed, suite, name, options, attempts, words, passes, failed):
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
        print(f"repeat with: {' '.join(sys.argv[:3])} {name}")


def with_faults(weed, suite, only):
    failed = []
    threads = [threading.Thread(target=run_faults, args=(weed, suite, *one, failed)) for one in RUNS
               if only in (None, one[0])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(failed) > 0


def run(suite, prefix, environment):
    return subprocess.run([suite, prefix], env={**os.environ, **environment}).returncode


def main():
    suite, kind, only = (*sys.argv[1:], None)[:3]
    suite = os.path.abspath(suite)
    if kind == "files":
        with tempfile.TemporaryDirectory(prefix="swathe-store-") as folder:
            return run(suite, folder + "/", {})
    weed_server.skip_unless_installed()
    with weed_server.start(f"{'faults' if kind == 'faults' else 'suite'}-bucket") as weed:
        if kind == "faults":
            return with_faults(weed, suite, only)
        return run(suite, "s3://suite-bucket/suite/", weed.environment())


if __name__ == "__main__":
    sys.exit(main())
