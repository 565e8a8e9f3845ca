#include "tiny.h"

#include <stdio.h>
#include <stdlib.h>

const char *const tiny_options[TINY_OPTIONS] = {"-DADDED=5", "-DCONSTANT_TAPS"};

static const char before[] = "#if defined(__OPENCL_VERSION__)\n"
                             "#define KERNEL __kernel\n"
                             "#define GLOBAL __global\n"
                             "#define LOCAL __local\n"
                             "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
                             "#define THREAD ((int)get_local_id(0))\n"
                             "#define BLOCK ((int)get_group_id(0))\n"
                             "#define MASK_ARGUMENT , __constant int *mask\n"
                             "#else\n"
                             "#define KERNEL extern \"C\" __global__\n"
                             "#define GLOBAL\n"
                             "#define LOCAL __shared__\n"
                             "#define BARRIER __syncthreads()\n"
                             "#define THREAD ((int)threadIdx.x)\n"
                             "#define BLOCK ((int)blockIdx.x)\n"
                             "#define MASK_ARGUMENT\n"
                             "__constant__ int mask[2];\n"
                             "#endif\n";

static const char after[] =
    "\nKERNEL void tiny(GLOBAL const int *in, GLOBAL int *out, GLOBAL const int *taps,\n"
    "    GLOBAL const int *rows, GLOBAL const int *columns, struct gpu_task task MASK_ARGUMENT)\n"
    "{\n"
    "    LOCAL int tile[16];\n"
    "    int t = THREAD, x = BLOCK * 16 + t;\n"
    "    tile[t] = x < task.width ? in[x] : 0;\n"
    "    BARRIER;\n"
    "    if (x < task.width)\n"
    "        out[x] = tile[15 - t] * taps[0] + rows[x] + columns[0] + mask[1] + task.fill + "
    "ADDED;\n"
    "}\n";

const char *tiny_source(void)
{
    static char text[16384];
    if (*text)
        return text;
    int used = snprintf(text, sizeof text, "%s", before);
    FILE *file = fopen(TINY_TASK_H, "r");
    if (!file) {
        printf("FAILED: cannot read %s\n", TINY_TASK_H);
        exit(1);
    }
    used += (int)fread(text + used, 1, sizeof text - (size_t)used - sizeof after, file);
    fclose(file);
    snprintf(text + used, sizeof text - (size_t)used, "%s", after);
    return text;
}

int tiny_result(const int *in, int x, int tap, const int *rows, int column, int mask, int fill)
{
    int mirrored = x / TINY_GROUP * TINY_GROUP + TINY_GROUP - 1 - x % TINY_GROUP;
    return in[mirrored] * tap + rows[x] + column + mask + fill + 5;
}
