"""Functions that read and write operands of NVIDIA's machine code, as nvdisasm prints them.

Values are unsigned words, predicates booleans; None is an unknown value.
"""
import re

MASK = 0xFFFFFFFF


REGISTER = re.compile(r"^([-~!|]*)(UR|R|UP|P)(\d+|Z|T)(\.[\w.]+)?\|?$")
NUMBER = re.compile(r"^(-?)0x([0-9a-f]+)$|^-?\d+$")
CONSTANT = re.compile(r"^([-~|]*)c\[(0x[0-9a-f]+)\]\[(0x[0-9a-f]+)\](\.[\w.]+)?\|?$")


def negated(value, sign):
    if value is None:
        return None
    if "|" in sign:
        value = -value & MASK if value >> 31 else value
    if "~" in sign:
        return ~value & MASK
    return (~value & MASK) + 1 if "-" in sign else value  # 2^32 for -0: the hardware's carry


def register_reader(sign, kind, number, step):
    if number in ("Z", "T"):
        fixed = (kind.endswith("P") != ("!" in sign)) if kind in ("P", "UP") else negated(0, sign)
        return lambda t: fixed
    name = f"{kind}{int(number) + step}"
    if kind in ("P", "UP"):
        if "!" in sign:
            return lambda t: None if t.values.get(name) is None else not t.values[name]
        return lambda t: t.values.get(name)
    if not sign:
        return lambda t: t.values.get(name)
    return lambda t: negated(t.values.get(name), sign)


def reader(text, step=0):
    """Returns a function of the thread that returns an operand's value; with `step` 1, that of the
    word after it."""
    text = text.replace(".reuse", "")
    match = REGISTER.match(text)
    if match:
        return register_reader(match[1], match[2], match[3], step)
    match = CONSTANT.match(text)
    if match:
        key, sign = (int(match[2], 16), int(match[3], 16) + 4 * step), match[1]
        return lambda t: negated(t.constants(*key), sign)
    if NUMBER.match(text):
        number = int(text, 0) >> (32 * step) & MASK
        return lambda t: number
    return lambda t: None


def reader64(text):
    low, high = reader(text.replace("-", "")), reader(text.replace("-", ""), 1)
    minus = text.startswith("-")

    def read(t):
        a, b = low(t), high(t)
        if a is None or b is None:
            return None
        value = (b << 32 | a) & (1 << 64) - 1
        return -value & (1 << 64) - 1 if minus else value

    return reader64_number(text) if NUMBER.match(text) else read


def reader64_number(text):
    number = int(text, 0) & (1 << 64) - 1
    return lambda t: number


def is_predicate(text):
    match = REGISTER.match(text)
    return bool(match) and match[2] in ("P", "UP")


def writer(text):
    """Returns a function that stores a word in a register, or with `step` in one of those after
    it."""
    match = REGISTER.match(text.replace(".reuse", ""))
    if not match or match[3] in ("Z", "T"):
        return lambda t, value, step=0: None
    kind, number = match[2], int(match[3])

    def write(t, value, step=0):
        if value is not None and kind in ("R", "UR"):
            value &= MASK
        t.values[f"{kind}{number + step}"] = value

    return write


def signed(value, bits=32):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def split_operands(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts
