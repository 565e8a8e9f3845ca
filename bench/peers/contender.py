"""What a contender is made of."""
from dataclasses import dataclass
from typing import Callable

import numpy


class Skip(Exception):
    """Not run, and why."""


@dataclass
class Problem:
    """A work to be done on a number of threads, from `image` into `out`; both are reused."""
    work: object
    image: object
    out: object
    threads: int


@dataclass
class Way:
    """One way in which a contender does the work. prepare() answers with what is timed: a function
    without arguments that fills problem.out; plans, compiled code and buffers are made before."""
    contender: str
    label: str
    prepare: Callable

    @property
    def name(self):
        return f"{self.contender} {self.label}".strip()


def in_turn(problem, make):
    """A chain as separate calls through two images: make(stage, source, target) is a function."""
    stages = problem.work.stages
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
