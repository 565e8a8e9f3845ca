"""Swathe itself, through its public header: plan and scratch are made before, the run is timed."""
import ctypes
import os
import sys
from ctypes import byref

from contender import Skip, Way
from works import BORDER
from swathe_ctypes import TYPES, Library, PlanOptions, Refused, RunOptions, Shape, image_view

ALIGNMENT = 64


class Swathe:
    def __init__(self, folder):
        self.library = Library(folder)

    def version(self):
        return f"Swathe {self.library.lib.swathe_version().decode()}"

    def isa(self, problem):
        """None, or the highest instruction set without matrix units."""
        if not problem.work.without_amx:
            return None
        names = [row["name"] for row in self.library.table("isas") if row["available"]]
        return [name for name in names if "amx" not in name][-1].encode()

    def ways(self, problem):
        return [Way("Swathe", "", lambda: self.prepare(problem))]

    def prepare(self, problem):
        work = problem.work
        shape = Shape(width=work.width, height=work.height, channels=3, type=TYPES[work.type])
        options = PlanOptions(border=BORDER.encode(), isa=self.isa(problem))
        try:
            plan = self.library.plan(work.chain, shape, options)
        except Refused as refused:
            raise Skip(str(refused)) from refused
        size = problem.threads * plan.info.scratch_bytes
        scratch = ctypes.create_string_buffer(size + ALIGNMENT)
        aligned = -(-ctypes.addressof(scratch) // ALIGNMENT) * ALIGNMENT
        run_options = RunOptions(threads=problem.threads, scratch=aligned, scratch_bytes=size)
        return self.bind(plan, problem, run_options, scratch)

    def bind(self, plan, problem, run_options, scratch):
        source = image_view(problem.image, problem.work.type)
        target = image_view(problem.out, problem.work.type)
        call = self.library.lib.swathe_run
        arguments = (self.library.context, plan.handle, byref(source), byref(target),
                     byref(run_options))

        def run(keep=(scratch, source, target)):
            if call(*arguments) != 0:
                raise RuntimeError(self.library.lib.swathe_error_text().decode())
        run.close = plan.close
        run.note = " ".join(f"{stage.algorithm.decode()}/{stage.isa.decode()}"
                            for stage in plan.stages)
        return run


def folder(build):
    """Where libswathe.so is looked for: $SWATHE_PREFIX, --build, or build/ here or in the tree."""
    if os.environ.get("SWATHE_PREFIX"):
        return os.environ["SWATHE_PREFIX"]
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
    for candidate in [build] if build else ["build", tree]:
        if os.path.isdir(candidate):
            return os.path.abspath(candidate)
    print("peers: no build of Swathe; set SWATHE_PREFIX or use --build DIR", file=sys.stderr)
    sys.exit(2)
