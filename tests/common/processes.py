"""Ports and signals of the programs that tests start."""
import random
import socket


def free_ports(count):
    """Ports that are free now, all different, and below those that connections get by chance."""
    ports = []
    while len(ports) < count:
        port = random.randrange(12000, 32000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


def catches(pid, number):
    """Has the process a handler for the signal? OSError without /proc."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1
