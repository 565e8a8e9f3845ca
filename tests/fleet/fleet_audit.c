/* Verdicts and draws of audits. */
#include "audit/audit.h"
#include "fleet_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Claims as pairs of letters, worker and samples: "a1b1" is worker a with samples 1. */
static struct audit_case make_case(const char *claims)
{
    struct audit_case made = {.key = NULL};
    for (; *claims; claims += 2)
        CHECK(audit_case_claim(&made, (char[]){claims[0], '\0'}, (char[]){claims[1], '\0'}));
    return made;
}

static void verdicts(void)
{
    static const struct {
        const char *claims;
        enum audit_verdict verdict;
        char truth; /* if outvoted */
    } table[] = {
        {"a1", AUDIT_ASK, 0},
        {"a1a1", AUDIT_ASK, 0}, /* one worker, said twice */
        {"a1b1", AUDIT_AGREED, 0},
        {"a1b2", AUDIT_ASK, 0},
        {"a1b2c1", AUDIT_OUTVOTED, '1'},
        {"a1b2c2", AUDIT_OUTVOTED, '2'},
        {"a1b2a1b2", AUDIT_ASK, 0},
        {"a1b2c3", AUDIT_UNDECIDED, 0},
        {"a1b2c1d2", AUDIT_UNDECIDED, 0},
        {"a1b2c2d2", AUDIT_OUTVOTED, '2'},
        {"a1a2", AUDIT_ASK, 0},   /* contradicts itself */
        {"a1a2b2", AUDIT_ASK, 0}, /* and so has no vote */
        {"a1a2b2c2", AUDIT_OUTVOTED, '2'},
        {"a1a2b3c3", AUDIT_OUTVOTED, '3'},
        {"a1a2b2c1", AUDIT_UNDECIDED, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct audit_case made = make_case(table[i].claims);
        const struct audit_claim *truth = NULL;
        enum audit_verdict verdict = audit_case_judge(&made, &truth);
        bool right = verdict == table[i].verdict &&
                     (verdict != AUDIT_OUTVOTED || truth->samples[0] == table[i].truth);
        if (!right)
            printf("FAILED audit verdict of %s: %d\n", table[i].claims, (int)verdict);
        CHECK(right);
    }
}

static void refusals(void)
{
    struct audit_case made = make_case("a1");
    const struct audit_claim *truth = NULL;
    for (int i = 0; i < AUDIT_REFUSALS; i++) {
        CHECK(audit_case_judge(&made, &truth) == AUDIT_ASK);
        audit_case_refuse(&made, (char[]){(char)('p' + i), '\0'}, "is missing");
    }
    CHECK(audit_case_judge(&made, &truth) == AUDIT_IMPOSSIBLE);
    CHECK(audit_case_knows(&made, "a") && audit_case_knows(&made, "q"));
    CHECK(!audit_case_knows(&made, "b"));
    audit_case_forget(&made, "a");
    CHECK(made.claim_count == 0);
    for (int i = 0; i < 2 * AUDIT_CLAIMS; i++)
        CHECK(audit_case_claim(&made, (char[]){(char)('a' + i), '\0'}, "1") == (i < AUDIT_CLAIMS));
}

/* Draws of `messages` messages with `count` images; counts by place in the message. */
static int64_t draw_all(const struct audit_draw *draw, int messages, int32_t count, int64_t *places)
{
    int64_t drawn = 0;
    for (int m = 1; m <= messages; m++) {
        int32_t at = -1, before = -1;
        for (int32_t n = 0;; n++, before = at) {
            CHECK(audit_draw_next(draw, (uint64_t)m, n, count, &at) == SWATHE_OK);
            CHECK(at > before && at <= count);
            if (at == count)
                break;
            places[at]++;
            drawn++;
        }
    }
    return drawn;
}

/* Within five standard deviations of the binomial distribution, in sum and at every place. */
static void draws(const char *seed_file)
{
    enum { MESSAGES = 20000, IMAGES = 50 };
    static const double shares[] = {0.0005, 0.01, 0.3, 1};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct audit_draw draw;
        int64_t places[IMAGES] = {0}, again[IMAGES] = {0};
        double share = shares[i], spread = sqrt(MESSAGES * share * (1 - share));
        CHECK(audit_draw_start(&draw, share, seed_file) == SWATHE_OK);
        int64_t drawn = draw_all(&draw, MESSAGES, IMAGES, places);
        CHECK(fabs((double)drawn - MESSAGES * IMAGES * share) <= 5 * sqrt(IMAGES) * spread);
        for (int k = 0; k < IMAGES; k++)
            CHECK(fabs((double)places[k] - MESSAGES * share) <= 5 * spread + 1);
        CHECK(draw_all(&draw, MESSAGES, IMAGES, again) == drawn);
        CHECK(memcmp(places, again, sizeof places) == 0);
    }
}

static void seeds(void)
{
    char path[] = "/tmp/swathe-seed-XXXXXX";
    struct audit_draw one, two;
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, "fifteen bytes..", 15) == 15);
    CHECK(audit_draw_start(&one, 0.5, path) == SWATHE_ERROR_INPUT);
    CHECK(write(file, "now twenty-six.", 11) == 11);
    CHECK(audit_draw_start(&one, 0.5, path) == SWATHE_OK);
    CHECK(audit_draw_start(&two, 0.5, path) == SWATHE_OK);
    CHECK(memcmp(one.seed, two.seed, sizeof one.seed) == 0);
    draws(path);
    CHECK(audit_draw_start(&two, 0.5, NULL) == SWATHE_OK);
    CHECK(memcmp(one.seed, two.seed, sizeof one.seed) != 0);
    close(file);
    unlink(path);
    CHECK(audit_draw_start(&one, 0.5, path) == SWATHE_ERROR_IO);
}

static void memory(void)
{
    struct audit_numbers numbers = {0};
    struct audit_repairs repairs = {0};
    for (uint64_t key = 0; key < 100000; key += 7)
        CHECK(audit_numbers_set(&numbers, key, key + 1, (int64_t)key) == SWATHE_OK);
    for (uint64_t key = 0; key < 100000; key++)
        CHECK(audit_numbers_get(&numbers, key) == (key % 7 ? 0 : key + 1));
    /* Keys that a hostile worker makes up do not fill the memory. */
    for (uint64_t key = 1; key < 100000; key++)
        CHECK(audit_numbers_set(&numbers, key << 20, 1, 0) == SWATHE_OK);
    CHECK(numbers.page_count < 1000 && numbers.room < 4000000);
    audit_numbers_free(&numbers);
    for (int64_t id = 0; id < 5000; id++) {
        struct audit_repair *repair;
        CHECK(audit_repairs_add(&repairs, id * id, &repair) == SWATHE_OK);
        audit_repairs_wait(&repairs, repair, (int32_t)(id % 3));
        audit_repairs_wait(&repairs, repair, (int32_t)(id % 3));
    }
    CHECK(repairs.count == 5000 && repairs.waiting == 3333);
    CHECK(audit_repairs_find(&repairs, 4) && !audit_repairs_find(&repairs, 5));
    audit_repairs_free(&repairs);
}

int main(void)
{
    verdicts();
    refusals();
    seeds();
    memory();
    printf("verdicts and draws are right\n");
    return 0;
}
