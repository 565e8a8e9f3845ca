"""Computes the theoretical occupancy of a GPU (the share of its threads that a kernel can keep
resident) from the resources of the kernel.

NVIDIA: per multiprocessor, from the tables of compute capabilities in the CUDA programming guide.
AMD: the compiler reports waves per SIMD; their maximum is known.
"""
from collections import namedtuple

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


def nvidia(arch, threads, registers, local):
    """Returns the percentage of a multiprocessor's threads that can be resident."""
    has = NVIDIA[arch]
    warps = -(-threads // WARP)
    warp_registers = round_up(registers * WARP, REGISTER_STEP)
    # Registers belong to one of four partitions, to which warps are assigned in turn.
    by_registers = REGISTERS // 4 // warp_registers * 4 // warps
    by_local = has.local // (round_up(local, LOCAL_STEP) + has.reserved) if local else has.groups
    groups = min(has.groups, has.threads // (warps * WARP), by_registers, by_local)
    return 100 * groups * warps * WARP // has.threads


def amd(arch, waves):
    return 100 * waves // WAVES[arch]
