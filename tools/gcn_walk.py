"""Follows one thread of a HIP kernel through AMD assembly and counts the instructions it executes.

The wave runs with one active thread, so that thread masks are 0 or 1. Scalar and vector integers,
masks and branches are evaluated. Values from memory or floats are unknown (None), and so is
everything computed from them. A branch that depends on an unknown value is an error, never a guess.
"""
import re
import struct

MASK, WIDE = 0xFFFFFFFF, (1 << 64) - 1
STEPS_MOST = 2_000_000
KERNARG = 0x100000  # an arbitrary address for the arguments
USER_SGPRS = (("private_segment_buffer", 4), ("dispatch_ptr", 2), ("queue_ptr", 2),
              ("kernarg_segment_ptr", 2), ("dispatch_id", 2), ("flat_scratch_init", 2),
              ("private_segment_size", 1))


class WalkError(Exception):
    pass


class Thread:
    def __init__(self, arguments, memory):
        self.values = {"exec": 1, "vcc": 0, "scc": 0}
        self.arguments = arguments
        self.memory = memory  # address -> the 32-bit word there, or None
        self.loads, self.stores = [], []
        self.steps = 0


# ---- Operands -----------------------------------------------------------------------------------

ONE = re.compile(r"^([vsa])(\d+)$")
MANY = re.compile(r"^([vsa])\[(\d+):(\d+)\]$")
ALIASES = {"vcc_lo": "vcc", "exec_lo": "exec"}
IGNORED = {"null", "off", "vcc_hi", "exec_hi", "m0", "scc"}


def reader(text, wide=False):
    text = ALIASES.get(text, text)
    match = ONE.match(text)
    if match:
        return lambda t: t.values.get(text)
    match = MANY.match(text)
    if match:
        low, high = f"{match[1]}{match[2]}", f"{match[1]}{int(match[2]) + 1}"

        def pair(t):
            a, b = t.values.get(low), t.values.get(high)
            return None if a is None or b is None else b << 32 | a

        return pair if wide else lambda t: t.values.get(low)
    if text in ("vcc", "exec", "scc"):
        return lambda t: t.values[text]
    try:
        number = int(text, 0) & (WIDE if wide else MASK)
    except ValueError:
        return lambda t: None
    return lambda t: number


def writer(text, wide=False):
    text = ALIASES.get(text, text)
    if text in ("vcc", "exec"):
        return lambda t, value: t.values.__setitem__(text, value)
    match = MANY.match(text)
    if match:
        names = [f"{match[1]}{i}" for i in range(int(match[2]), int(match[3]) + 1)]

        def write(t, value):
            for i, name in enumerate(names):
                t.values[name] = None if value is None or i > 1 else value >> 32 * i & MASK

        return write
    if not ONE.match(text):
        return lambda t, value: None
    return lambda t, value: t.values.__setitem__(text, None if value is None else value & MASK)


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


# ---- Integer operations ------------------------------------------------------------------------

SIMPLE = {  # name without type and encoding: function of the sources
    "mov": lambda a: a, "movk": lambda a: signed(a, 16), "not": lambda a: ~a,
    "add": lambda a, b: a + b, "add_nc": lambda a, b: a + b, "addk": lambda a, b: a + signed(b, 16),
    "sub": lambda a, b: a - b, "sub_nc": lambda a, b: a - b,
    "subrev": lambda a, b: b - a, "subrev_nc": lambda a, b: b - a,
    "add3": lambda a, b, c: a + b + c, "mul": lambda a, b: a * b, "mul_lo": lambda a, b: a * b,
    "mulk": lambda a, b: a * signed(b, 16),
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b, "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
    "or3": lambda a, b, c: a | b | c, "and_or": lambda a, b, c: a & b | c,
    "xad": lambda a, b, c: (a ^ b) + c,
    "lshl": lambda a, b: a << (b & 63), "lshlrev": lambda a, b: b << (a & 63),
    "lshl_add": lambda a, b, c: (a << (b & 31)) + c, "add_lshl": lambda a, b, c: (a + b) << (c & 31),
    "lshl_or": lambda a, b, c: a << (b & 31) | c,
    "lshl1_add": lambda a, b: (a << 1) + b, "lshl2_add": lambda a, b: (a << 2) + b,
    "lshl3_add": lambda a, b: (a << 3) + b, "lshl4_add": lambda a, b: (a << 4) + b,
    "bfe": lambda a, b, c: a >> (b & 31) & (1 << (c & 31)) - 1,
    "bfm": lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    "bfi": lambda a, b, c: a & b | ~a & c,
    "readfirstlane": lambda a: a, "accvgpr_write": lambda a: a, "accvgpr_read": lambda a: a,
    "sext": lambda a: a,
}
TYPED = {  # function of the sources as the type has them
    "min": min, "max": max, "min3": min, "max3": max,
    "lshr": lambda a, b: a >> (b & 63), "lshrrev": lambda a, b: b >> (a & 63),
    "ashr": lambda a, b: a >> (b & 63), "ashrrev": lambda a, b: b >> (a & 63),
    "mul_hi": lambda a, b: a * b >> 32, "abs": abs,
}
COMPARE = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
           "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
           "lg": lambda a, b: a != b}
SPLIT = re.compile(r"^([vs])_(.+?)_([iub])(8|16|24|32|64)(?:_u24|_i24)?$")


def typed(value, kind, bits):
    return signed(value, bits) if kind == "i" else value & (1 << bits) - 1


def source_values(t, readers):
    values = [r(t) for r in readers]
    return None if None in values else values


def integer_step(unit, base, kind, bits, ops):
    """Returns the function of an integer operation with one result, or None for other
    operations."""
    wide = bits == 64
    function = SIMPLE.get(base) or TYPED.get(base)
    if function is None:
        return None
    value_bits = 24 if bits == 24 else bits
    rev = base.endswith("rev") and wide  # the amount of a 64-bit shift is one word
    readers = [reader(o, wide and not (rev and i == 0)) for i, o in enumerate(ops[1:])]
    if base in ("addk", "mulk"):
        readers.insert(0, reader(ops[0]))
    write, convert = writer(ops[0], wide), base in TYPED or bits == 24
    most = 0xFFFF if bits == 16 and unit == "v" else WIDE if wide else MASK
    amount = {"lshr": 1, "ashr": 1, "lshrrev": 0, "ashrrev": 0}.get(base)

    def step(t):
        values = source_values(t, readers)
        if values and convert:
            values = [v if i == amount else typed(v, "i" if base.startswith("ashr") else kind,
                                                  value_bits) for i, v in enumerate(values)]
        result = None if values is None else function(*values) & most
        if unit == "s":
            set_scc(t, base, values, result, kind)
        write(t, result)

    return step


def set_scc(t, base, values, result, kind):
    if base in ("mov", "movk", "mul", "mulk", "mul_hi", "bfm"):
        return
    if values is None:
        t.values["scc"] = None
    elif base == "add" and kind == "u":
        t.values["scc"] = int(sum(values) > MASK)
    elif base == "sub" and kind == "u":
        t.values["scc"] = int(values[0] < values[1])
    elif base in ("min", "max"):
        t.values["scc"] = int(typed(result, kind, 32) == values[0])
    elif base in ("add", "sub", "addk"):
        t.values["scc"] = None  # signed overflow: never read
    else:
        t.values["scc"] = int(result != 0)


def carry_step(name, ops):
    """Handles additions with carry: scalar ones use scc, vector ones a mask."""
    if name in ("s_addc_u32", "s_subb_u32"):
        a, b, write = reader(ops[1]), reader(ops[2]), writer(ops[0])
        sign = 1 if "add" in name else -1

        def scalar(t):
            values = source_values(t, [a, b, lambda t: t.values["scc"]])
            total = None if values is None else values[0] + sign * (values[1] + values[2])
            t.values["scc"] = None if total is None else int(not 0 <= total <= MASK)
            write(t, None if total is None else total & MASK)

        return scalar
    match = re.match(r"^v_(add|sub|subrev)(c_co|b_co|brev_co|_co_ci|_co)_u32$", name)
    if not match:
        return None
    write, mask, a, b = writer(ops[0]), writer(ops[1]), reader(ops[2]), reader(ops[3])
    carry = reader(ops[4]) if len(ops) > 4 else lambda t: 0
    sign, swap = (1 if match[1] == "add" else -1), "rev" in name

    def vector(t):
        values = source_values(t, [a, b, carry])
        total = None
        if values is not None:
            first, second = (values[1], values[0]) if swap else values[:2]
            total = first + sign * (second + (values[2] & 1))
        mask(t, None if total is None else int(not 0 <= total <= MASK))
        write(t, None if total is None else total & MASK)

    return vector


def multiply_add_step(name, ops):
    match = re.match(r"^v_mad_([ui])(64_[ui]32|32_[ui]24|32_[ui]16)$", name)
    if not match:
        return None
    wide = match[2].startswith("64")
    sources = ops[2:5] if wide else ops[1:4]
    bits = int(match[2][-2:])
    a, b, c, write = reader(sources[0]), reader(sources[1]), reader(sources[2], wide), writer(ops[0])
    low, write_low = reader(sources[2]), writer(ops[0].replace("[", "").split(":")[0])

    def step(t):
        values = source_values(t, [a, b, low])
        if values is None:
            return write(t, None)
        product = typed(values[0], match[1], bits) * typed(values[1], match[1], bits)
        if c(t) is not None:
            return write(t, product + c(t) & (WIDE if wide else MASK))
        write(t, None)  # the high word only: compilers leave a value in it that is never read
        return write_low(t, product + values[2] & MASK)

    return step


def compare_step(name, ops):
    match = re.match(r"^(s_cmp|s_cmpk|v_cmp|v_cmpx)_(lt|le|gt|ge|eq|ne|lg)_([iu])(32|64|16)$", name)
    if not match:
        return None
    compare, kind, bits = COMPARE[match[2]], match[3], int(match[4])
    scalar, sources = match[1].startswith("s"), ops[-2:]
    a, b = (reader(o, bits == 64) for o in sources)
    write = writer(ops[0]) if len(ops) > 2 else writer("vcc")

    def step(t):
        values = source_values(t, [a, b])
        held = None
        if values is not None:
            held = int(compare(*[typed(v, kind, bits) for v in values]))
        if scalar:
            t.values["scc"] = held
        elif match[1] == "v_cmpx":
            t.values["exec"] = held
        else:
            write(t, held)

    return step


def exec_step(name, ops):
    match = re.match(r"^s_(and|or|xor|andn2|andn1|orn2|nor)_saveexec_b(32|64)$", name)
    if not match:
        return None
    combine = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
               "andn2": lambda a, b: a & ~b & 1, "andn1": lambda a, b: ~a & b & 1,
               "orn2": lambda a, b: a | ~b & 1, "nor": lambda a, b: ~(a | b) & 1}[match[1]]
    source, write = mask_reader(ops[1]), writer(ops[0])

    def step(t):
        value, before = source(t), t.values["exec"]
        if value is None:
            raise WalkError(f"the set of active threads depends on an unknown value: {name}")
        t.values["exec"] = combine(value & 1, before) & 1
        write(t, before)
        t.values["scc"] = t.values["exec"]

    return step


def mask_reader(text):
    """Returns a reader of a thread mask. Only the bit of the one active thread matters, so the low
    word suffices."""
    read = reader(text)
    return read


def select_step(name, ops):
    if name == "v_cndmask_b32":
        a, b, mask = reader(ops[1]), reader(ops[2]), mask_reader(ops[3] if len(ops) > 3 else "vcc")
    elif name in ("s_cselect_b32", "s_cselect_b64"):
        wide = name.endswith("64")
        b, a, mask = reader(ops[1], wide), reader(ops[2], wide), reader("scc")
    else:
        return None
    write = writer(ops[0])

    def step(t):
        held = mask(t)
        write(t, None if held is None else b(t) if held & 1 else a(t))

    return step


# ---- Memory ------------------------------------------------------------------------------------

WIDTH = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4,
         "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "dwordx8": 32, "dwordx16": 64}


def scalar_load_step(name, ops):
    match = re.match(r"^s_load_(dword(?:x\d+)?)$", name)
    if not match:
        return None
    words, base = WIDTH[match[1]] // 4, reader(ops[1], True)
    offset = int(ops[2].split()[0], 0) if re.match(r"^-?(0x)?[0-9a-f]+", ops[2]) else None
    found = MANY.match(ops[0]) or ONE.match(ops[0])
    first = int(found[2])

    def step(t):
        address = base(t)
        for i in range(words):
            t.values[f"s{first + i}"] = None
            at = None if address is None or offset is None else address + offset + 4 * i - KERNARG
            if at is not None and 0 <= at <= len(t.arguments) - 4:
                t.values[f"s{first + i}"] = struct.unpack_from("<I", t.arguments, at)[0]

    return step


def global_address(vector, scalar, offset):
    wide = vector.startswith("v[")
    low, base = reader(vector, wide), reader(scalar, True) if scalar != "off" else lambda t: 0

    def read(t):
        a, b = low(t), base(t)
        return None if a is None or b is None else a + b + offset & WIDE

    return read


def global_step(name, ops):
    match = re.match(r"^global_(load|store)_(\w+?)(?:_d16(?:_hi)?)?$", name)
    if not match:
        return None
    size = WIDTH.get(match[2])
    if size is None:
        raise WalkError(f"unknown form of memory access: {name}")
    words = ops[-1].split()
    found = re.search(r"offset:(-?\d+)", ops[-1])
    offset, last = int(found[1]) if found else 0, words[0]
    address = global_address(ops[1] if match[1] == "load" else ops[0], last, offset)
    write = writer(ops[0])

    def step(t):
        at = address(t)
        (t.loads if match[1] == "load" else t.stores).append((at, size))
        if match[1] == "load":
            write(t, t.memory(at) if at is not None and size == 4 else None)

    return step


def division_step(name, ops):
    """Evaluates the float reciprocal with which integer division starts; integer operations correct
    it."""
    def bits(value):
        return struct.unpack("<I", struct.pack("<f", value))[0]

    def number(word):
        return struct.unpack("<f", struct.pack("<I", word & MASK))[0]

    steps = {"v_cvt_f32_u32": lambda a: bits(float(a)),
             "v_rcp_iflag_f32": lambda a: bits(1 / number(a)),
             "v_cvt_u32_f32": lambda a: int(number(a)),
             "v_mul_f32": lambda a, b: bits(number(a) * number(b))}
    if name not in steps or (name == "v_mul_f32" and ops[1] != "0x4f7ffffe"):
        return None
    readers, write = [reader(o) for o in ops[1:]], writer(ops[0])

    def step(t):
        values = source_values(t, readers)
        write(t, None if values is None else steps[name](*values))

    return step


def unknown_step(name, ops):
    """Handles floats and all other operations: their results, and the masks that they write, become
    unknown."""
    if not ops or re.match(r"^(s_waitcnt|s_barrier|s_nop|s_clause|s_inst|s_setprio|s_sleep|ds_write"
                           r"|buffer_gl|s_sendmsg|s_setreg|s_dcache|s_icache|s_wait|s_code_end"
                           r"|s_round|s_denorm)", name):
        return lambda t: None
    write = writer("vcc" if name.startswith("v_cmp") and len(ops) == 2 else ops[0])

    def step(t):
        write(t, None)
        if name.startswith("s_"):
            t.values["scc"] = None

    return step


# ---- The program ---------------------------------------------------------------------------------

BRANCH = {"s_branch": lambda v: True, "s_cbranch_scc0": lambda v: v["scc"] == 0,
          "s_cbranch_scc1": lambda v: v["scc"] == 1, "s_cbranch_vccz": lambda v: v["vcc"] & 1 == 0,
          "s_cbranch_vccnz": lambda v: v["vcc"] & 1 == 1,
          "s_cbranch_execz": lambda v: v["exec"] & 1 == 0,
          "s_cbranch_execnz": lambda v: v["exec"] & 1 == 1}
MAKERS = (carry_step, multiply_add_step, compare_step, exec_step, select_step, scalar_load_step,
          global_step, division_step)


SELECT = {"BYTE_0": (0, 255), "BYTE_1": (8, 255), "BYTE_2": (16, 255), "BYTE_3": (24, 255),
          "WORD_0": (0, 65535), "WORD_1": (16, 65535), "DWORD": (0, MASK)}


def selecting_step(name, ops):
    """Handles sources that are bytes or halves of registers (sdwa) by extracting them first."""
    if not re.search(r"\bsrc\d_sel:", ops[-1]) or "dst_sel:DWORD" not in ops[-1]:
        return unknown_step(name, ops)
    words = ops[-1].split()
    picks = [SELECT[re.search(r":(\w+)", w)[1]] for w in words if re.match(r"src\d_sel:", w)]
    sources = ops[-len(picks):-1] + [words[0]]
    readers = [reader(o) for o in sources]
    after = make_step(name, ops[:-len(picks)] + [f"s{900 + i}" for i in range(len(picks))])[1]

    def step(t):
        for i, (read, (shift, mask)) in enumerate(zip(readers, picks)):
            value = read(t)
            t.values[f"s{900 + i}"] = None if value is None else value >> shift & mask
        after(t)

    return step


def make_step(name, ops):
    if name.endswith("_sdwa"):
        return name, selecting_step(name[:-5], ops)
    name = re.sub(r"_(e32|e64|dpp)$", "", name)
    for maker in MAKERS:
        step = maker(name, ops)
        if step:
            return name, step
    match = SPLIT.match(name)
    if match:
        bits = 24 if name.endswith("24") else int(match[4])
        step = integer_step(match[1], match[2], match[3], bits, ops)
        if step:
            return name, step
    return name, unknown_step(name, ops)


def split_operands(text):
    return [o.strip() for o in re.split(r",(?![^\[]*\])", text)] if text else []


class Program:
    """A kernel's assembly (clang -S), ready to be walked."""

    def __init__(self, text, kernel):
        self.steps, self.labels = [], {}
        body = re.search(rf"^{kernel}:.*?\n(.*?)^\s*\.section", text, re.M | re.S)
        if not body:
            raise WalkError(f"no kernel {kernel} in the assembly")
        for line in body[1].split("\n"):
            line = line.split(";")[0].strip()
            label = re.match(r"^(\.L\w+):$", line)
            if label:
                self.labels[label[1]] = len(self.steps)
            elif re.match(r"^[a-z]\w+", line):
                name, _, rest = line.partition(" ")
                name, _, more = name.partition("\t")
                self.steps.append(self.parse(line, name, split_operands((more + rest).strip())))
        self.settings = dict(re.findall(r"\.amdhsa_(\w+) (\d+)", text.split(
            f".amdhsa_kernel {kernel}\n", 1)[1].split(".end_amdhsa_kernel")[0]))

    @staticmethod
    def parse(line, name, ops):
        if name == "s_endpgm":
            return line, "end", None
        if name in BRANCH:
            return line, "branch", (BRANCH[name], ops[0])
        if name in ("s_setpc_b64", "s_swappc_b64", "s_call_b64"):
            return line, "refused", None
        name, step = make_step(name, ops)
        return line, "vector" if name[0] in "vgd" and name[:2] != "v_cmpx" else "plain", step

    def start(self, thread, group, ids, packed):
        """Initializes the registers as the hardware does: arguments, work group, thread."""
        at = 0
        for name, words in USER_SGPRS:
            if self.settings.get(f"user_sgpr_{name}") == "1":
                if name == "kernarg_segment_ptr":
                    thread.values[f"s{at}"], thread.values[f"s{at + 1}"] = KERNARG, 0
                at += words
        for axis, value in zip("xyz", group):
            if self.settings.get(f"system_sgpr_workgroup_id_{axis}") == "1":
                thread.values[f"s{at}"] = value
                at += 1
        if packed:
            thread.values["v0"] = ids[0] | ids[1] << 10 | ids[2] << 20
        else:
            thread.values.update({f"v{i}": v for i, v in enumerate(ids)})

    def walk(self, thread):
        at = 0
        while True:
            thread.steps += 1
            if thread.steps > STEPS_MOST:
                raise WalkError("not finished after two million instructions")
            line, kind, what = self.steps[at]
            at += 1
            if kind == "end":
                return thread
            if kind == "refused":
                raise WalkError(f"unknown instruction: {line}")
            if kind == "branch":
                at = self.branch(thread, line, *what) or at
            elif kind == "plain" or thread.values["exec"]:
                what(thread)

    def branch(self, thread, line, test, label):
        try:
            return self.labels[label] if test(thread.values) else None
        except TypeError:
            raise WalkError(f"depends on an unknown value: {line}") from None
