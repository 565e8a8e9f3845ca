"""Swathe through its public header. Only the run is timed: plan and scratch are created before."""
import ctypes
import glob
import os
import sys
from ctypes import byref

import environment
from contender import Skip, Way
from tasks import BORDER
from swathe_ctypes import TYPES, Library, PlanOptions, Refused, RunOptions, Shape, image_view

ALIGNMENT, LIBRARY = 64, "libswathe.so"


class Swathe:
    def __init__(self, folder):
        self.library = Library(folder)

    def version(self):
        return f"Swathe {self.library.lib.swathe_version().decode()}"

    def isa(self):
        """Returns None, or the highest instruction set that may be used."""
        if environment.HELD == "avx2":
            return b"avx2"
        if environment.HELD is None:
            return None
        names = [row["name"] for row in self.library.table("isas") if row["available"]]
        return [name for name in names if "amx" not in name][-1].encode()

    def ways(self, problem):
        return [Way("Swathe", "", lambda: self.prepare(problem))]

    def prepare(self, problem):
        task = problem.task
        shape = Shape(width=task.width, height=task.height, channels=task.channels,
                      type=TYPES[task.type])
        options = PlanOptions(border=(BORDER, 0), isa=self.isa())
        try:
            plan = self.library.plan(task.chain, shape, options)
        except Refused as refused:
            raise Skip(str(refused)) from refused
        size = problem.threads * plan.info.scratch_bytes
        scratch = ctypes.create_string_buffer(size + ALIGNMENT)
        aligned = -(-ctypes.addressof(scratch) // ALIGNMENT) * ALIGNMENT
        run_options = RunOptions(threads=problem.threads, scratch=aligned, scratch_bytes=size)
        return self.bind(plan, problem, run_options, scratch)

    def bind(self, plan, problem, run_options, scratch):
        source = image_view(problem.image, problem.task.type)
        target = image_view(problem.out, problem.task.type)
        call = self.library.lib.swathe_run
        arguments = (self.library.context, plan.handle, byref(source), byref(target),
                     byref(run_options))

        def run(keep=(scratch, source, target)):
            if call(*arguments) != 0:
                raise RuntimeError(self.library.lib.swathe_error_text().decode())
        run.close = plan.close
        run.note = " ".join(f"{stage.algorithm.decode()}/{stage.isa.decode()}"
                            for stage in plan.stages)
        most = self.isa()
        if most and not all(self.within(stage.isa, most) for stage in plan.stages):
            raise RuntimeError(f"the plan exceeds {most.decode()} despite isa=: {run.note}")
        return run

    def within(self, isa, most):
        names = [row["name"].encode() for row in self.library.table("isas")]
        return isa in names[:names.index(most) + 1]

    def level(self):
        """Returns "amx", "avx512", "avx2", … : the highest instruction set of this CPU."""
        names = [row["name"] for row in self.library.table("isas") if row["available"]]
        return "avx512" if names[-1] == "vnni" else names[-1]


def holds_library(folder):
    return bool(glob.glob(os.path.join(folder, "**", LIBRARY), recursive=True))


def in_prefix(prefix):
    """Returns the directory of the library installed at a prefix, or None."""
    for name in ("lib", "lib64", os.path.join("lib", "*-linux-*")):
        for found in sorted(glob.glob(os.path.join(glob.escape(prefix), name, LIBRARY))):
            return os.path.dirname(os.path.abspath(found))
    return None


def folder(build):
    """Returns the directory to search for the library: in $SWATHE_PREFIX, the one of --build, or
    build/ in the current directory or the source tree."""
    prefix = os.environ.get("SWATHE_PREFIX")
    if prefix:
        found = in_prefix(prefix)
        where = f"SWATHE_PREFIX={prefix} (looked in lib, lib64 and lib/*-linux-*)"
    else:
        tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
        candidates = [build] if build else ["build", tree]
        found = next(filter(holds_library, candidates), None)
        where = " or ".join(map(os.path.abspath, candidates))
    if found:
        return os.path.abspath(found)
    print(f"peers: no {LIBRARY} in {where}; set SWATHE_PREFIX to the installation prefix, or "
          "pass the build directory with --build DIR", file=sys.stderr)
    sys.exit(2)
