"""A closed queueing network of a fleet. Slots of workers circulate: each takes an image, uses its
stations one after another, and takes the next image.

`closed_rate` is exact mean value analysis of one station with a rate that depends on the number of
slots there: the machine of a measurement, whose CPUs all processes share. `fleet_rate` is the
approximation of Schweitzer and Seidmann for many equal workers with stations of their own and
shared ones: 10,000 workers cost no more than one. `simulate` runs the same network event by event
and checks the approximation.
"""
import dataclasses
import heapq
import random


@dataclasses.dataclass(frozen=True)
class Station:
    """`demand`: seconds of one server for each image. Shared stations exist once for the fleet,
    others once for each worker. `background`: servers that are busy for other reasons."""
    name: str
    demand: float
    servers: float = 1.0
    shared: bool = False
    background: float = 0.0

    def free(self):
        return max(self.servers - self.background, 1e-9)


def cpu_rate(slots, sequential, total, cores):
    """Images per second of `slots` slots at the CPUs. A slot waits `sequential` seconds of CPU for
    an image; `total` seconds are used, of which some overlap with its own."""
    return min(slots / sequential, cores / total)


def closed_rate(slots, sequential, total, cores, delay):
    """Images per second of a closed network: one station with `cores`, and `delay` seconds of an
    image elsewhere. Exact mean value analysis for a station with load-dependent rate."""
    probability = [1.0]  # of n slots at the station
    rate = 0.0
    for count in range(1, slots + 1):
        response = sum(n / cpu_rate(n, sequential, total, cores) * probability[n - 1]
                       for n in range(1, count + 1))
        rate = count / (delay + response)
        present = [rate / cpu_rate(n, sequential, total, cores) * probability[n - 1]
                   for n in range(1, count + 1)]
        probability = [max(0.0, 1.0 - sum(present))] + present
    return rate


def own_length(station, lengths, workers, slots):
    """The slots that one finds at a station on arrival (Schweitzer)."""
    length = lengths[station.name]
    if station.shared:
        return length * (workers * slots - 1) / (workers * slots)
    return length * (slots - 1) / slots


def fleet_rate(stations, workers, slots, delay, rounds=20000):
    """Returns (images per second, {station: utilisation}) of `workers` workers with `slots` slots.
    A station with c servers is one c times as fast and a delay (Seidmann)."""
    lengths = {station.name: 0.0 for station in stations}
    fixed = delay + sum(s.demand * max(0.0, 1 - 1 / s.free()) for s in stations)
    rate = 0.0
    for _ in range(rounds):
        times = {s.name: s.demand / s.free() * (1 + own_length(s, lengths, workers, slots))
                 for s in stations}
        each = slots / (fixed + sum(times.values()))
        before, rate = rate, workers * each
        for s in stations:
            wanted = (rate if s.shared else each) * times[s.name]
            lengths[s.name] += 0.5 * (wanted - lengths[s.name])
        if abs(rate - before) <= 1e-9 * rate:
            break
    used = {s.name: ((rate if s.shared else rate / workers) * s.demand + s.background) / s.servers
            for s in stations}
    return rate, used


def ceiling(stations, workers):
    """Images per second that no number of slots exceeds, and the station that sets this limit."""
    return min(((1 if s.shared else workers) * s.free() / s.demand, s.name)
               for s in stations if s.demand > 0)


class Places:
    """Servers of one station and the slots that wait for them, in order of arrival."""

    def __init__(self, servers):
        self.idle, self.waiting = servers, []


def simulate(stations, workers, slots, delay, images, seed=1):
    """Images per second of the network, run event by event with exponential times. The first fifth
    of the images is not counted. Servers are whole numbers here."""
    draw = random.Random(seed)
    places = {(s.name, 0 if s.shared else w): Places(max(1, round(s.free())))
              for s in stations for w in range(workers)}
    last = len(stations)
    events = [(draw.expovariate(1 / delay) if delay else 0.0, slot, last)
              for slot in range(workers * slots)]
    heapq.heapify(events)
    done, started, now = 0, 0.0, 0.0

    def enter(slot, step):
        station = stations[step]
        place = places[station.name, 0 if station.shared else slot // slots]
        if place.idle:
            place.idle -= 1
            heapq.heappush(events, (now + draw.expovariate(1 / station.demand), slot, step))
        else:
            place.waiting.append(slot)

    while done < images:
        now, slot, step = heapq.heappop(events)
        if step == last:  # the delay is over
            enter(slot, 0)
            continue
        station = stations[step]
        place = places[station.name, 0 if station.shared else slot // slots]
        place.idle += 1
        if place.waiting:
            enter(place.waiting.pop(0), step)
        if step + 1 < last:
            enter(slot, step + 1)
            continue
        done += 1
        started = now if done == images // 5 else started
        heapq.heappush(events, (now + (draw.expovariate(1 / delay) if delay else 0.0), slot, last))
    return (images - images // 5) / (now - started)
