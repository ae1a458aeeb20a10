/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of small logs, divided at random between parts, through each step of a chain: what is
 * put together then is the release that the program makes of the whole log with the same key file,
 * byte for byte, and its manifest but for the names of the files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "parts_harness.h"
#include "small_wordnet.h"
#include "seeds.h"

enum { PARTS_MAX = 4, ROWS_MAX = 60 };

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- a log --- */

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static const char *const texts[] = {"maps",
                                    "New  York",
                                    "call 212-555-0187",
                                    "john@example.org mail",
                                    "\xc3\x89T\xc3\x89",
                                    "stra\303\237e",
                                    "www.example.com/private/page",
                                    "\xc3\xa9\xc3\xa9\xff mostly UTF-8",
                                    "",
                                    "a",
                                    "a b",
                                    "#0123456789abcdef0123456789abcdef"};
static const char *const urls[] = {"http://www.a.com/x?q=1", "https://B.org/", "nothing",
                                   "http://john@example.org/"};

static void log_draw(uint64_t *seed, lines *l)
{
    size_t n = 1 + below(seed, ROWS_MAX), n_users = 1 + below(seed, 6), n_bad = 0;
    for (size_t i = 0; i < n; i++) {
        char *line, click[64] = "\t";
        if (below(seed, 12) == 0 && (n_bad + 1) * 10 <= n) {
            lines_add(l, strdup(below(seed, 2) ? "u1\tmaps\tnever" : "u1"));
            n_bad++;
            continue;
        }
        size_t kind = below(seed, 5), day = 1 + below(seed, 3), hour = below(seed, 2) * 11,
               minute = below(seed, 60), second = below(seed, 60);
        if (kind < LETHE_COUNT(urls))
            snprintf(click, sizeof click, "%zu\t%s", 1 + below(seed, 20), urls[kind]);
        if (asprintf(&line, "u%zu\t%s\t2006-03-%02zu %02zu:%02zu:%02zu\t%s", below(seed, n_users),
                     texts[below(seed, LETHE_COUNT(texts))], day, hour, minute, second, click) < 0)
            abort();
        lines_add(l, line);
    }
}

/* --- a chain --- */

typedef struct setting {
    char steps[256], publish[320];
    size_t n;
    bool splits[4], seals; /* seals: the last step */
} setting;

static void step_add(setting *s, const char *text)
{
    size_t n = strlen(s->steps);
    s->splits[s->n] = strstr(text, "split");
    s->seals = strstr(text, "seal");
    snprintf(s->steps + n, sizeof s->steps - n, "%s{\"method\": %s}", s->n++ ? ", " : "[", text);
}

static setting setting_draw(uint64_t *seed, const ground *g)
{
    static const char
        *const scrubs[] = {"\"scrub\"", "\"scrub\", \"options\": {\"action\": \"drop\"}"},
               *const splits[] = {"\"split\", \"options\": {\"by\": \"day\"}",
                                  "\"split\", \"options\": {\"by\": \"gap\", \"gap\": \"30m\"}",
                                  "\"split\", \"options\": {\"by\": \"query\"}"},
               *const seals[] = {"\"seal\", \"options\": {\"t\": 2}",
                                 "\"seal\", \"options\": {\"t\": 2, \"epoch\": \"1d\"}",
                                 "\"seal\", \"options\": {\"t\": 3, \"keep-clicks\": true}"},
               *const times[] = {"exact", "hour", "day", "week", "month", "drop"},
               *const forms[] = {"host", "id", "keep", "drop"};
    setting s = {0};
    size_t kind = 1 + below(seed, 7); // a bit per method: each alone, and in this order
    if (kind & 1) step_add(&s, scrubs[below(seed, LETHE_COUNT(scrubs))]);
    if (kind & 2) step_add(&s, splits[below(seed, LETHE_COUNT(splits))]);
    if (kind == 2 && below(seed, 3) == 0) step_add(&s, scrubs[0]);
    if (kind & 4) step_add(&s, seals[below(seed, LETHE_COUNT(seals))]);
    strcat(s.steps, "]");
    snprintf(s.publish, sizeof s.publish,
             "{\"key-file\": \"%s\", \"time\": \"%s\", \"urls\": \"%s\"%s}", g->key,
             times[below(seed, LETHE_COUNT(times))], forms[below(seed, LETHE_COUNT(forms))],
             below(seed, 4) ? "" : ", \"keep-users\": true");
    return s;
}

/* --- its parts --- */

static size_t part_of_user(const char *user, size_t n_parts, uint64_t salt)
{
    uint64_t h = salt;
    for (; *user; user++)
        h = (h ^ (uint8_t)*user) * 0x100000001b3u;
    return (size_t)((h >> 17) % n_parts);
}

/* Rows into files, all of a user into one where `by_user`; which files have any. */
static void rows_divide(const ground *g, uint64_t *seed, const lines *rows, bool by_user,
                        bool used[PARTS_MAX])
{
    FILE *to[PARTS_MAX] = {NULL};
    size_t n_parts = 1 + below(seed, PARTS_MAX);
    uint64_t salt = next(seed);
    for (size_t i = 0; i < PARTS_MAX; i++)
        used[i] = false;
    for (size_t i = 0; i < rows->n; i++) {
        char path[320], *user = line_column(rows->at[i], 0);
        size_t k = by_user ? part_of_user(user, n_parts, salt) : below(seed, n_parts);
        snprintf(path, sizeof path, "%s/rows-%zu", g->dir, k);
        if (!used[k] && !(to[k] = fopen(path, "w"))) abort();
        if (!used[k]) fputs(HEADER, to[k]);
        used[k] = true;
        fprintf(to[k], "%s\n", rows->at[i]);
        free(user);
    }
    for (size_t i = 0; i < PARTS_MAX; i++)
        if (to[i]) fclose(to[i]);
}

/* Rows as they come out, owner first, as rows that go in. */
static void rows_turn(lines *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        char *line = rows->at[i], *user = strchr(line, '\t') + 1;
        memmove(line, user, strlen(user) + 1);
    }
}

/* Steps [first, end) over all rows: `rows` is then what came out. */
static lethe_err stage_run(lethe_ctx *ctx, ground *g, uint64_t *seed, const setting *s,
                           size_t first, size_t end, bool lines_wanted, lines *rows, account *a)
{
    const chain c = {s->steps, s->publish};
    bool used[PARTS_MAX], by_user = false;
    lines out = {0};
    lethe_json *total = NULL, *report = NULL;
    for (size_t i = first; i < end; i++)
        by_user = by_user || s->splits[i];
    rows_divide(g, seed, rows, by_user, used);
    lethe_err e = LETHE_OK;
    for (size_t k = 0; k < PARTS_MAX && e == LETHE_OK; k++) {
        char path[320];
        snprintf(path, sizeof path, "%s/rows-%zu", g->dir, k);
        if (!used[k]) continue;
        e = part_of(ctx, &c, path, first, end, lines_wanted, &out, a->doc, &report);
        if (e == LETHE_OK) total = json_sum(a->doc, total, report);
        unlink(path);
    }
    if (e == LETHE_OK) account_stage(a, total, first == 0 && a->read == 0);
    lines_free(rows);
    *rows = out;
    return e;
}

/* The chain in stages of any length; split and seal see who the rows belong to in one stage. */
static void chain_run(lethe_ctx *ctx, ground *g, uint64_t *seed, const setting *s, lines *rows,
                      account *a, uint64_t number)
{
    size_t first = 0;
    bool done = false;
    while (!done) {
        size_t end = first + below(seed, s->n - first + 1);
        for (size_t i = first; i < end; i++)
            if (s->splits[i] && s->seals) end = s->n;
        if (end == s->n && s->seals && first < end) done = true; // gives no rows
        if (end == s->n && (first < end || !s->seals) && below(seed, 2)) done = true;
        if (s->seals && end < s->n && first == end && below(seed, 2)) continue;
        lethe_err e = stage_run(ctx, g, seed, s, first, end, done, rows, a);
        if (e != LETHE_OK)
            fail_msg("case %llu: steps %zu to %zu of %s: %s: %s", (unsigned long long)number, first,
                     end, s->steps, lethe_err_name(e), g->said);
        if (!done) rows_turn(rows);
        if (!done && rows->n == 0) break; // nothing is left, as of the whole
        first = end;
    }
}

/* --- both ways --- */

static lethe_err whole_make(lethe_ctx *ctx, const ground *g, const setting *s, const lines *rows)
{
    FILE *f = fopen(g->log, "w");
    if (!f) abort();
    fputs(HEADER, f);
    for (size_t i = 0; i < rows->n; i++)
        fprintf(f, "%s\n", rows->at[i]);
    fclose(f);
    return ask(ctx, NULL, NULL,
               "{\"command\": \"release\", \"inputs\": [{\"path\": \"%s\"}], \"steps\": %s, "
               "\"publish\": %s, \"output\": {\"path\": \"%s\"}}",
               g->log, s->steps, s->publish, g->out);
}

static void parts_make(lethe_ctx *ctx, ground *g, uint64_t *seed, const setting *s, lines *rows,
                       const char *out, uint64_t number)
{
    account a;
    char dir[300], path[320];
    size_t ends[PARTS_MAX], n_ends = 0;
    account_begin(&a);
    for (size_t i = 0; i < s->n; i++)
        a.renamed = a.renamed || s->splits[i];
    chain_run(ctx, g, seed, s, rows, &a, number);
    a.published = (int64_t)rows->n;
    lines_sort(rows);
    // the first part may be a header alone; none is empty
    for (size_t i = 0; i < rows->n && n_ends < PARTS_MAX; i++)
        if (below(seed, rows->n) < 2) ends[n_ends++] = i;
    snprintf(dir, sizeof dir, "%s/parts", g->dir);
    if (mkdir(dir, 0700) != 0) abort();
    parts_write(dir, &a, rows, ends, n_ends);
    snprintf(path, sizeof path, "%s/account.json", dir);
    json_write_file(path, account_json(&a));
    lethe_err e = ask(ctx, NULL, NULL,
                      "{\"command\": \"assemble\", \"steps\": %s, \"publish\": %s, \"options\": "
                      "{\"parts\": \"%s\"}, \"output\": {\"path\": \"%s\"}}",
                      s->steps, s->publish, dir, out);
    if (e != LETHE_OK)
        fail_msg("case %llu: %s: %s: %s", (unsigned long long)number, s->steps, lethe_err_name(e),
                 g->said);
    account_end(&a);
    g_remove(dir);
}

/* Shows the first difference: a message of cmocka is short. */
static void same(const char *what, const char *got, const char *want, const setting *s,
                 uint64_t number)
{
    size_t i = 0;
    while (got[i] && got[i] == want[i])
        i++;
    size_t from = i > 60 ? i - 60 : 0;
    if (got[i] != want[i])
        fail_msg("case %llu: %s %s: %s\n--- wanted\n%.200s\n--- got\n%.200s",
                 (unsigned long long)number, s->steps, s->publish, what, want + from, got + from);
}

/* False: the program makes no release of it. */
static bool run_one(lethe_ctx *ctx, ground *g, uint64_t number)
{
    uint64_t seed = number * 1000003;
    lines rows = {0};
    char other[320];
    g->said[0] = '\0';
    log_draw(&seed, &rows);
    const setting s = setting_draw(&seed, g);
    if (whole_make(ctx, g, &s, &rows) != LETHE_OK) {
        lines_free(&rows);
        return false;
    }
    snprintf(other, sizeof other, "%s/other", g->dir);
    parts_make(ctx, g, &seed, &s, &rows, other, number);
    char *data = g_data(g), *parts = parts_read(other), *want = manifest_less_files(g->out),
         *got = manifest_less_files(other);
    same("data", parts, data, &s, number);
    same("manifest", got, want, &s, number);
    free(data);
    free(parts);
    lethe_json_text_free(want);
    lethe_json_text_free(got);
    lines_free(&rows);
    g_remove(g->out);
    g_remove(other);
    return true;
}

static void parts_are_the_whole(void **state)
{
    (void)state;
    const uint64_t n_cases = seeds(4000);
    uint64_t n_made = 0;
    ground g;
    g_begin(&g);
    lethe_ctx *ctxs[] = {g_ctx(&g, 1), g_ctx(&g, 3)};
    g_write(g.key, "0123456789abcdef0123456789abcdef");
    if (chmod(g.key, 0600) != 0) abort();
    for (uint64_t number = 1; number <= n_cases; number++)
        n_made += run_one(ctxs[number % 2], &g, number);
    assert_true(n_made > n_cases / 2);
    assert_string_equal(g_names(&g), "key log.tsv");
    for (size_t k = 0; k < LETHE_COUNT(ctxs); k++)
        lethe_ctx_free(ctxs[k]);
    g_end(&g);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
