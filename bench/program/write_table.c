#define _GNU_SOURCE /* fileno */
#include "write_table.h"

#include "derive.h"
#include "message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CELL = 2 * RESULT_FILTER, NARROWEST = 40 };

/* On a narrow terminal, the columns of `drop` are omitted in this order. The first three remain. */
enum column {
    PROBLEM,
    WHO,
    KERNEL,
    RUNS,
    MEAN,
    BEST,
    TRANSFER,
    CALL,
    FIRST,
    GBS,
    GFLOPS,
    OVER_SEQUENTIAL,
    OVER_SINGLE,
    COLUMNS
};
static const char *const heads[COLUMNS] = {
    "problem", "contender", "kernel, ms", "runs",    "mean ± sd", "best",           "with transfer",
    "call",    "first",     "GB/s",       "GFLOP/s", "",          "over one thread"};
static const enum column drop[] = {FIRST, BEST,     MEAN, RUNS,        GFLOPS,
                                   CALL,  TRANSFER, GBS,  OVER_SINGLE, OVER_SEQUENTIAL};

struct table {
    const struct bench_run *run;
    FILE *to;
    int widths[COLUMNS]; /* 0: omitted */
    int width;           /* of the terminal; 0: any */
    char over[CELL];     /* header of OVER_SEQUENTIAL, which names the loop */
};

typedef char cells[COLUMNS][CELL];

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

/* Escapes bars, which would end the cell. */
static void escape_bars(char text[CELL])
{
    char whole[CELL];
    size_t at = 0;
    snprintf(whole, CELL, "%s", text);
    for (const char *c = whole; *c && at < CELL - 2; c++) {
        if (*c == '|')
            text[at++] = '\\';
        text[at++] = *c;
    }
    text[at] = '\0';
}

static void fill(const struct table *table, const struct result *result, cells c)
{
    struct derived d;
    const struct bench_statistics *s = &result->scopes[SCOPE_KERNEL].statistics;
    memset(c, 0, sizeof(cells));
    problem_label(&result->problem, c[PROBLEM], CELL);
    escape_bars(c[PROBLEM]);
    result_label(result, c[WHO], CELL);
    if (result->status != RESULT_OK) {
        snprintf(c[KERNEL], CELL, "%s: %s", result_status_name(result->status), result->why);
        message_clean(c[KERNEL]);
        escape_bars(c[KERNEL]);
        return;
    }
    derive(table->run, result, &d);
    put_time(result, SCOPE_KERNEL, true, c[KERNEL]);
    if (result->stated > 0)
        snprintf(c[RUNS], CELL, "%" PRId64 " of %" PRId64, s->runs * result->runs_each,
                 result->stated);
    else
        snprintf(c[RUNS], CELL, "%" PRId64, s->runs * result->runs_each);
    snprintf(c[MEAN], CELL, "%.4g ± %.2g", s->mean, s->sd);
    put_number(s->best, "", c[BEST]);
    put_time(result, SCOPE_TRANSFER, false, c[TRANSFER]);
    put_time(result, SCOPE_CALL, false, c[CALL]);
    put_time(result, SCOPE_FIRST, false, c[FIRST]);
    put_number(d.gbs, "", c[GBS]);
    put_number(d.gflops, result->effective ? " e" : "", c[GFLOPS]);
    put_number(d.over_sequential, "", c[OVER_SEQUENTIAL]);
    put_number(d.over_single, "", c[OVER_SINGLE]);
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

static const char *head_of(const struct table *table, int column)
{
    return column == OVER_SEQUENTIAL ? table->over : heads[column];
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
    for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
        if (total(table) > table->width)
            table->widths[drop[i]] = 0;
    int over = total(table) - table->width, left = table->widths[WHO] - (over > 0 ? over : 0);
    table->widths[WHO] = left > 8 ? left : 8;
}

static void find_widths(struct table *table, int experiment)
{
    const struct agenda *agenda = &table->run->agenda;
    bool used[COLUMNS] = {true, true, true};
    cells c;
    for (int i = 0; i < COLUMNS; i++)
        table->widths[i] = columns_of(head_of(table, i));
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
    const char *columns = getenv("COLUMNS");
    if (!isatty(fileno(to)))
        return 0;
    long width = columns ? strtol(columns, NULL, 10) : 0;
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

static void put_line(const struct table *table, char c[][CELL], bool ok)
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

static void put_head(const struct table *table)
{
    cells c;
    for (int i = 0; i < COLUMNS; i++)
        snprintf(c[i], CELL, "%s", head_of(table, i));
    put_line(table, c, true);
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
    snprintf(table->over, sizeof table->over, "over %s", loop ? loop : "sequential");
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
