"""GPU compilers that run without a GPU: NVRTC and nvdisasm from the CUDA wheels on PyPI, and
Debian's hipcc.

Each returns a Kernel: its resources, and a function that follows one of its threads.
"""
import ctypes
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import namedtuple

import gcn_walk
import sass_walk

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src/gpu/drivers"
AMD = ("gfx90a", "gfx1030")  # the newest that hipcc 5.2.3 supports

# walk(group, thread, arguments, memory) follows a thread and returns it; None if not requested.
# `scratch`: bytes of thread-local memory, for arrays that are not in registers.
Kernel = namedtuple("Kernel", "registers local spills scratch occupancy walk")


class CompileError(Exception):
    pass


def wheel_file(*names):
    for folder in sys.path:
        for name in names:
            found = sorted(pathlib.Path(folder or ".").glob(f"nvidia/cu13/{name}"))
            if found:
                return str(found[0])
    raise CompileError(f"no {names[0]}; run with a Python that has tests/requirements.txt")


def back_end_options(name):
    """Returns the options that a back end adds to those of a program, extracted from its source."""
    found = re.search(r"\bfixed\[\] = \{(.*?)\}", (SOURCES / name).read_text(), re.S)
    if not found:
        raise CompileError(f"{name}: no list of options named `fixed`")
    return re.findall(r'"([^"]+)"', found[1])


# ---- Occupancy: the share of a GPU's threads that a kernel can keep resident ------------------------
#
# NVIDIA: per multiprocessor, from the tables of compute capabilities in the CUDA programming guide.
# AMD: the compiler reports waves per SIMD; their maximum is known.

Multiprocessor = namedtuple("Multiprocessor", "threads groups local reserved")
# `local` bytes for all work groups together; `reserved` bytes that the system takes for each.
NVIDIA = {
    "sm_75": Multiprocessor(1024, 16, 64 << 10, 0),
    "sm_80": Multiprocessor(2048, 32, 164 << 10, 1024),
    "sm_86": Multiprocessor(1536, 16, 100 << 10, 1024),
    "sm_89": Multiprocessor(1536, 24, 100 << 10, 1024),
    "sm_90": Multiprocessor(2048, 32, 228 << 10, 1024),
    "sm_100": Multiprocessor(2048, 32, 228 << 10, 1024),
    "sm_120": Multiprocessor(1536, 24, 100 << 10, 1024),
}
REGISTERS, REGISTER_STEP, LOCAL_STEP, WARP = 65536, 256, 256, 32
WAVES = {"gfx90a": 8, "gfx1030": 16}  # maximum for a SIMD


def round_up(value, step):
    return -(-value // step) * step


def nvidia_occupancy(arch, threads, registers, local):
    """Returns the percentage of a multiprocessor's threads that can be resident."""
    has = NVIDIA[arch]
    warps = -(-threads // WARP)
    warp_registers = round_up(registers * WARP, REGISTER_STEP)
    # Registers belong to one of four partitions, to which warps are assigned in turn.
    by_registers = REGISTERS // 4 // warp_registers * 4 // warps
    by_local = has.local // (round_up(local, LOCAL_STEP) + has.reserved) if local else has.groups
    groups = min(has.groups, has.threads // (warps * WARP), by_registers, by_local)
    return 100 * groups * warps * WARP // has.threads


def amd_occupancy(arch, waves):
    return 100 * waves // WAVES[arch]


# ---- NVIDIA ---------------------------------------------------------------------------------------


class Nvrtc:
    def __init__(self):
        self.library = ctypes.CDLL(wheel_file("lib/libnvrtc.so.13"))
        self.disassembler = wheel_file("bin/nvdisasm")

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"NVRTC {major.value}.{minor.value}"

    def call(self, name, *args):
        status = getattr(self.library, name)(*args)
        if status:
            raise CompileError(f"{name} failed with {status}")

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def binary(self, source, options):
        """Returns (cubin, log)."""
        program = ctypes.c_void_p()
        self.call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernels.cu", 0,
                  None, None)
        words = [o.encode() for o in options]
        try:
            status = self.library.nvrtcCompileProgram(program, len(words),
                                                      (ctypes.c_char_p * len(words))(*words))
            log = self.text(program, "ProgramLog").rstrip(b"\0").decode()
            if status:
                raise CompileError(log)
            return self.text(program, "CUBIN"), log
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))

    def compile(self, source, kernel, arch, group, given, options, followed):
        binary, log = self.binary(source, [f"--gpu-architecture={arch}", "--ptxas-options=-v",
                                           *back_end_options("nvrtc.c"), *options])
        registers = int(re.search(r"Used (\d+) registers", log)[1])
        local = re.search(r"(\d+) bytes smem", log)
        local = given + (int(local[1]) if local else 0)
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", log))
        scratch = int(re.search(r"(\d+) bytes stack frame", log)[1])
        walk = None
        if followed:
            walk = nvidia_walker(sass_walk.Program(self.disassemble(binary), kernel),
                                 arguments_offset(binary, kernel), group)
        return Kernel(registers, local, spills, scratch,
                      nvidia_occupancy(arch, math.prod(group), registers, local), walk)

    def disassemble(self, binary):
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(binary)
            file.flush()
            return subprocess.run([self.disassembler, "-c", file.name], check=True,
                                  capture_output=True, text=True).stdout


def elf_section(binary, name):
    table, = struct.unpack_from("<Q", binary, 40)
    size, count, names = struct.unpack_from("<HHH", binary, 58)
    headers = [struct.unpack_from("<IIQQQQ", binary, table + i * size) for i in range(count)]
    start = headers[names][4]
    for header in headers:
        at = start + header[0]
        if binary[at:binary.index(b"\0", at)].decode() == name:
            return binary[header[4]:header[4] + header[5]]
    raise CompileError(f"no section {name}")


def arguments_offset(binary, kernel):
    """Returns the offset of a kernel's arguments in constant bank 0, from the attribute
    PARAM_CBANK."""
    info, at = elf_section(binary, f".nv.info.{kernel}"), 0
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        if attribute == 0x0A:
            return struct.unpack_from("<IHH", info, at + 4)[1]
        at += 4 + (size if form == 4 else 0)
    raise CompileError(f"{kernel}: attribute PARAM_CBANK is missing")


def nvidia_walker(program, offset, block):
    """`block` is the size of a thread block, with which constant bank 0 begins."""
    def walk(group, ids, arguments, memory):
        def constant(bank, at):
            if bank == 0 and at < 12:
                return block[at // 4]
            at -= offset
            known = bank == 0 and 0 <= at <= len(arguments) - 4
            return struct.unpack_from("<I", arguments, at)[0] if known else None

        special = {f"SR_CTAID.{a}": v for a, v in zip("XYZ", group)}
        special.update({f"SR_TID.{a}": v for a, v in zip("XYZ", ids)})
        return program.walk(sass_walk.Thread(special, constant, memory))

    return walk


# ---- AMD ------------------------------------------------------------------------------------------


class Hipcc:
    def __init__(self):
        self.path = shutil.which("hipcc")

    def version(self):
        text = subprocess.run(["clang-15", "--version"], capture_output=True, text=True).stdout
        return "clang " + re.search(r"version ([\d.]+)", text)[1]

    def compile(self, source, kernel, arch, group, given, options, followed):
        del group, given
        with tempfile.TemporaryDirectory() as folder:
            place, result = pathlib.Path(folder, "kernels.hip"), pathlib.Path(folder, "kernels.s")
            place.write_text(source)
            run = subprocess.run(
                [self.path, "-x", "hip", "-include", "hip/hip_runtime.h", "--cuda-device-only",
                 f"--offload-arch={arch}", "-Wno-unused-command-line-argument", "-S", "-o", result,
                 *back_end_options("hip.c"), *options, place, "-Rpass-analysis=kernel-resource-usage"],
                capture_output=True, text=True)
            if run.returncode:
                raise CompileError(run.stderr)
            program = gcn_walk.Program(result.read_text(), kernel)
        return amd_kernel(arch, program if followed else None, run.stderr)


def amd_kernel(arch, program, remarks):
    def figure(name):
        return int(re.search(rf"{re.escape(name)}[^:\n]*: (\d+)", remarks)[1])

    spills = figure("SGPRs Spill") + figure("VGPRs Spill")
    registers = figure(" VGPRs") + (figure("AGPRs") if "AGPRs" in remarks else 0)
    return Kernel(registers, figure("LDS Size"), spills, figure("ScratchSize"),
                  amd_occupancy(arch, figure("Occupancy")), program and amd_walker(program, arch))


def amd_walker(program, arch):
    def walk(group, ids, arguments, memory):
        thread = gcn_walk.Thread(arguments, memory)
        program.start(thread, group, ids, arch == "gfx90a")  # which packs the three indices into one register
        return program.walk(thread)

    return walk
