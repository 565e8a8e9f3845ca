#!/usr/bin/env python3
"""Writes a PNM image of reproducible noise over a gradient: make_pnm.py WIDTH HEIGHT CHANNELS
[SEED [BITS]]"""
import sys


def samples(width, height, channels, seed, largest):
    state = seed * 2654435761 % 2**32
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                state = (state * 1664525 + 1013904223) % 2**32
                base = (x * (c + 1) + y * 3) * largest // (4 * (width + height) * channels)
                yield (base + (state >> 16) * largest // 65536 // 2) % (largest + 1)


def main(width, height, channels, seed=1, bits=8):
    largest = 2**bits - 1
    size = 2 if bits > 8 else 1
    magic = {1: "P5", 3: "P6"}[channels]
    out = sys.stdout.buffer
    out.write(f"{magic}\n{width} {height}\n{largest}\n".encode())
    values = samples(width, height, channels, seed, largest)
    out.write(b"".join(value.to_bytes(size, "big") for value in values))


main(*map(int, sys.argv[1:]))
