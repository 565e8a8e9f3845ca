/* `swathe bench compare` alone: compare_main BEFORE AFTER [--json] */
#include "bench/compare_runs.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: compare_main BEFORE AFTER [--json]\n");
        return 2;
    }
    return bench_compare(argv[1], argv[2], argc > 3 && strcmp(argv[3], "--json") == 0);
}
