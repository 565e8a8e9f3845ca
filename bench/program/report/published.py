"""What the five reports published, for images with 3 channels."""
CHANNELS = 3
SIZES_002 = ((99, 99), (512, 512), (1080, 720), (1920, 1281), (4272, 2848), (5472, 3648), (6000, 4000))
SIZES_004 = ((1600, 1067), (1616, 1080), (1920, 1080), (2238, 2446), (6000, 2908))
# Experiment: its problems, as (filter, mask size or None for a chain, width, height).
PROBLEMS = {
    "report-001/masks": [(f"box:{k}", k, 1000, 1000) for k in (3, 9, 17, 33, 63, 121)],
    "report-001/sizes": [("box:11", 11, *size) for size in (
        (100, 100), (100, 1000), (1000, 1000), (1000, 10000), (10000, 10000), (10000, 100000))],
    "report-002/sharpen": [("sharpen", 3, *size) for size in SIZES_002],
    "report-002/gaussian": [("gaussian:5", 5, *size) for size in SIZES_002],
    "report-003/tiles": [("dense:5", 5, 1333, 2000)],
    "report-003/masks": [(f"dense:{k}", k, 1333, 2000) for k in range(3, 16, 2)],
    "report-004/filters": [(*mask, *size) for size in SIZES_004 for mask in (
        ("sharpen", 3), ("edge", 3), ("gaussian:5", 5), ("gaussian:9", 9))],
    "report-004/chain": [("sharpen,gaussian:5,edge,gaussian:9", None, *size) for size in SIZES_004],
}
# The sequential loop of each report, to which it relates its other variants.
LOOPS = {"report-000": "CPU Algorithm", "report-001": "Seq", "report-002": "Sequential",
         "report-003": "Sequential", "report-004": "CPU"}
# Experiment: hardware, and (what, unit, best rate, peak of the hardware) that the text of the report states.
RATES = {"report-000/matrices": ("NVIDIA A30", (("bandwidth", "GB/s", 400, 933),
                                                ("arithmetic", "TFLOP/s", 1.4, 10.3)))}
# Experiment, hardware: (the report's name of the variant, table of the report, block or None, scope, ms of each
# problem); times of the scope "cpu" are those of a CPU.
SERIES = {
    ("report-001/masks", "NVIDIA RTX A2000"): [
        ("1channel_noConst", "Fixed Image", None, "call", (1.89, 2.48, 4.87, 11.76, 39.07, 142.25)),
        ("3channel_grid", "Fixed Image", None, "call", (8.73, 11.22, 8.27, 23.23, 90.89, 467.18)),
        ("3channel", "Fixed Image", None, "call", (2.83, 4.27, 4.86, 10.19, 30.55, 164.62)),
        ("3channel_3", "Fixed Image", None, "call", (2.48, 2.66, 3.65, 9.42, 30.0, 104.56)),
        ("1channel", "Fixed Image", None, "call", (2.13, 2.38, 3.67, 9.36, 29.71, 163.21)),
    ],
    ("report-001/masks", "Intel Xeon Silver 4314 (1 thread)"): [
        ("Seq", "Fixed Image", None, "cpu", (28.88, 232.3, 1004.94, 3940.2, 15379.8, 60764.0)),
    ],
    ("report-001/sizes", "NVIDIA RTX A2000"): [
        ("1channel_noConst", "Fixed Kernel", None, "call", (0.21, 0.47, 2.91, 26.88, 521.08, 5828.72)),
        ("3channel_grid", "Fixed Kernel", None, "call", (0.25, 0.8, 11.1, 106.37, 1225.91, 7413.29)),
        ("3channel", "Fixed Kernel", None, "call", (0.21, 0.6, 4.34, 90.43, 1027.72, 5904.32)),
        ("3channel_3", "Fixed Kernel", None, "call", (0.25, 0.46, 2.88, 23.71, 481.76, 5323.0)),
        ("1channel", "Fixed Kernel", None, "call", (0.2, 0.45, 2.6, 23.56, 489.77, 5354.6)),
    ],
    ("report-001/sizes", "Intel Xeon Silver 4314 (1 thread)"): [
        ("Seq", "Fixed Kernel", None, "cpu", (4.0, 44.45, 462.52, 4317.2, 42243.0, 438437.0)),
    ],
    ("report-002/sharpen", "Intel Core i7-3537U"): [
        ("Sequential", "Table 1", None, "cpu", (2.88, 77.28, 228.41, 721.83, 3510.85, 5835.63,
            7023.89)),
        ("OpenMP", "Table 1", None, "cpu", (1.67, 42.37, 123.61, 392.26, 1910.18, 3122.83, 3797.08)),
    ],
    ("report-002/sharpen", "NVIDIA GeForce GT 720M"): [
        ("Global", "Table 2", None, "kernel", (0.93, 17.79, 52.74, 166.62, 543.62, 891.47, 1071.7)),
        ("Shared", "Table 2", None, "kernel", (0.58, 11.07, 32.91, 104.23, 339.94, 557.22, 683.14)),
        ("Global+Constant", "Table 2", None, "kernel", (0.96, 18.64, 55.56, 175.43, 572.49, 938.96,
            1128.66)),
        ("Shared+Constant", "Table 2", None, "kernel", (0.613, 11.78, 35.02, 110.92, 361.79, 593.16,
            713.03)),
    ],
    ("report-002/gaussian", "Intel Core i7-3537U"): [
        ("Sequential", "Table 3", None, "cpu", (6.81, 183.03, 541.57, 1715.61, 8497.47, 14060.13,
            16739.62)),
        ("OpenMP", "Table 3", None, "cpu", (3.97, 102.48, 301.25, 958.26, 4706.13, 7803.22, 9298.01)),
    ],
    ("report-002/gaussian", "NVIDIA GeForce GT 720M"): [
        ("Global", "Table 4", None, "kernel", (1.95, 46.04, 137.25, 289.06, 1414.91, 2320.63, 2790.74)),
        ("Shared", "Table 4", None, "kernel", (1.15, 22.71, 67.71, 214.79, 701.16, 1148.43, 1381.23)),
        ("Global+Constant", "Table 4", None, "kernel", (2.47, 48.58, 144.82, 305.11, 1493.22, 2449.31,
            2944.56)),
        ("Shared+Constant", "Table 4", None, "kernel", (1.25, 24.69, 73.66, 233.74, 762.04, 1249.63,
            1502.26)),
    ],
    ("report-003/tiles", "AMD Ryzen 7 3800X (1 thread)"): [
        ("Sequential", "Table 1", None, "cpu", (259.133,)),
        ("Sequential", "Table 2", None, "cpu", (243.900,)),
    ],
    ("report-003/tiles", "NVIDIA GeForce RTX 3070"): [
        ("Parallel", "Table 1", 16, "total", (10.379,)),
        ("Parallel", "Table 1", 16, "kernel", (0.688,)),
        ("Parallel", "Table 2", 8, "total", (9.817,)),
        ("Parallel", "Table 2", 12, "total", (9.621,)),
        ("Parallel", "Table 2", 16, "total", (9.594,)),
        ("Parallel", "Table 2", 20, "total", (9.715,)),
        ("Parallel", "Table 2", 24, "total", (9.66,)),
        ("Parallel", "Table 2", 28, "total", (10.021,)),
        ("Parallel", "Table 2", 32, "total", (9.802,)),
    ],
    ("report-003/masks", "AMD Ryzen 7 3800X (1 thread)"): [
        ("Sequential", "Table 3", None, "cpu", (111.6, 244.6, 446.0, 633.633, 923.6, 1216.933,
            1595.233)),
    ],
    ("report-003/masks", "NVIDIA GeForce RTX 3070"): [
        ("Parallel", "Table 3", 16, "total", (9.812, 14.886, 20.043, 17.247, 19.738, 19.427, 17.522)),
    ],
    ("report-004/filters", "host CPU of the same system (1 thread)"): [
        ("CPU", "Table 1", None, "cpu", (254.14, 286.88, 691.05, 2410.49, 279.0, 292.71, 702.51,
            2459.42, 318.9, 324.78, 842.0, 2923.94, 787.5, 903.1, 2214.45, 7738.04, 2538.67, 2896.76, 6995.43,
            24690.0)),
    ],
    ("report-004/filters", "AMD Radeon 890M"): [
        ("Interleaved Tiled with Constant Cache", "Table 1", None, "total", (4.54, 2.89, 3.21, 4.79, 3.61,
            2.39, 2.95, 4.74, 2.93, 2.77, 3.25, 5.07, 7.44, 6.61, 8.41, 13.11, 24.3, 25.39, 27.79, 40.7)),
        ("Interleaved Tiled with Constant Cache", "Table 1", None, "kernel", (0.57, 0.48, 0.99, 2.61, 0.72,
            0.71, 0.9, 2.67, 0.85, 0.78, 1.25, 3.03, 2.13, 1.51, 3.2, 7.93, 4.8, 6.89, 10.8, 27.6)),
    ],
    ("report-004/chain", "host CPU of the same system (1 thread)"): [
        ("CPU", "Table 2", None, "cpu", (3679.73, 3713.66, 4463.03, 11745.1, 37373.30)),
    ],
    ("report-004/chain", "AMD Radeon 890M"): [
        ("Interleaved Tiled with Constant Cache", "Table 2", None, "kernel", (13.41, 13.03, 15.07, 41.99, 107.06)),
    ],
}


def doubtful(experiment, k, width, height):
    """True for times of report 001 that contradict limits of its code: the array of taps or the 32-bit
    indices are too small."""
    return experiment.startswith("report-001/") and (k * k > 4096 or width * height * CHANNELS > 2 ** 31)


def loop(experiment):
    return LOOPS.get(str(experiment).split("/", maxsplit=1)[0])


def times(experiment):
    """Yields the published times of an experiment."""
    for (name, hardware), variants in SERIES.items():
        for variant, table, block, scope, each in variants if name == experiment else ():
            for (chain, k, width, height), ms in zip(PROBLEMS[name], each):
                yield {"experiment": name, "device": hardware, "gpu": scope != "cpu", "variant": variant,
                       "table": table, "scope": scope, "filter": chain, "k": k, "width": width,
                       "height": height, "channels": CHANNELS, "block": block, "ms": ms,
                       "baseline": "sequential" if variant == loop(name) else None,
                       "doubtful": doubtful(name, k, width, height),
                       "our_scope": "work" if scope == "call" else "kernel"}
