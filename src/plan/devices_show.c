/* Lists the available devices, for people and programs. */
#include "plan/devices_show.h"

#include "base/text.h"

#include <inttypes.h>

static const char *kind_of(const struct gpu_info *info)
{
    return info->is_gpu ? "GPU" : "not a GPU";
}

static void people_device(struct text *out, const struct gpu_info *info)
{
    const struct gpu_limits *limits = &info->limits;
    char memory[32], largest[32], local[32];
    text_add(out, "%s:%-4d %s (%s)\n", info->back_end, info->index, info->name, kind_of(info));
    if (info->same[0])
        text_add(out, "         the same card as %s\n", info->same);
    text_add(out, "         driver %s%s%s\n", info->driver, info->target[0] ? ", " : "",
             info->target);
    text_add(out,
             "         %s of memory, %s in one buffer, %s of shared memory, up to %d threads in a "
             "thread block\n",
             text_bytes(limits->memory, memory, sizeof memory),
             text_bytes(limits->largest, largest, sizeof largest),
             text_bytes(limits->local, local, sizeof local), limits->group);
    text_add(out, "         floats: %s\n",
             limits->fma && limits->denormals ? "exact"
             : limits->fma                    ? "refused (no denormals)"
                                              : "refused (no fused multiply-add)");
}

static void json_device(struct text *out, const struct gpu_info *info)
{
    const struct gpu_limits *limits = &info->limits;
    text_add(out, "{\"device\":\"%s:%d\",\"gpu\":%s,\"name\":", info->back_end, info->index,
             info->is_gpu ? "true" : "false");
    text_add_json(out, info->name);
    text_add(out, ",\"driver\":");
    text_add_json(out, info->driver);
    text_add(out, ",\"same\":");
    text_add_json(out, info->same);
    text_add(out, ",\"target\":");
    text_add_json(out, info->target);
    text_add(out,
             ",\"memory\":%" PRId64 ",\"largest\":%" PRId64 ",\"local\":%" PRId64
             ",\"constant\":%" PRId64 ",\"group\":%d,\"fma\":%s,\"denormals\":%s}",
             limits->memory, limits->largest, limits->local, limits->constant, limits->group,
             limits->fma ? "true" : "false", limits->denormals ? "true" : "false");
}

static void people_list(struct text *out, const char *name, const struct gpu_list *list)
{
    for (int32_t i = 0; i < list->count; i++)
        people_device(out, &list->devices[i]);
    if (list->note[0])
        text_add(out, "%-8s %s\n", name, list->note);
}

static void json_list(struct text *out, const char *name, const struct gpu_list *list)
{
    text_add(out, "{\"back_end\":\"%s\",\"note\":", name);
    text_add_json(out, list->note);
    text_add(out, ",\"devices\":[");
    for (int32_t i = 0; i < list->count; i++) {
        text_add(out, i ? "," : "");
        json_device(out, &list->devices[i]);
    }
    text_add(out, "]}");
}

swathe_status devices_show(struct gpu_devices *devices, bool json, char *text, size_t size,
                           size_t *needed)
{
    struct text out;
    text_init(&out, text, size);
    text_add(&out, json ? "[" : "");
    for (int i = 0; gpu_back_end_at(i); i++) {
        const char *name = gpu_back_end_at(i)->name;
        const struct gpu_list *list = gpu_devices_list(devices, i);
        text_add(&out, json && i ? "," : "");
        (json ? json_list : people_list)(&out, name, list);
    }
    text_add(&out, json ? "]" : "");
    return text_finish(&out, needed);
}
