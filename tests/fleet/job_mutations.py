"""Jobs as an attacker would write them: valid jobs with changed bytes and fields."""
import json

NUMBERS = (-1, 0, 1, 2**31, 2**53, 2**63 - 1, 2**63, 10**40, 1.5, 1e300, True, None)
TEXTS = ("", ".", "..", "../secret/private.jpg", "../../etc/passwd", "/etc/passwd", "a//b", "a/../b",
         "..\\secret", "s3://foreign/x.jpg", "http://127.0.0.1/", "file:///etc/passwd", "a\nb", "a\0b",
         "%2e%2e/secret/private.jpg", "x" * 1025, "x" * 5000, "\u202e.jpg", "$(id)", "%s%s%n", "*", ">",
         "./a", "a/", "a/.", "?versionId=1", "#", "\ud800", "swathe.jobs.x.0")
OTHERS = ([], {}, [[]], [None], {"keys": {}}, [["a"]], [1, 2], ["a"] * 1001)


def valid_jobs(name, keys):
    """One job of each kind."""
    base = {"v": 1, "set": name, "id": 5, "generation": 0}
    return [{**base, "kind": "images", "keys": keys},
            {**base, "kind": "manifest", "offset": 0, "size": 20},
            {**base, "kind": "tiles", "offset": 0, "size": 4},
            {**base, "kind": "part", "offset": 0, "size": 4}, {**base, "kind": "finish"},
            {**base, "kind": "audit", "of": 0, "key": keys[0], "not": ["someone"]}]


def change_field(job, draw):
    job = dict(job)
    name = draw.choice([*job, "more", "from", "to", "chain", "write"])
    deed = draw.randrange(4)
    if deed == 0:
        job.pop(name, None)
    elif deed == 1 and isinstance(job.get(name), list):
        job[name] = [draw.choice(TEXTS + NUMBERS) for _ in range(draw.randrange(4))]
    else:
        job[name] = draw.choice(draw.choice((NUMBERS, TEXTS, OTHERS)))
    return job


def change_bytes(data, draw):
    at = draw.randrange(len(data) + 1)
    deed = draw.randrange(6)
    if deed == 0:
        return data[:at]
    if deed == 1:
        return data[:at] + draw.randbytes(draw.randrange(1, 9)) + data[at:]
    if deed == 2:
        return data[:at] + data[at + draw.randrange(1, 9):]
    if deed == 3:
        return data + data
    if deed == 4:
        return data[:at] + draw.choice((b"[" * 3000, b"{\"a\":" * 2000, b"9" * 400, b"\\u0000")) + data[at:]
    at = min(at, len(data) - 1)
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:]


def mutations(name, keys, count, draw):
    """Yields `count` messages."""
    jobs = valid_jobs(name, keys)
    for _ in range(count):
        job = draw.choice(jobs)
        deed = draw.randrange(3)
        for _ in range(draw.randrange(1, 4) if deed != 0 else 0):
            job = change_field(job, draw)
        data = json.dumps(job).encode()
        for _ in range(draw.randrange(1, 3) if deed != 1 else 0):
            data = change_bytes(data, draw) or b"x"
        yield data
