"""Follows one thread of a CUDA kernel through its disassembly and counts the instructions it
executes.

Integers, predicates and branches are evaluated, so that the thread's actual path is followed.
Values from memory or floats are unknown (None), and so is everything computed from them. A branch
or an address that depends on an unknown value is an error, never a guess. Every instruction on the
path counts, even if its predicate disables it: it still takes an issue slot.
"""
import itertools
import re
import struct

from sass_operands import (MASK, REGISTER, is_predicate, reader, reader64, signed, split_operands,
                           writer)

STEPS_MOST = 2_000_000
MEMORY_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


class WalkError(Exception):
    pass


# Compilers set predicates bit by bit in registers that they have not initialized; the other bits do
# not matter.
UNWRITTEN = {f"R{i}": 0 for i in range(256)}


class Thread:
    """Registers and predicates of one thread, and its accesses to global memory."""

    def __init__(self, special, constants, memory):
        self.special = special      # "SR_TID.X" and so on
        self.constants = constants  # (bank, offset) -> 32-bit word, or None
        self.memory = memory        # address -> the 32-bit word there, or None
        self.values = dict(UNWRITTEN)  # "R4", "UR4", "P0", "UP0"
        self.loads, self.stores = [], []  # (address, bytes)
        self.steps = 0


# ---- Instructions --------------------------------------------------------------------------------
# Each function takes the modifiers and operands and returns a function of the thread.


def with_inputs(operands, compute, write):
    readers = [reader(o) for o in operands]

    def step(t):
        values = [r(t) for r in readers]
        write(t, None if None in values else compute(*values))

    return step


def op_move(mods, ops):
    if "64" in mods:
        source, write = reader64(ops[-1]), writer(ops[0])
        return lambda t: write_pair(write, t, source(t))
    return with_inputs(ops[1:2], lambda a: a, writer(ops[0]))


def write_pair(write, t, value):
    write(t, None if value is None else value & MASK)
    write(t, None if value is None else value >> 32 & MASK, 1)


def carries(ops):
    """Returns the operands as (result, carry-out predicates, values, carry-in predicates)."""
    rest = ops[1:]
    outs = list(itertools.takewhile(is_predicate, rest))
    rest = rest[len(outs):]
    values = [o for o in rest if not is_predicate(o)]
    return ops[0], outs, values, [o for o in rest if is_predicate(o)]


def add_with_carry(ops, extended, compute):
    result, outs, values, ins = carries(ops)
    write, write_outs = writer(result), [writer(o) for o in outs]
    readers = [reader(v) for v in values]
    in_readers = [reader(p) for p in ins] if extended else []

    def step(t):
        got = [r(t) for r in readers + in_readers]
        total = None if None in got else compute(*got[:len(values)]) + sum(got[len(values):])
        write(t, total)
        for i, out in enumerate(write_outs):
            out(t, None if total is None else total >> 32 > i)

    return step


def op_add3(mods, ops):
    if "64" in mods:
        return op_add64(mods, ops)
    return add_with_carry(ops, "X" in mods, lambda *v: sum(v))


def op_add64(_mods, ops):
    result, _outs, values, _ins = carries(ops)
    readers, write = [reader64(v) for v in values], writer(result)

    def step(t):
        got = [r(t) for r in readers]
        write_pair(write, t, None if None in got else sum(got) & (1 << 64) - 1)

    return step


def op_mad(mods, ops):
    if "WIDE" in mods:
        return mad_wide(mods, ops)
    if "HI" in mods:
        return mad_high(mods, ops)
    return add_with_carry(ops, "X" in mods, lambda a, b, c=0: (a * b & MASK) + c)


def mad_wide(mods, ops):
    result, outs, values, ins = carries(ops)
    a, b, c, write = reader(values[0]), reader(values[1]), reader64(values[2]), writer(result)
    as_signed = (lambda v: v) if "U32" in mods else (lambda v: signed(v & MASK))
    write_outs, in_readers = [writer(o) for o in outs], [reader(p) for p in ins if "X" in mods]

    def step(t):
        got = [a(t), b(t), c(t)] + [r(t) for r in in_readers]
        total = None
        if None not in got:
            product = as_signed(got[0]) * as_signed(got[1]) & (1 << 64) - 1
            total = product + got[2] + sum(got[3:])
        write_pair(write, t, total)
        for out in write_outs:
            out(t, None if total is None else total >> 64 > 0)

    return step


def mad_high(mods, ops):
    result, _outs, values, _ins = carries(ops)
    as_signed = (lambda v: v) if "U32" in mods else (lambda v: signed(v & MASK))
    a, b, write = reader(values[0]), reader(values[1]), writer(result)
    c = (lambda t: 0) if values[2] in ("RZ", "URZ") else reader64(values[2])

    def step(t):
        got = [a(t), b(t), c(t)]
        write(t, None if None in got else as_signed(got[0]) * as_signed(got[1]) + got[2] >> 32)

    return step


def op_lea(mods, ops):
    if "HI" not in mods:
        return add_with_carry(ops, False, lambda a, b, s: (a << s & MASK) + b)
    result, outs, values, ins = carries(ops)
    if "SX32" in mods:
        def compute(a, b, s):
            return (signed(a) >> (32 - s) & MASK) + b
    else:
        def compute(a, b, c, s):
            return ((c << 32 | a) << s >> 32 & MASK) + b
    return add_with_carry([result] + outs + values + ins, "X" in mods, compute)


def op_lop3(_mods, ops):
    outs = [o for o in ops[:2] if is_predicate(o)]
    rest = ops[len(outs):]
    table = int(rest[4], 16)

    def compute(a, b, c):
        bits = 0
        for i in range(8):
            if table >> i & 1:
                bits |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
        return bits & MASK

    write, writes = writer(rest[0]), [writer(o) for o in outs]

    def store(t, value):
        write(t, value)
        for out in writes:
            out(t, None if value is None else value != 0)

    return with_inputs(rest[1:4], compute, store)


def op_plop3(_mods, ops):
    tables = [int(o, 16) for o in ops if o.startswith("0x")]
    predicates = [o for o in ops if is_predicate(o)]
    writes, readers = [writer(o) for o in predicates[:2]], [reader(o) for o in predicates[2:5]]

    def step(t):
        values = [r(t) for r in readers]
        for write, table in zip(writes, tables):
            seen = {bool(table >> (a * 4 + b * 2 + c) & 1) for a, b, c in choices(values)}
            write(t, seen.pop() if len(seen) == 1 else None)

    return step


def choices(values):
    return itertools.product(*[(0, 1) if v is None else (int(v),) for v in values])


COMPARE = {"LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b,
           "GE": lambda a, b: a >= b, "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b}
COMBINE = {"AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b}


def op_setp(mods, ops):
    compare = next((COMPARE[m] for m in mods if m in COMPARE), lambda a, b: "T" in mods)
    combine = next(COMBINE[m] for m in mods if m in COMBINE)
    wide = "S64" in mods or "U64" in mods
    bits, unsigned = (64 if wide else 32), "U32" in mods or "U64" in mods
    a, b = ((reader64 if wide else reader)(o) for o in ops[2:4])
    before = reader(ops[5]) if "EX" in mods else None
    writes, other = [writer(o) for o in ops[:2]], reader(ops[4])

    def result(t):
        x, y = a(t), b(t)
        if x is None or y is None:
            return None
        x, y = ((v & (1 << bits) - 1) if unsigned else signed(v & (1 << bits) - 1, bits)
                for v in (x, y))
        if before and x == y:
            return before(t)
        if before and compare in (COMPARE["EQ"], COMPARE["NE"]):
            return compare is COMPARE["NE"]
        return compare(x, y)

    def step(t):
        held, extra = result(t), other(t)
        for write, flip in zip(writes, (0, 1)):
            seen = {bool(combine(x ^ flip, y)) for x, y in choices([held, extra])}
            write(t, seen.pop() if len(seen) == 1 else None)

    return step


def op_select(_mods, ops):
    return choose(ops[0], ops[1], ops[2], ops[3])


def choose(result, first, second, predicate):
    a, b, p, write = reader(first), reader(second), reader(predicate), writer(result)

    def step(t):
        held = p(t)
        write(t, None if held is None else a(t) if held else b(t))

    return step


def op_shift(mods, ops):
    left, wide = "L" in mods, "U64" in mods or "S64" in mods
    arithmetic = "S32" in mods or "S64" in mods

    def compute(a, shift, c):
        value, most = (c << 32 | a), 63 if wide else 32
        shift = shift & 63 if "W" in mods else min(shift, most)
        if left:
            value <<= shift
        else:
            value = (signed(value, 64) if arithmetic else value) >> shift
        return value >> 32 & MASK if "HI" in mods else value & MASK

    return with_inputs(ops[1:4], compute, writer(ops[0]))


def op_permute(_mods, ops):
    def compute(a, selector, c):
        source, result = c << 32 | a, 0
        for i in range(4):
            nibble = selector >> 4 * i & 15
            byte = source >> 8 * (nibble & 7) & 255
            if nibble & 8:
                byte = 255 if byte & 128 else 0
            result |= byte << 8 * i
        return result

    return with_inputs(ops[1:4], compute, writer(ops[0]))


def op_min_max(mods, ops):
    result, _outs, values, ins = carries(ops)
    as_signed = (lambda v: v) if "U32" in mods else (lambda v: signed(v & MASK))
    readers, smaller, write = [reader(v) for v in values], reader(ins[0]), writer(result)

    def step(t):
        got = [r(t) for r in readers] + [smaller(t)]
        if None in got:
            return write(t, None)
        if len(values) == 3:  # VIADDMNMX
            got[0:2] = [got[0] + got[1] & MASK]
        return write(t, (min if got[2] else max)(got[0], got[1], key=as_signed))

    return step


def op_special(_mods, ops):
    write, name = writer(ops[0]), ops[1]
    if name == "SRZ":
        return lambda t: write_pair(write, t, 0)
    return lambda t: write(t, t.special.get(name))


def op_constant(mods, ops):
    words = next((int(m) // 32 for m in mods if m in ("64", "128")), 1)
    write = writer(ops[0])
    readers = [reader(ops[1], i) for i in range(words)]

    def step(t):
        for i, read in enumerate(readers):
            write(t, read(t), i)

    return step


def op_half_constant(mods, ops):
    """Evaluates HFMA2 R, -RZ, RZ, a, b: two halves, which this compiler uses to load a constant."""
    if [o.replace(".reuse", "") for o in ops[1:3]] != ["-RZ", "RZ"]:
        return unknown(mods, ops)
    word = int.from_bytes(struct.pack("<ee", float(ops[4]), float(ops[3])), "little")
    return with_inputs([], lambda: word, writer(ops[0]))


# Integer division starts with a float reciprocal, which integer operations then correct: its last
# bit does not matter.


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bits_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits & MASK))[0]


def op_to_float(mods, ops):
    value = float if "U32" in mods else lambda a: float(signed(a & MASK))
    if set(mods) - {"U32", "RP"}:
        return unknown(mods, ops)
    return with_inputs(ops[1:2], lambda a: float_bits(value(a)), writer(ops[0]))


def op_absolute(_mods, ops):
    return with_inputs(ops[1:2], lambda a: abs(signed(a & MASK)), writer(ops[0]))


def op_reciprocal(mods, ops):
    if mods != ["RCP"]:
        return unknown(mods, ops)
    return with_inputs(ops[1:2], lambda a: float_bits(1 / bits_float(a)), writer(ops[0]))


def op_to_integer(mods, ops):
    if "U32" not in mods:
        return unknown(mods, ops)
    return with_inputs(ops[1:2], lambda a: int(bits_float(a)), writer(ops[0]))


def op_predicates_to_register(_mods, ops):
    names = [f"P{i}" for i in range(7)]
    keep, mask, write = reader(ops[2]), int(ops[3], 16), writer(ops[0])

    def step(t):
        bits = [t.values.get(n) for n in names]
        wanted = [b for i, b in enumerate(bits) if mask >> i & 1]
        if None in wanted or keep(t) is None:
            return write(t, None)
        packed = sum(1 << i for i, b in enumerate(bits) if b and mask >> i & 1)
        return write(t, (keep(t) & ~mask) | packed)

    return step


def op_register_to_predicates(mods, ops):
    source, mask = reader(ops[1]), int(ops[2], 16)
    shift = next((8 * int(m[1]) for m in mods if re.match(r"B\d$", m)), 0)

    def step(t):
        value = source(t)
        for i in range(7):
            if mask >> i & 1:
                t.values[f"P{i}"] = None if value is None else bool(value >> (i + shift) & 1)

    return step


MEMORY = re.compile(r"\[(?P<base>U?R(?:\d+|Z))?(?P<wide>\.64|\.U32|\.X\d+)?"
                    r"(?:\+?(?P<uniform>UR\d+))?(?:\+?(?P<offset>-?0x[0-9a-f]+))?\]$")


def memory_bytes(mods):
    return next((MEMORY_BYTES[m] for m in mods if m in MEMORY_BYTES), 4)


def address_reader(text):
    match = MEMORY.search(text)
    if not match:
        raise WalkError(f"unknown form of address: {text}")
    offset = int(match["offset"] or "0", 16)
    base, uniform = match["base"] or "RZ", match["uniform"]
    # A register that is the whole address is a pair; an index added to a uniform base is one word.
    pair = not base.endswith("Z") and match["wide"] in (".64", None)
    low = reader64(base) if pair else reader(base)
    more = reader64(uniform) if uniform else None

    def read(t):
        parts = [low(t)] + ([more(t)] if more else [])
        return None if None in parts else sum(parts) + offset & (1 << 64) - 1

    return read


def op_load(mods, ops):
    size, address, write = memory_bytes(mods), address_reader(ops[-1]), writer(ops[0])

    def step(t):
        at = address(t)
        t.loads.append((at, size))
        for i in range(max(1, size // 4)):
            write(t, None if at is None or size < 4 else t.memory(at + 4 * i), i)

    return step


def op_store(mods, ops):
    size, address = memory_bytes(mods), address_reader(ops[0])
    return lambda t: t.stores.append((address(t), size))


def unknown(mods, ops):
    """Makes results unknown: as many words as the widest form of the instruction writes."""
    del mods
    writes = [writer(o) for o in ops[:1] if REGISTER.match(o.replace(".reuse", ""))]
    more = [writer(o) for o in itertools.takewhile(is_predicate, ops[1:])]

    def step(t):
        for write in writes + more:
            write(t, None)

    return step


def wide_unknown(mods, ops):
    size, write = memory_bytes(mods), writer(ops[0])

    def step(t):
        for i in range(max(1, size // 4)):
            write(t, None, i)

    return step


def nothing(_mods, _ops):
    return lambda t: None


OPERATIONS = {
    "MOV": op_move, "UMOV": op_move, "R2UR": op_move, "IADD3": op_add3, "UIADD3": op_add3,
    "IADD": op_add3, "UIADD": op_add3, "VIADD": op_add3, "IMAD": op_mad, "UIMAD": op_mad,
    "LEA": op_lea, "ULEA": op_lea, "LOP3": op_lop3, "ULOP3": op_lop3, "PLOP3": op_plop3,
    "UPLOP3": op_plop3, "ISETP": op_setp, "UISETP": op_setp, "SEL": op_select, "USEL": op_select,
    "SHF": op_shift, "USHF": op_shift, "PRMT": op_permute, "UPRMT": op_permute,
    "IMNMX": op_min_max, "VIMNMX": op_min_max, "UIMNMX": op_min_max, "UVIMNMX": op_min_max,
    "VIADDMNMX": op_min_max, "S2R": op_special, "S2UR": op_special, "CS2R": op_special,
    "ULDC": op_constant, "LDC": op_constant, "LDCU": op_constant, "HFMA2": op_half_constant,
    "P2R": op_predicates_to_register, "R2P": op_register_to_predicates,
    "I2F": op_to_float, "MUFU": op_reciprocal, "F2I": op_to_integer, "IABS": op_absolute,
    "LDG": op_load, "STG": op_store, "LDS": wide_unknown,
}
for name in ("STS BAR BSSY BSYNC NOP BMOV WARPSYNC YIELD MEMBAR DEPBAR CCTL ERRBAR PREEXIT ACQBULK "
             "UCGABAR_WAIT UCGABAR_ARV STL FENCE").split():
    OPERATIONS[name] = nothing
# Jumps whose target is not evaluated.
REFUSED = {"BRX", "JMX", "JMP", "CALL", "RET", "BRXU", "JMXU"}

# ---- The program ---------------------------------------------------------------------------------

LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P(?:\d|T))\s+)?([A-Z0-9_]+)((?:\.[A-Za-z0-9_]+)*)"
                  r"\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.L\w+):")


class Program:
    """A kernel's disassembly (nvdisasm -c), ready to be walked."""

    def __init__(self, text, kernel):
        self.steps, self.labels = [], {}
        section = text.split(f".text.{kernel}:", 1)
        if len(section) != 2:
            raise WalkError(f"no kernel {kernel} in the disassembly")
        for line in section[1].split("\n"):
            if line.startswith("//----"):
                break
            label = LABEL.match(line)
            if label:
                self.labels[label[1]] = len(self.steps)
            match = LINE.match(line)
            if match:
                self.steps.append(self.parse(*match.groups()))

    def parse(self, address, guard, name, mods, rest):
        mods, ops = mods.split(".")[1:], split_operands(rest)
        guard = reader(guard) if guard else None
        text = f"{address}: {name} {rest}"
        if name == "EXIT":
            return text, guard_and(guard, ops), "exit", None
        if name == "BRA" and "DIV" in mods:  # taken if the threads of a warp have diverged, which does not happen here
            return text, lambda t: False, "branch", self.target(rest)
        if name == "BRA" or (name == "CALL" and "NOINC" in mods and ".L_x" in rest):  # no return
            return text, guard_and(guard, ops[:-1]), "branch", self.target(rest)
        if name in REFUSED:
            return text, guard, "refused", None
        return text, guard, "plain", OPERATIONS.get(name, unknown)(mods, ops)

    @staticmethod
    def target(rest):
        return re.search(r"\((\.L\w+)\)", rest)[1]

    def walk(self, thread):
        at = 0
        while True:
            thread.steps += 1
            if thread.steps > STEPS_MOST:
                raise WalkError("not finished after two million instructions")
            text, guard, kind, what = self.steps[at]
            taken = True if guard is None else guard(thread)
            at += 1
            if kind == "plain":
                if taken or taken is None:
                    what(thread)
            elif taken is None:
                raise WalkError(f"depends on an unknown value: {text}")
            elif taken and kind == "refused":
                raise WalkError(f"unknown instruction: {text}")
            elif taken and kind == "exit":
                return thread
            elif taken:
                at = self.labels[what]


def guard_and(guard, ops):
    """Adds the predicate that BRA and EXIT may have as an operand to the guard."""
    guards = ([guard] if guard else []) + [reader(o) for o in ops if is_predicate(o)]
    if not guards:
        return None

    def read(t):
        values = [g(t) for g in guards]
        return False if False in values else None if None in values else True

    return read
