/* SPDX-License-Identifier: Apache-2.0 */
/* Random logs and releases of them: sessions that are left, counted user by user and pause by
 * pause. */
/* suite: threads */
#include "scale_harness.h"
#include "seeds.h"

#define ROUNDS seeds(2000)
enum { USERS = 4, ROWS = 12, WORDS = 5, HOUR = 3600 };

static const char *const word[WORDS] = {"apple", "milk", "orange", "beef", "the"};
static const char food[] = "fruit\tfood\napple\tfruit\norange\tfruit\nmeat\tfood\nbeef\tmeat\n"
                           "milk\tfood\n";

typedef struct row {
    unsigned user, words; /* a bit for each word */
    long time;            /* seconds of a few days; -1: none */
} row;

typedef enum cut { EXACT, DAY, NONE, CUTS } cut;

static void row_draw(uint64_t *seed, row *r)
{
    long hour = (long)o_below(seed, 72);
    r->user = (unsigned)o_below(seed, USERS);
    r->words = 1 + (unsigned)o_below(seed, (1 << WORDS) - 1);
    // many pauses are just an hour, or a second more or less
    r->time =
        hour * HOUR + (long)o_below(seed, 3) + (o_below(seed, 2) ? 0 : (long)o_below(seed, HOUR));
}

static row row_cut(row r, cut how)
{
    if (how == DAY) r.time -= r.time % (24 * HOUR);
    if (how == NONE) r.time = -1;
    return r;
}

static void rows_print(FILE *f, const row *r, size_t n, cut how)
{
    for (size_t i = 0; i < n; i++) {
        row x = row_cut(r[i], how);
        const char *gap = "";
        fprintf(f, "u%u\t", x.user);
        for (size_t k = 0; k < WORDS; k++) {
            if (!(x.words >> k & 1)) continue;
            fprintf(f, "%s%s", gap, word[k]);
            gap = " ";
        }
        fputc('\t', f);
        if (how == DAY) fprintf(f, "2006-03-0%ld", 1 + x.time / (24 * HOUR));
        if (how == EXACT)
            fprintf(f, "2006-03-0%ld %02ld:%02ld:%02ld", 1 + x.time / (24 * HOUR),
                    x.time / HOUR % 24, x.time / 60 % 60, x.time % 60);
        fputc('\n', f);
    }
}

static unsigned bits(unsigned x) { return (unsigned)__builtin_popcount(x); }

/* A session begins with a row that no other of its user precedes by an hour or less, and goes on
 * as long as each is followed so. */
static unsigned sessions_of(const row *r, size_t n, cut how)
{
    unsigned count = 0;
    if (how == NONE) return 0;
    for (size_t i = 0; i < n; i++) {
        row first = row_cut(r[i], how);
        bool begins = true, grows = true;
        long end = first.time;
        unsigned words = 0;
        for (size_t k = 0; k < n; k++) {
            row x = row_cut(r[k], how);
            if (x.user != first.user) continue;
            if (x.time < first.time && first.time - x.time <= HOUR) begins = false;
            if (x.time == first.time && k < i) begins = false; // one of equal rows stands for all
        }
        if (!begins) continue;
        while (grows) {
            grows = false;
            for (size_t k = 0; k < n; k++) {
                row x = row_cut(r[k], how);
                if (x.user != first.user || x.time <= end || x.time - end > HOUR) continue;
                end = x.time;
                grows = true;
            }
        }
        for (size_t k = 0; k < n; k++) {
            row x = row_cut(r[k], how);
            if (x.user == first.user && x.time >= first.time && x.time <= end) words |= x.words;
        }
        count += bits(words) >= 2;
    }
    return count;
}

/* Records of leaves, general terms and bags; how many have two different leaves. */
static unsigned records_print(uint64_t *seed, FILE *f)
{
    // in the order in which a record has them
    static const char *const item[] = {"apple", "apple|milk", "beef", "food", "fruit", "milk"};
    static const bool leaf[] = {true, false, true, false, false, true};
    unsigned count = 0;
    size_t n = 1 + o_below(seed, 5);
    char line[5][80];
    for (size_t i = 0; i < n; i++) {
        unsigned leaves = 0;
        line[i][0] = '\0';
        for (size_t k = 0; k < LETHE_COUNT(item); k++) {
            size_t copies = o_below(seed, 3);
            leaves += copies > 0 && leaf[k];
            for (size_t c = 0; c < copies; c++) {
                if (line[i][0]) strcat(line[i], " ");
                strcat(line[i], item[k]);
            }
        }
        count += leaves >= 2;
    }
    for (size_t done = 0; done < n; done++) { // sorted by bytes
        size_t least = n;
        for (size_t i = 0; i < n; i++)
            if (line[i][0] != '\1' && (least == n || strcmp(line[i], line[least]) < 0)) least = i;
        fprintf(f, "%s\n", line[least]);
        line[least][0] = '\1';
    }
    return count;
}

static void sessions_are_what_counting_gives(void **state)
{
    unsigned seen[CUTS + 1] = {0};
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        row before[ROWS], after[ROWS];
        size_t n = 1 + o_below(&seed, ROWS), m = 1 + o_below(&seed, ROWS);
        cut how = (cut)o_below(&seed, CUTS + 1); // the last: records
        char *log = NULL, *published = NULL;
        size_t bytes;
        for (size_t i = 0; i < ROWS; i++) {
            row_draw(&seed, &before[i]);
            row_draw(&seed, &after[i]);
        }
        FILE *f = open_memstream(&log, &bytes);
        rows_print(f, before, n, EXACT);
        fclose(f);
        f = open_memstream(&published, &bytes);
        unsigned left = 0, all = sessions_of(before, n, EXACT);
        if (how == CUTS) {
            left = records_print(&seed, f);
        } else {
            rows_print(f, after, m, how);
            left = sessions_of(after, m, how);
        }
        fclose(f);
        sc_case c = {
            .log = log, .published = published, .tree = how == CUTS ? food : NULL, .loose = true};
        heard h;
        lethe_err e;
        char want[160], *text = sc_text(&c, lethe_measure_sessions.run,
                                        lethe_measure_sessions.options, 2, &h, &e);
        if (e != LETHE_OK) fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
        snprintf(want, sizeof want, "\"sessions\":{\"original\":%u,\"published\":%u", all, left);
        if (!strstr(text, want))
            fail_msg("seed %llu: %s, and it is %s", (unsigned long long)round, text, want);
        seen[how] += left > 0;
        lethe_json_text_free(text);
        free(log);
        free(published);
    }
    assert_int_equal(seen[NONE], 0);
    assert_true(seen[EXACT] > ROUNDS / 10 && seen[DAY] > ROUNDS / 10 && seen[CUTS] > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions_are_what_counting_gives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
