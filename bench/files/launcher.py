"""Runs commands for files.py. The peak memory of a child includes the memory of its parent at the
time of fork, so the parent must be small. Each input line is a JSON list [command, variables, log].
The answer is [seconds, CPU seconds, peak MiB], or null if the command failed."""
import json
import os
import sys
import time


def run(words, variables, log):
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        target = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.dup2(target, 1)
        os.dup2(target, 2)
        try:
            os.execvpe(words[0], words, {**os.environ, **variables})
        except OSError:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        return None
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


for line in sys.stdin:
    print(json.dumps(run(*json.loads(line))), flush=True)
