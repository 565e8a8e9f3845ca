#!/usr/bin/env python3
"""Compares the resources of GPU kernels with a stored table, without needing the GPUs.

    gpu_figures.py STAGE_LIST [--table docs/gpu-figures.csv] [--document docs/gpu.md] [--update]
                   [--only PROGRAM]... [--arch NAME]...

STAGE_LIST is the program of tests/figures. Each of its programs is compiled for every architecture
but never executed. The threads of one work group in the middle of a large image are followed
through the machine code (sass_walk.py, gcn_walk.py): integers and branches are evaluated, so that
each loop counts as often as it runs and only the path of inner work groups is counted.

    registers     of a thread, as reported by the compiler (AMD: vector registers)
    instructions  per output sample: for each warp the longest path among threads 0, 8, 16, 24 and
                  31, times its threads, summed over the work group, ÷ samples that it stores
    bytes         of global memory accessed per output sample, loads and stores, taps included:
                  the sizes of all accesses of the work group on sm_86, ÷ samples
    occupancy     percent of the threads that can be resident, in theory (gpu_compilers.py)
    scratch       bytes of thread-local memory, for arrays that are not in registers

The check fails if registers are spilled, if a figure exceeds its fixed limit, or if it needs more
registers, instructions, bytes or scratch than the table states. On sm_86 the addresses of stores
are checked: each must be known, inside the result's buffer, and stored to once.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import gcn_walk
import gpu_compilers
import sass_walk

ARCHITECTURES = [*gpu_compilers.NVIDIA, *gpu_compilers.AMD]
COUNTED = "sm_86"  # all threads are followed here; strategies other than best only here
WARP, LANES = 32, (0, 8, 16, 24, 31)
REGION = 36  # buffers are 2^36 bytes apart, so that an address identifies its buffer
BUFFERS = 5  # in, out, taps, rows, columns
PLANES = 6  # in and out of planes 1, 2 and 3, after the task
OUTS = {2, 7, 9, 11}  # regions of results
MORE_REGISTERS, MORE = 2, 1.02
FIXED = ["program", "threads", "outputs", "local", "bytes", "once"]
# (program, architecture): limit of instructions per output sample.
INSTRUCTION_LIMITS = {("best gaussian:3:dense f32", "sm_86"): 25,
                      ("best gaussian:5:dense f32", "sm_86"): 45}
# Limit of bytes accessed per byte read once or written once, for the production path up to 5×5:
# dense, two passes.
BYTE_LIMITS = {"dense": 1.1, "passes": 1.15}
ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---- One program on one architecture -----------------------------------------------------------------


def arguments(program):
    task = bytes.fromhex(program["task"])
    regions = [(i + 1) << REGION for i in range(BUFFERS + PLANES)]
    return struct.pack("<5Q", *regions[:BUFFERS]) + task + bytes(-len(task) % 8) + \
        struct.pack("<6Q", *regions[BUFFERS:])


def tables(program):
    """Returns a reader of rows[] and columns[] in the middle of an image: entry i is i + base."""
    names = re.findall(r"\b(?:int|float|unsigned) ([^;]+);", task_members())
    places = {name: i for i, name in enumerate(", ".join(names).split(", "))}
    words = struct.unpack(f"<{len(places)}i", bytes.fromhex(program["task"]))
    bases = {4: words[places["row_base"]], 5: words[places["column_base"]]}

    def memory(address):
        base = bases.get(address >> REGION)
        return None if base is None else (address & (1 << REGION) - 1) // 4 + base & 0xFFFFFFFF

    return memory


def task_members():
    text = (ROOT / "src/gpu/kernels/device_task.h").read_text()
    return re.sub(r"/\*.*?\*/", "", text.split("struct gpu_task {")[1].split("}")[0], flags=re.S)


def follow(kernel, program, numbers):
    """Follows threads of a work group in the middle of the image; returns {number: thread}."""
    group, block = [g // 2 for g in program["grid"]], program["group"]
    told, memory = arguments(program), tables(program)
    return {n: kernel.walk(group, (n % block[0], n // block[0] % block[1],
                                   n // (block[0] * block[1])), told, memory) for n in numbers}


def thread_count(program):
    x, y, z = program["group"]
    return x * y * z


def instructions(kernel, program):
    total = 0
    for first in range(0, thread_count(program), WARP):
        count = min(WARP, thread_count(program) - first)
        numbers = [first + lane for lane in LANES if lane < count]
        total += count * max(t.steps for t in follow(kernel, program, numbers).values())
    return total


def traffic(kernel, program):
    """Checks the addresses of stores, and returns (samples that the work group stores, bytes that
    it accesses)."""
    loaded, stored, seen = 0, 0, set()
    for number, thread in follow(kernel, program, range(thread_count(program))).items():
        for address, size in thread.stores:
            if address is None or address >> REGION not in OUTS:
                raise sass_walk.WalkError(f"thread {number} stores to an unknown address")
            places = range(address, address + size)
            if not seen.isdisjoint(places):
                raise sass_walk.WalkError(
                    f"thread {number} stores to an address that another thread has stored to")
            seen.update(places)
            stored += size
        loaded += sum(size for _, size in thread.loads)
    return stored // program["out_size"], loaded + stored


def is_followed(program, arch):
    """Returns whether threads are followed. Disassembly takes most of the time, and strategies
    other than best need it on one architecture only. AMD's kernels load the size of a thread block from
    memory."""
    return program["program"].startswith("best ") or arch == COUNTED or \
        (arch in gpu_compilers.AMD and ":runtime" not in program["program"])


def measure(task):
    """Runs in a separate process; returns (program, architecture, figures or error text)."""
    program, arch, source = task
    compiler = (gpu_compilers.Hipcc if arch in gpu_compilers.AMD else gpu_compilers.Nvrtc)()
    try:
        kernel = compiler.compile(source, program["kernel"], arch, program["group"], program["given"],
                                  program["options"], is_followed(program, arch))
        found = {"registers": kernel.registers, "local": kernel.local, "spills": kernel.spills,
                 "scratch": kernel.scratch, "occupancy": kernel.occupancy}
        if arch == COUNTED:
            found["outputs"], found["bytes"] = traffic(kernel, program)
        if kernel.walk:
            found["group_instructions"] = instructions(kernel, program)
        return program["program"], arch, found
    except (gpu_compilers.CompileError, sass_walk.WalkError, gcn_walk.WalkError) as error:
        return program["program"], arch, str(error)


def measure_all(programs, architectures, source):
    """Returns {program: entry of the table} and the failures."""
    wanted = architectures if COUNTED in architectures else [COUNTED] + architectures
    tasks = [(p, a, source) for p in programs for a in wanted]
    found, failures = {p["program"]: {} for p in programs}, []
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, arch, figures in pool.map(measure, tasks, chunksize=4):
            if isinstance(figures, str):
                failures.append(f"{name} on {arch}: {figures}")
            else:
                found[name][arch] = figures
                if figures["spills"]:
                    failures.append(f"{name} on {arch}: {figures['spills']} bytes or registers "
                                    "are spilled")
    rows = {p["program"]: row_of(p, found[p["program"]], architectures)
            for p in programs if COUNTED in found[p["program"]]}
    return rows, failures


def row_of(program, found, architectures):
    counted, threads = found[COUNTED], thread_count(program)
    row = {"program": program["program"], "threads": str(threads),
           "outputs": f"{counted['outputs'] / threads:.4g}", "local": str(counted["local"]),
           "bytes": f"{counted['bytes'] / counted['outputs']:.2f}",
           "once": str(program["in_size"] + program["out_size"])}
    for arch in architectures:
        if arch in found:
            each = found[arch]
            per_output = f"{each['group_instructions'] / counted['outputs']:.1f}" \
                if "group_instructions" in each else "-"
            row[arch] = f"{each['registers']} {per_output} {each['occupancy']} {each['scratch']}"
    return row


# ---- The table --------------------------------------------------------------------------------------


def read_table(path):
    lines = pathlib.Path(path).read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return lines[0], {row["program"]: row for row in rows}


def write_table(path, made_by, rows):
    with open(path, "w", newline="") as file:
        file.write(made_by + "\n# A cell: registers of a thread, instructions per output sample, "
                   "occupancy in percent, bytes of scratch. See docs/gpu.md.\n")
        writer = csv.DictWriter(file, FIXED + ARCHITECTURES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())


def compare_cell(where, was, now):
    old, new = ([float(v.replace("-", "0")) for v in cell.split()] for cell in (was, now))
    if new[0] > old[0] + MORE_REGISTERS:
        yield f"{where}: {new[0]:.0f} registers, the table has {old[0]:.0f}"
    if new[1] > old[1] * MORE:
        yield f"{where}: {new[1]} instructions per output sample, the table has {old[1]}"
    if new[2] < old[2] and new[0] <= old[0] + MORE_REGISTERS:
        yield f"{where}: occupancy {new[2]:.0f} %, the table has {old[2]:.0f} %"
    if new[3] > old[3]:
        yield f"{where}: {new[3]:.0f} bytes of scratch memory, the table has {old[3]:.0f}"


def compare(table, rows, architectures):
    for name, row in rows.items():
        if name not in table:
            yield f"{name}: not in the table; --update adds it"
            continue
        for field in ("bytes", "local"):
            if float(row[field]) > float(table[name][field]) * MORE:
                yield f"{name}: {field} {row[field]}, the table has {table[name][field]}"
        for arch in architectures:
            if arch in row:
                yield from compare_cell(f"{name} on {arch}", table[name][arch], row[arch])


def exceeded_limits(rows):
    for (name, arch), most in INSTRUCTION_LIMITS.items():
        if name in rows and arch in rows[name] and float(rows[name][arch].split()[1]) > most:
            yield f"{name} on {arch}: more than {most} instructions per output sample"
    for name, row in rows.items():
        most = BYTE_LIMITS["dense" if ":dense" in name else "passes"]
        if re.match(r"best gaussian:[35]\b", name) and \
                float(row["bytes"]) > most * float(row["once"]):
            yield (f"{name}: {row['bytes']} bytes per sample, more than {most} times the "
                   f"{row['once']} of reading and writing once")


# ---- The document -------------------------------------------------------------------------------------

MARK = re.compile(r"(<!-- gpu_figures.py: (\w+) -->\n).*?(<!-- end -->)", re.S)
SHOWN = {  # programs and architectures of each table
    "production": (lambda name: name.startswith("best "),
                   ["sm_75", "sm_86", "sm_90", "sm_120", "gfx90a", "gfx1030"]),
    "strategies": (lambda name: not name.startswith("best "), ["sm_86", "gfx90a", "gfx1030"])}


def document_table(rows, shown):
    wanted, arches = SHOWN[shown]
    lines = ["| program | threads | outputs per thread | local bytes | global bytes per sample | "
             + " | ".join(arches) + " |", "|---|--:|--:|--:|--:|" + "--:|" * len(arches)]
    for name, row in rows.items():
        if wanted(name):
            cells = [row[f] for f in ("threads", "outputs", "local", "bytes")]
            cells += [show_cell(row[a]) for a in arches]
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def show_cell(cell):
    registers, count, occupancy, scratch = cell.split()
    return f"{count} ({registers}, {occupancy} %)" + (f" s{scratch}" if scratch != "0" else "")


def document_text(text, rows):
    return MARK.sub(lambda m: m[1] + document_table(rows, m[2]) + m[3], text)


# ---- The command --------------------------------------------------------------------------------------


def parse_command():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stage_list", help="the program of tests/figures")
    parser.add_argument("--table", default=ROOT / "docs/gpu-figures.csv",
                        help="the stored figures; default docs/gpu-figures.csv")
    parser.add_argument("--document", default=ROOT / "docs/gpu.md", type=pathlib.Path,
                        help="the page with tables of them; default docs/gpu.md")
    parser.add_argument("--update", action="store_true", help="update the table and the page")
    parser.add_argument("--only", action="append", default=[], metavar="PROGRAM",
                        help="check this program only; may be repeated")
    parser.add_argument("--arch", action="append", default=[], choices=ARCHITECTURES,
                        help="check this architecture only; may be repeated")
    return parser.parse_args()


def listed_programs(command):
    text = subprocess.run([command.stage_list], check=True, capture_output=True, text=True).stdout
    programs = [json.loads(line) for line in text.splitlines()]
    if command.only:
        programs = [p for p in programs if p["program"] in command.only]
    return programs


def main():
    command = parse_command()
    architectures = [a for a in ARCHITECTURES if not command.arch or a in command.arch]
    amd = gpu_compilers.Hipcc()
    if not amd.path:
        architectures = [a for a in architectures if a not in gpu_compilers.AMD]
        print("skipped: figures of AMD's kernels (hipcc is not installed)")
    made_by = "# " + ", ".join([gpu_compilers.Nvrtc().version()] + ([amd.version()] * bool(amd.path)))
    source = subprocess.run([command.stage_list, "--source"], check=True, capture_output=True,
                            text=True).stdout
    rows, failures = measure_all(listed_programs(command), architectures, source)
    failures += exceeded_limits(rows)
    if command.update and not failures:
        write_table(command.table, made_by, rows)
        command.document.write_text(document_text(command.document.read_text(), rows))
    elif not command.update:
        failures += check(command, made_by, rows, architectures)
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{len(rows)} programs on {len(architectures)} architectures, {len(failures)} failures")
    return 1 if failures else 0


def check(command, made_by, rows, architectures):
    table_by, table = read_table(command.table)
    if amd_known(made_by) == amd_known(table_by) and made_by != table_by:
        yield f"computed by {made_by[2:]}, the table by {table_by[2:]}: update it with these compilers"
    yield from compare(table, rows, architectures)
    if not command.only:
        yield from (f"{name}: in the table, but not a program" for name in table
                    if name not in rows)
    text = command.document.read_text()
    if document_text(text, table) != text:
        yield f"{command.document}: its tables differ from {command.table}; --update writes them"


def amd_known(made_by):
    return "clang" in made_by


if __name__ == "__main__":
    sys.exit(main())
