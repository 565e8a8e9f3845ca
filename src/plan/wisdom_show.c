/* Prints wisdom for people and programs. */
#include "base/cpu.h"
#include "plan/wisdom.h"

#include <string.h>

enum { NOTE_SIZE = 5000 };

static void people_rate(struct text *out, int isa, const struct algorithm *algorithm,
                        enum cost_class kind, const struct cost_rate *rate)
{
    text_add(out, "%-8s%-12s%-6s", isa_at(isa)->name, algorithm->name, cost_class_name(kind));
    for (int t = 0; t < COST_TERMS; t++)
        text_add(out, "%12.4g", rate->ns[t]);
    text_add(out, "\n");
}

static void json_rate(struct text *out, int isa, const struct algorithm *algorithm,
                      enum cost_class kind, const struct cost_rate *rate)
{
    static const char *const names[COST_TERMS] = {"run_ns", "row_ns", "row_work_ns", "sample_ns",
                                                  "work_ns"};
    text_add(out, "{\"isa\":\"%s\",\"algorithm\":\"%s\",\"class\":\"%s\"", isa_at(isa)->name,
             algorithm->name, cost_class_name(kind));
    for (int t = 0; t < COST_TERMS; t++) {
        text_add(out, ",\"%s\":", names[t]);
        text_add_double(out, rate->ns[t]);
    }
    text_add(out, "}");
}

/* Returns the number of rates. */
static int add_rates(struct wisdom *wisdom, bool json, struct text *out)
{
    struct cost_rate rate;
    int count = 0;
    for (int isa = 0; isa_at(isa); isa++)
        for (int a = 0; algorithm_at(a); a++)
            for (int c = 0; c < COST_CLASSES; c++) {
                if (!wisdom_rate(wisdom, isa, algorithm_at(a), (enum cost_class)c, &rate))
                    continue;
                if (json)
                    text_add(out, count ? "," : "");
                else if (count == 0)
                    text_add(out,
                             "Nanoseconds on one thread per run, row, unit of row work, sample "
                             "and unit of sample work:\n");
                (json ? json_rate : people_rate)(out, isa, algorithm_at(a), (enum cost_class)c,
                                                 &rate);
                count++;
            }
    return count;
}

swathe_status wisdom_show(struct wisdom *wisdom, bool json, char *text, size_t size, size_t *needed)
{
    struct text out;
    char note[NOTE_SIZE], cpu[256];
    TRY(wisdom_load(wisdom));
    text_init(&out, text, size);
    wisdom_note(wisdom, note, sizeof note);
    cpu_identity(cpu, sizeof cpu);
    const char *path = wisdom_path(wisdom);
    if (json) {
        text_add(&out, "{\"file\":");
        path ? text_add_json(&out, path) : text_add(&out, "null");
        text_add(&out, ",\"in_use\":");
        text_add_json(&out, note);
        text_add(&out, ",\"library\":\"%s %s\",\"cpu\":", SWATHE_VERSION, wisdom_build);
        text_add_json(&out, cpu);
        text_add(&out, ",\"rates\":[");
        add_rates(wisdom, true, &out);
        text_add(&out, "]}");
    } else {
        text_add(&out, "file     %s\nin use   %s\nlibrary  %s %s\ncpu      %s\n",
                 path ? path : "none", note, SWATHE_VERSION, wisdom_build, cpu);
        add_rates(wisdom, false, &out);
    }
    return text_finish(&out, needed);
}
