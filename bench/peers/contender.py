"""The interface of contenders. A contender has ways(problem), and optionally version() and
use_threads(threads)."""
from dataclasses import dataclass
from typing import Callable

import numpy


class Skip(Exception):
    """Raised for an implementation that is not run; the text says why."""


@dataclass
class Problem:
    """A task with a thread count. `image` is filtered into `out`; both are reused."""
    task: object
    image: object
    out: object
    threads: int


@dataclass
class Way:
    """One implementation of a task by a contender. prepare() creates plans, compiled code and
    buffers, and returns the function to be timed: it has no arguments and fills problem.out."""
    contender: str
    label: str
    prepare: Callable

    @property
    def name(self):
        return f"{self.contender} {self.label}".strip()


def in_turn(problem, make):
    """Returns a function that runs the stages of a chain one after the other, alternating between
    two images. make(stage, source, target) returns the function of one stage."""
    stages = problem.task.stages
    other = numpy.empty_like(problem.out) if len(stages) > 1 else None
    calls, source = [], problem.image
    for i, stage in enumerate(stages):
        target = problem.out if (len(stages) - i) % 2 else other
        calls.append(make(stage, source, target))
        source = target
    if len(calls) == 1:
        return calls[0]

    def run():
        for call in calls:
            call()
    return run
