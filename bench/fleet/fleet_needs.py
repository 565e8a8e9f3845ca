"""What large sets need in workers, queue nodes, network, requests and money.

Costs of an image come from the measurement with 2 workers and 4 slots; everything else is an
assumption, which the tables name.
"""
import dataclasses
import math
import os

import capacity
import network_model
from network_model import Station

DEADLINES = (("1 hour", 1), ("6 hours", 6), ("1 day", 24), ("1 week", 168))
SIZES = (1, 10, 100, 1000, 10000)


def fact(default, text):
    return dataclasses.field(default=default, metadata={"text": text})


@dataclasses.dataclass(frozen=True)
class Assumptions:
    """Prices are list prices of Amazon S3 and EC2 in us-east-1 without discounts; check them."""
    cores: float = fact(16, "CPUs of a worker, as fast as those of the measurement")
    slots: float = fact(0, "slots of a worker; 0: as many as keep its CPUs busy, at most 1024")
    network: float = fact(5e9 / 8, "bytes per second of a worker")
    get_latency: float = fact(0.10, "seconds from a GET to its response (S3: 0.1 to 0.2)")
    put_latency: float = fact(0.15, "seconds from a PUT to its response")
    gets: float = fact(5500, "GETs per second of one S3 prefix")
    puts: float = fact(3500, "PUTs per second of one S3 prefix")
    prefixes: float = fact(16, "prefixes over which the keys are spread")
    images_per_job: float = fact(500, "images of a job")
    sets: float = fact(0, "sets, each with a leader of its own; 0: as many as are needed")
    replicas: float = fact(3, "copies of a stream")
    leader: float = fact(2, "CPU of the leader of such a stream, relative to a stream with one copy")
    node_cores: float = fact(2, "CPUs of a queue node")
    status_bytes: float = fact(100e6, "bytes per second at which status reads results")
    price_get: float = fact(0.4e-6, "dollars for a GET")
    price_put: float = fact(5e-6, "dollars for a PUT, a part, a copy or a list request")
    price_worker: float = fact(0.714, "dollars for an hour of a worker (16 vCPU, on demand)")
    price_queue: float = fact(0.1008, "dollars for an hour of a queue node (2 vCPU, on demand)")
    price_storage: float = fact(0.023, "dollars for a GB and month in the store")
    mosaic_job: float = fact(8192, "edge of the square that one job of a mosaic filters, pixels")
    mosaic_tile: float = fact(512, "edge of a tile, pixels")
    mosaic_halo: float = fact(16, "halo of the chain, pixels")
    parts: float = fact(10000, "parts of one upload at most (S3)")
    usable: float = fact(0.7, "utilisation of a station up to which it counts as free")


def assume(changes):
    """Returns the assumptions with changes such as ["cores=8"]."""
    known = {field.name for field in dataclasses.fields(Assumptions)}
    values = {}
    for change in changes:
        name, _, value = change.partition("=")
        if name not in known:
            raise ValueError(f"--set: unknown assumption {name}; known: {', '.join(sorted(known))}")
        values[name] = float(value)
    return Assumptions(**values)


def assumptions_table(assumed):
    lines = ["| assumption | value | |", "|---|--:|---|"]
    for field in dataclasses.fields(assumed):
        value = getattr(assumed, field.name)
        lines.append(f"| `{field.name}` | {value:.6g} | {field.metadata['text']} |")
    return "\n".join(lines)


def number(value, unit=""):
    """A number with three digits, an SI prefix and a unit."""
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * limit:
            return f"{value / limit:.3g} {letter}{unit}"
    return f"{value:.3g} {unit}".rstrip()


def amount(value):
    """A number with three digits, in words where it is large."""
    for limit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= 0.9995 * limit:
            return f"{value / limit:.3g} {word}"
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def count(value):
    return f"{math.ceil(value - 1e-9):,}"


# ---- A fleet ----------------------------------------------------------------------------------------


def queue_cost(cost, assumed):
    """CPU seconds of a queue with one copy: for an image, and for each second of a worker. The part
    for an image is that of its bytes and its share of a job's messages, which two measurements with
    different jobs tell apart."""
    large, asking = cost["large_jobs"], cost["idle"]["cpu_queue"]

    def own(one):
        return max(0.0, one["cpu"]["queue"] - one["workers"] * asking / one["rate"])

    small_share, large_share = 1 / cost["images_per_job"], 1 / large["images_per_job"]
    job = max(0.0, (own(cost) - own(large)) / (small_share - large_share))
    image = max(0.0, own(cost) - job * small_share)
    return image + job / assumed.images_per_job, asking


def messages_per_job(cost):
    asking = cost["workers"] * cost["idle"]["messages"] / cost["rate"]
    return max(0.0, cost["messages"] - asking) * cost["images_per_job"]


def slots_of(cost, assumed):
    """Slots that keep the CPUs of a worker busy while other slots wait for the store."""
    if assumed.slots:
        return int(assumed.slots)
    latency = assumed.get_latency + assumed.put_latency
    return min(1024, math.ceil(1.25 * assumed.cores * (1 + latency / cost["cpu"]["worker"])))


def leaders(cost, assumed, workers):
    """The sets over which the images are spread: their leaders are then not overloaded."""
    if assumed.sets:
        return assumed.sets
    image, asking = (assumed.leader * part for part in queue_cost(cost, assumed))
    most = network_model.ceiling(stations(cost, assumed, workers, 1e9), workers)[0]
    return max(1, math.ceil((most * image + workers * asking) / assumed.usable))


def stations(cost, assumed, workers, sets):
    """The stations of a fleet. A leader works on one CPU. Idle and busy workers ask it for the state
    of the set."""
    image, asking = (assumed.leader * part for part in queue_cost(cost, assumed))
    return [
        Station("CPU of workers", cost["cpu"]["worker"], assumed.cores),
        Station("network of workers", (cost["read"] + cost["written"]) / assumed.network),
        Station("GETs of the store", 1 / assumed.gets, assumed.prefixes, True),
        Station("PUTs of the store", 1 / assumed.puts, assumed.prefixes, True),
        Station("queue leaders", image, sets, True, min(workers * asking, sets)),
    ]


def fleet(cost, assumed, workers):
    """Returns (images per second, {station: utilisation})."""
    latency = assumed.get_latency + assumed.put_latency
    sets = leaders(cost, assumed, workers)
    return network_model.fleet_rate(stations(cost, assumed, workers, sets), workers,
                                    slots_of(cost, assumed), latency)


def queue_nodes(cost, assumed, workers, rate):
    """Nodes with room for the leaders and the copies of the streams."""
    image, asking = queue_cost(cost, assumed)
    total = (assumed.leader + assumed.replicas - 1) * (rate * image + workers * asking)
    return max(assumed.replicas, math.ceil(total / assumed.node_cores / assumed.usable))


def workers_for(cost, assumed, rate):
    """The fewest workers that reach a rate, or None if 100,000 do not."""
    low, high = 0, 1
    while fleet(cost, assumed, high)[0] < rate:
        low, high = high, 2 * high
        if high > 100000:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fleet(cost, assumed, middle)[0] >= rate else (middle, high)
    return high


def scaling_table(cost, assumed):
    """Images per second and the utilisation of each station for many sizes of the fleet."""
    names = [station.name for station in stations(cost, assumed, 1, 1)]
    lines = ["| workers | images/s | " + " | ".join(names) + " | limit | sets | queue nodes |",
             "|--:|--:|" + "--:|" * len(names) + "---|--:|--:|"]
    for workers in SIZES:
        rate, used = fleet(cost, assumed, workers)
        first = max(used, key=used.get)
        limit = first if used[first] > assumed.usable else "latency of the store"
        lines.append(f"| {workers:,} | {number(rate)} | " +
                     " | ".join(f"{100 * used[name]:.0f} %" for name in names) + f" | {limit} | "
                     f"{count(leaders(cost, assumed, workers))} | "
                     f"{count(queue_nodes(cost, assumed, workers, rate))} |")
    return "\n".join(lines)


# ---- A billion images -------------------------------------------------------------------------------


def images_money(cost, assumed, images):
    """Dollars for requests and for CPUs."""
    gets = images * (cost["requests"] - 1)
    puts = images * (1 + 1 / 1000)  # and one list request for 1000 keys
    hours = images * cost["cpu"]["worker"] / assumed.cores / 3600
    return gets * assumed.price_get, puts * assumed.price_put, hours * assumed.price_worker


def images_table(cost, assumed, images):
    lines = ["| time | images/s | workers | prefixes at least | network of all | sets | queue nodes | "
             "dollars: GET, PUT, workers, queue |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    get, put, work = images_money(cost, assumed, images)
    for name, hours in DEADLINES:
        rate = images / hours / 3600
        prefixes = math.ceil(rate / assumed.puts / assumed.usable)
        spread = dataclasses.replace(assumed, prefixes=max(assumed.prefixes, prefixes))
        workers = workers_for(cost, spread, rate)
        if workers is None:
            lines.append(f"| {name} | {number(rate)} | more than 100,000 | | | | | |")
            continue
        moved = rate * (cost["read"] + cost["written"])
        nodes = queue_nodes(cost, spread, workers, rate)
        queue = nodes * hours * assumed.price_queue
        lines.append(f"| {name} | {number(rate)} | {workers:,} | {prefixes:,} | {number(moved, 'B/s')} | "
                     f"{count(leaders(cost, spread, workers))} | {count(nodes)} | {get:,.0f}, {put:,.0f}, "
                     f"{work:,.0f}, {queue:,.0f} |")
    return "\n".join(lines)


def images_fixed(cost, assumed, images):
    """What a set needs whatever its time: a list of sentences."""
    jobs = images / assumed.images_per_job
    stored = images * cost["stored"]
    month = images * cost["written"] / 1e9 * assumed.price_storage
    return [
        f"{amount(jobs)} jobs with {count(assumed.images_per_job)} images, "
        f"{amount(jobs * messages_per_job(cost))} messages",
        f"{amount(images * cost['requests'])} requests of workers, "
        f"{amount(images / 1000)} list requests of submit",
        f"{number(images * cost['read'], 'B')} read and {number(images * cost['written'], 'B')} "
        f"written; storing the results costs {month:,.0f} dollars a month",
        f"{number(stored, 'B')} of results in the queue, on each of {count(assumed.replicas)} nodes; "
        f"status reads them in {stored / assumed.status_bytes / 60:,.0f} minutes",
        f"{amount(images * cost['cpu']['worker'] / 3600)} CPU hours of workers"]


# ---- A mosaic ---------------------------------------------------------------------------------------


def mosaic(cost, assumed, pixels):
    """The needs of one mosaic, by name."""
    jobs = math.ceil(pixels / assumed.mosaic_job ** 2)
    tiles = assumed.mosaic_job / assumed.mosaic_tile
    ring = 2 * math.ceil(assumed.mosaic_halo / assumed.mosaic_tile)
    read = ((tiles + ring) / tiles) ** 2  # whole tiles are read
    again = ((assumed.mosaic_job + 2 * assumed.mosaic_halo) / assumed.mosaic_job) ** 2
    written = pixels * cost["written"]
    part = max(5 * 2 ** 20, written / assumed.parts)
    parts = math.ceil(written / part)
    return {"jobs": jobs, "gets": jobs * (tiles + ring) + parts * 2,  # a range for each row of tiles
            "puts": 2 * jobs + parts, "cpu": pixels * cost["cpu"] * again,
            "read": pixels * cost["read"] * read + written, "written": 2 * written, "part": part,
            "parts": parts, "size": written}


def mosaic_table(cost, assumed, pixels):
    need = mosaic(cost, assumed, pixels)
    dollars = need["gets"] * assumed.price_get + need["puts"] * assumed.price_put
    lines = ["| time | workers | network of all | GET/s | PUT/s | dollars: requests, workers |",
             "|---|--:|--:|--:|--:|--:|"]
    for name, hours in DEADLINES:
        seconds = hours * 3600
        by_cpu = need["cpu"] / seconds / assumed.cores / assumed.usable
        moved = (need["read"] + need["written"]) / seconds
        workers = max(by_cpu, moved / assumed.network / assumed.usable)
        limit = " (network)" if workers > by_cpu else ""
        lines.append(f"| {name} | {count(workers)}{limit} | {number(moved, 'B/s')} | "
                     f"{number(need['gets'] / seconds)} | {number(need['puts'] / seconds)} | "
                     f"{dollars:,.2f}, {math.ceil(workers) * hours * assumed.price_worker:,.0f} |")
    edge = count(assumed.mosaic_job)
    facts = [f"{amount(need['jobs'])} jobs of {edge} x {edge} pixels, {amount(need['parts'])} parts of "
             f"{number(need['part'], 'B')}",
             f"a file of {number(need['size'], 'B')}; {number(need['read'], 'B')} read and "
             f"{number(need['written'], 'B')} written, because tiles are staged and then assembled",
             f"{amount(need['cpu'] / 3600)} CPU hours"]
    return "\n".join(lines), facts


# ---- Page -------------------------------------------------------------------------------------------


def changes(cost, assumed):
    """What saturates first, from few workers to many, and what helps then."""
    asking = assumed.leader * queue_cost(cost, assumed)[1]
    default = dataclasses.replace(assumed, slots=2 * assumed.cores)
    slow, fast = fleet(cost, default, 1)[0], fleet(cost, assumed, 1)[0]
    least = math.ceil(assumed.usable * assumed.puts / fast)
    get, put, work = images_money(cost, assumed, 1e6)
    return [
        f"**Slots**: with the default of two for each CPU, a worker waits for the store: "
        f"{number(slow)} images/s instead of {number(fast)} with `--slots {slots_of(cost, assumed)}`. "
        "A store with lower latency needs fewer.",
        f"**PUTs of one prefix**: {amount(least)} workers reach {100 * assumed.usable:.0f} % of "
        f"{number(assumed.puts)} PUT/s. Spread the keys over more prefixes. S3 divides a prefix by "
        "itself after some time and answers 503 until then; workers retry that.",
        f"**The leader of a set**: a worker asks it for the state of the set, with or without jobs: "
        f"{cost['idle']['messages']:.1f} messages/s. "
        f"{amount(assumed.usable / asking) if asking else 'All'} workers use "
        f"{100 * assumed.usable:.0f} % of one CPU for that alone. Then use several sets, each with a "
        "leader of its own, and larger workers instead of more.",
        f"**Money**: a million images cost {put:,.2f} dollars for PUTs, {get:,.2f} for GETs and "
        f"{work:,.2f} for workers. A store of your own has no price for requests."]


def write_answers(folder, assumed):
    """Writes capacity.md and capacity.svg."""
    import capacity_plot
    cost = capacity.read_json(capacity.measured_path(folder, 4, 2))
    # A worker without jobs uses little: the most workers give the most exact figure.
    cost["idle"] = max(capacity.measurements(folder, (2, 4, 8)), key=lambda one: one["workers"])["idle"]
    cost["large_jobs"] = capacity.read_json(os.path.join(folder, "large-jobs.json"))
    tiff = capacity.read_json(os.path.join(folder, "mosaic.json"))
    table, facts = mosaic_table(tiff, assumed, 1e12)
    own = 1e9 / 86400 * cost["cpu"]["store"]
    lines = [
        "# Capacity", "", f"Made by `bench/fleet/capacity.py answer`. Costs of an image ({cost['pixels']:,} "
        f"pixels, JPEG, `{cost['chain']}`) are measured, everything else is assumed.", "",
        "## Fleets of up to 10,000 workers", "", scaling_table(cost, assumed), "",
        "![images per second over workers](capacity.svg)", "", "## 10^9 images", "",
        images_table(cost, assumed, 1e9), "", *("- " + text for text in images_fixed(cost, assumed, 1e9)),
        f"- with SeaweedFS instead of S3: {amount(own)} CPUs of the store for 10^9 images in a day", "",
        "## A mosaic of 10^12 pixels", "", table, "", *("- " + text for text in facts), "",
        "## What saturates first", "", *("1. " + text for text in changes(cost, assumed)), "",
        "## Measured costs of an image", "", costs_table(cost), "", "## Assumptions", "",
        assumptions_table(assumed), ""]
    with open(os.path.join(folder, "capacity.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    capacity_plot.draw(cost, assumed, folder)


def costs_table(cost):
    rows = [("CPU of the worker", f"{1000 * cost['cpu']['worker']:.2f} ms"),
            ("CPU of the store (SeaweedFS)", f"{1000 * cost['cpu']['store']:.2f} ms"),
            ("CPU of the queue", f"{1000 * cost['cpu']['queue']:.3f} ms"),
            (f"messages, with {cost['images_per_job']} images per job", f"{cost['messages']:.3f}"),
            ("requests to the store", f"{cost['requests']:.2f}"),
            ("bytes read", number(cost["read"], "B")), ("bytes written", number(cost["written"], "B")),
            ("bytes of results in the queue", f"{cost['stored']:.0f}"),
            ("messages per second of a worker without jobs", f"{cost['idle']['messages']:.2f}"),
            ("CPU of the queue for a second of such a worker", f"{1e6 * cost['idle']['cpu_queue']:.0f} µs")]
    return "\n".join(["| cost | |", "|---|--:|", *(f"| {name} | {value} |" for name, value in rows)])
