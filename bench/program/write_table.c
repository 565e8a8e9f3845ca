#define _GNU_SOURCE /* fileno */
#include "write_table.h"

#include "derive.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CELL = 2 * RESULT_FILTER, NARROWEST = 40 };

/* On a narrow terminal, columns are omitted in the order of `drop`; those with 0 remain. */
enum { PROBLEM, WHO, KERNEL, OVER_LOOP = 11, COLUMNS = 13 };
static const struct column {
    const char *head;
    int drop;
} columns[COLUMNS] = {{"problem", 0},        {"contender", 0}, {"kernel, ms", 0},    {"runs", 4},
                      {"mean ± sd", 3},      {"best", 2},      {"with transfer", 7}, {"call", 6},
                      {"first", 1},          {"GB/s", 8},      {"GFLOP/s", 5},       {"over", 10},
                      {"over one thread", 9}};

typedef char cells[COLUMNS][CELL];

struct table {
    const struct bench_run *run;
    FILE *to;
    cells heads;
    int widths[COLUMNS]; /* 0: omitted */
    int width;           /* of the terminal; 0: any */
};

/* ---- Cells ----------------------------------------------------------------------------------- */

/* A time and, if there is one, its interval. */
static void put_time(const struct result *result, enum scope scope, bool interval, char text[CELL])
{
    const struct samples *samples = &result->scopes[scope];
    const struct bench_statistics *s = &samples->statistics;
    if (samples->count == 0)
        snprintf(text, CELL, "-");
    else if (interval && s->no_interval)
        snprintf(text, CELL, "%.4g (%s)", s->median, s->no_interval);
    else if (interval)
        snprintf(text, CELL, "%.4g [%.4g, %.4g]%s", s->median, s->low, s->high,
                 s->noisy ? " ~" : "");
    else
        snprintf(text, CELL, "%.4g", s->median);
}

static void put_number(double value, const char *unit, char text[CELL])
{
    snprintf(text, CELL, value > 0 ? "%.3g%s" : "-", value, unit);
}

/* Replaces control characters, and bars, which would end the cell. */
static void clean(char text[CELL])
{
    message_clean(text);
    for (char *bar = text; (bar = strchr(bar, '|'));)
        *bar = '?';
}

static void fill(const struct table *table, const struct result *result, cells c)
{
    struct derived d;
    const struct bench_statistics *s = &result->scopes[SCOPE_KERNEL].statistics;
    int at = KERNEL;
    memset(c, 0, sizeof(cells));
    problem_label(&result->problem, c[PROBLEM], CELL);
    clean(c[PROBLEM]);
    result_label(result, c[WHO], CELL);
    if (result->status != RESULT_OK) {
        snprintf(c[KERNEL], CELL, "%s: %s", result_status_name(result->status), result->why);
        clean(c[KERNEL]);
        return;
    }
    derive(table->run, result, &d);
    put_time(result, SCOPE_KERNEL, true, c[at++]);
    int used = snprintf(c[at], CELL, "%" PRId64, s->runs * result->runs_each);
    if (result->stated > 0)
        snprintf(c[at] + used, (size_t)(CELL - used), " of %" PRId64, result->stated);
    snprintf(c[++at], CELL, "%.4g ± %.2g", s->mean, s->sd);
    put_number(s->best, "", c[++at]);
    for (enum scope scope = SCOPE_TRANSFER; scope <= SCOPE_FIRST; scope++)
        put_time(result, scope, false, c[++at]);
    put_number(d.gbs, "", c[++at]);
    put_number(d.gflops, result->effective ? " e" : "", c[++at]);
    put_number(d.over_sequential, "", c[++at]);
    put_number(d.over_single, "", c[++at]);
}

/* ---- Widths ---------------------------------------------------------------------------------- */

/* Columns of UTF-8 text: continuation bytes do not count. */
static int columns_of(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

static int total(const struct table *table)
{
    int sum = 1;
    for (int i = 0; i < COLUMNS; i++)
        sum += table->widths[i] > 0 ? table->widths[i] + 3 : 0;
    return sum;
}

/* On a terminal, the problem has a separate line, and columns that do not fit are omitted. */
static void fit(struct table *table, const bool used[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        table->widths[i] = used[i] && i != PROBLEM ? table->widths[i] : 0;
    for (int turn = 1; turn < COLUMNS && total(table) > table->width; turn++)
        for (int i = 0; i < COLUMNS; i++)
            table->widths[i] = columns[i].drop == turn ? 0 : table->widths[i];
    int over = total(table) - table->width, left = table->widths[WHO] - (over > 0 ? over : 0);
    table->widths[WHO] = left > 8 ? left : 8;
}

static void find_widths(struct table *table, int experiment)
{
    const struct agenda *agenda = &table->run->agenda;
    bool used[COLUMNS] = {true, true, true};
    cells c;
    for (int i = 0; i < COLUMNS; i++)
        table->widths[i] = columns_of(table->heads[i]);
    for (int64_t r = 0; r < agenda->count; r++) {
        if (agenda->results[r].experiment != experiment)
            continue;
        fill(table, &agenda->results[r], c);
        for (int i = 0; i < (agenda->results[r].status == RESULT_OK ? COLUMNS : KERNEL); i++) {
            int width = columns_of(c[i]);
            table->widths[i] = width > table->widths[i] ? width : table->widths[i];
            used[i] |= strcmp(c[i], "-") != 0;
        }
    }
    if (table->width > 0)
        fit(table, used);
}

int table_terminal(FILE *to)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    if (!isatty(fileno(to)))
        return 0;
    long width = given ? strtol(given, NULL, 10) : 0;
    if (width <= 0 && ioctl(fileno(to), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width <= 0 ? 80 : width < NARROWEST ? NARROWEST : width > 10000 ? 10000 : (int)width;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Prints `text` in `width` columns, truncated if it is longer; 0: in full. */
static void put_padded(FILE *to, const char *text, int width)
{
    int length = columns_of(text), at = 0;
    bool cut = width > 0 && length > width;
    for (; *text; text++) {
        at += (*text & 0xc0) != 0x80;
        if (cut && at >= width)
            break;
        putc(*text, to);
    }
    if (cut)
        fputs("…", to);
    for (int i = length; i < width; i++)
        putc(' ', to);
}

static void put_line(const struct table *table, cells c, bool ok)
{
    int used = 1;
    putc('|', table->to);
    for (int i = 0; i < (ok ? COLUMNS : KERNEL); i++) {
        if (table->widths[i] == 0)
            continue;
        putc(' ', table->to);
        put_padded(table->to, c[i], table->widths[i]);
        fputs(" |", table->to);
        used += table->widths[i] + 3;
    }
    if (!ok) { /* the reason replaces all figures */
        putc(' ', table->to);
        put_padded(table->to, c[KERNEL], table->width > 0 ? table->width - used - 3 : 0);
        fputs(" |", table->to);
        for (int i = KERNEL + 1; table->width == 0 && i < COLUMNS; i++)
            fputs(" |", table->to);
    }
    putc('\n', table->to);
}

static void put_head(struct table *table)
{
    put_line(table, table->heads, true);
    putc('|', table->to);
    for (int i = 0; i < COLUMNS; i++) {
        for (int k = 0; table->widths[i] > 0 && k < table->widths[i] + 2; k++)
            putc('-', table->to);
        if (table->widths[i] > 0)
            putc('|', table->to);
    }
    putc('\n', table->to);
}

static void write_experiment(struct table *table, int index)
{
    char id[64];
    cells c;
    const struct agenda *agenda = &table->run->agenda;
    const struct experiment *e = &agenda->experiments[index];
    fprintf(table->to, "\n## %s: %s\n\n", experiment_id(e, id), e->title);
    const char *loop = derive_loop(table->run, index);
    for (int i = 0; i < COLUMNS; i++)
        snprintf(table->heads[i], CELL, "%s", columns[i].head);
    snprintf(table->heads[OVER_LOOP], CELL, "over %s", loop ? loop : "sequential");
    find_widths(table, index);
    put_head(table);
    for (int64_t i = 0; i < agenda->count; i++)
        if (agenda->results[i].experiment == index) {
            fill(table, &agenda->results[i], c);
            if (table->width > 0 &&
                (i == 0 || agenda->results[i - 1].group != agenda->results[i].group)) {
                put_padded(table->to, c[PROBLEM], table->width);
                putc('\n', table->to);
            }
            put_line(table, c, agenda->results[i].status == RESULT_OK);
        }
}

void write_tables(const struct bench_run *run, FILE *to, int width)
{
    struct table table = {.run = run, .to = to, .width = width};
    for (int i = 0; i < run->agenda.experiment_count; i++)
        write_experiment(&table, i);
    fprintf(to, "\nTimes are medians in ms. The interval in brackets contains the median of a "
                "repetition in 9 of 10 cases; (" BENCH_FEW ") or (" BENCH_WIDE ") means that there "
                "is none. ~ marks noisy results, e effective rates: the algorithm executes fewer "
                "operations. Runs are those of the kernel; \"of\" precedes the number in the "
                "report. Every result was verified before it was timed.\n");
}
