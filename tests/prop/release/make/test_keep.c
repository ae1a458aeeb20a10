/* SPDX-License-Identifier: Apache-2.0 */
/* Further columns of small random logs (--keep) against the definition: a value is published where
 * enough persons have it in published rows, found by looking at every pair of rows.  Every release
 * goes through verify, and its data, changed at random, through the checker, which must agree with
 * counting the slow way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "check/check.h"
#include "io/json/json.h"
#include "log_oracle.h"
#include "release_harness.h"
#include "seeds.h"

enum { ROWS_MAX = 60, COLUMNS = 3, FIELD = 32, LINE = 256 };

typedef struct row {
    unsigned owner, text, hour;
    char kept[COLUMNS][FIELD];
} row;

typedef struct trial {
    size_t n, n_columns;
    row at[ROWS_MAX];
    bool published[ROWS_MAX];
    unsigned t, min;
    bool threshold, split; /* the chain */
} trial;

static void trial_make(trial *x, uint64_t *seed)
{
    static const char *const values[] = {"",         "a", "b",   "ab",       "A",
                                         "\xc3\xa9", "0", "a b", "\"q\", r", "%41"};
    size_t users = 1 + o_below(seed, 9), n_values = 2 + o_below(seed, LETHE_COUNT(values) - 1);
    *x = (trial){.n = 1 + o_below(seed, ROWS_MAX),
                 .n_columns = 1 + o_below(seed, COLUMNS),
                 .t = 1 + (unsigned)o_below(seed, 4),
                 .min = 1 + (unsigned)o_below(seed, 5),
                 .threshold = o_below(seed, 2),
                 .split = o_below(seed, 2)};
    for (size_t i = 0; i < x->n; i++) {
        row *r = &x->at[i];
        r->owner = (unsigned)o_below(seed, users);
        r->text = (unsigned)o_below(seed, 5);
        r->hour = (unsigned)o_below(seed, 24);
        for (size_t c = 0; c < x->n_columns; c++)
            snprintf(r->kept[c], FIELD, "%s", values[o_below(seed, n_values)]);
    }
}

/* --- what is true --- */

static bool text_is_published(const trial *x, unsigned text)
{
    bool seen[16] = {false};
    unsigned persons = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (x->at[i].text != text) continue;
        persons += !seen[x->at[i].owner];
        seen[x->at[i].owner] = true;
    }
    return !x->threshold || persons >= x->t;
}

static bool value_is_published(const trial *x, size_t c, const char *value)
{
    bool seen[16] = {false};
    unsigned persons = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (!x->published[i] || strcmp(x->at[i].kept[c], value) != 0) continue;
        persons += !seen[x->at[i].owner];
        seen[x->at[i].owner] = true;
    }
    return persons >= x->min;
}

static int by_bytes(const void *a, const void *b) { return strcmp(a, b); }

/* The lines that should be published, sorted; without the user where persons have several. */
static size_t expected(trial *x, char (*line)[LINE])
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        x->published[i] = text_is_published(x, x->at[i].text);
    for (size_t i = 0; i < x->n; i++) {
        const row *r = &x->at[i];
        if (!x->published[i]) continue;
        int at = x->split ? 0 : snprintf(line[n], LINE, "u%u\t", r->owner);
        at += snprintf(line[n] + at, (size_t)(LINE - at), "text %u\t2006-03-01 %02u:00:00\t\t",
                       r->text, r->hour);
        for (size_t c = 0; c < x->n_columns; c++)
            at += snprintf(line[n] + at, (size_t)(LINE - at), "\t%s",
                           value_is_published(x, c, r->kept[c]) ? r->kept[c] : "");
        n++;
    }
    qsort(line, n, sizeof *line, by_bytes);
    return n;
}

/* --- what is published --- */

static void log_write(const ground *g, const trial *x)
{
    FILE *f = fopen(g->log, "w");
    assert_non_null(f);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\tone\ttwo\tthree\n", f);
    for (size_t i = 0; i < x->n; i++)
        fprintf(f, "u%u\ttext %u\t2006-03-01 %02u:00:00\t\t\t%s\t%s\t%s\n", x->at[i].owner,
                x->at[i].text, x->at[i].hour, x->at[i].kept[0], x->at[i].kept[1], x->at[i].kept[2]);
    fclose(f);
}

static void steps_make(const trial *x, steps *s)
{
    char options[64];
    snprintf(options, sizeof options, "t=%u same=exact clicks=all", x->t);
    if (x->split) s_add(s, lethe_method_find("split"), "by=query");
    if (x->threshold) s_add(s, lethe_method_find("threshold"), options);
    if (s->n == 0) s_add(s, lethe_method_find("scrub"), "kinds=email");
}

static size_t lines_read(const ground *g, bool with_user, char (*line)[LINE])
{
    char *text = g_data(g);
    size_t n = 0;
    assert_non_null(text);
    char *at = strchr(text, '\n') + 1;
    for (char *lf; (lf = strchr(at, '\n')); at = lf + 1) {
        *lf = '\0';
        const char *from = with_user ? at : strchr(at, '\t') + 1;
        assert_true(n < ROWS_MAX);
        snprintf(line[n++], LINE, "%s", from);
    }
    free(text);
    qsort(line, n, sizeof *line, by_bytes);
    return n;
}

/* --- the checker --- */

/* Has every value enough users, in the lines of a published file with their users? */
static bool lines_hold(char (*line)[LINE], size_t n, size_t n_columns, unsigned t)
{
    char field[ROWS_MAX][5 + COLUMNS][LINE];
    for (size_t i = 0; i < n; i++) {
        const char *at = line[i];
        for (size_t c = 0; c < 5 + n_columns; c++) {
            size_t length = strcspn(at, "\t");
            snprintf(field[i][c], LINE, "%.*s", (int)length, at);
            at += length + (at[length] != '\0');
        }
    }
    for (size_t c = 5; c < 5 + n_columns; c++)
        for (size_t i = 0; i < n; i++) {
            unsigned users = 0;
            if (!field[i][c][0]) continue;
            for (size_t j = 0; j < n; j++) {
                bool first = strcmp(field[j][c], field[i][c]) == 0;
                for (size_t k = 0; k < j && first; k++)
                    first = strcmp(field[k][c], field[i][c]) != 0 ||
                            strcmp(field[k][0], field[j][0]) != 0;
                users += first;
            }
            if (users < t) return false;
        }
    return true;
}

/* A kept value of some line becomes that of another one, or empty; or a line gets another's user.
 */
static void line_change(char (*line)[LINE], size_t n, size_t n_columns, uint64_t *seed)
{
    char *to = line[o_below(seed, n)], new[LINE];
    const char *from = line[o_below(seed, n)];
    size_t c = o_below(seed, n_columns + 1) + 4, i = c == 4 ? 0 : c, empty = o_below(seed, 3) == 0;
    const char *to_field = to, *from_field = from;
    for (size_t k = 0; k < i; k++) {
        to_field = strchr(to_field, '\t') + 1;
        from_field = strchr(from_field, '\t') + 1;
    }
    snprintf(new, LINE, "%.*s%.*s%s", (int)(to_field - to), to,
             empty && i > 0 ? 0 : (int)strcspn(from_field, "\t"), from_field,
             to_field + strcspn(to_field, "\t"));
    snprintf(to, LINE, "%s", new);
}

static void checker_agrees(const trial *x, char (*line)[LINE], size_t n, lethe_ctx *ctx,
                           uint64_t seed, size_t *held, size_t *broken)
{
    static const char *const names[] = {"one", "two", "three"};
    char path[64], claim_text[256], text[(ROWS_MAX + 2) * LINE];
    int dirfd = o_folder(path);
    size_t at = 0;
    unsigned t = 1 + (unsigned)o_below(&seed, 4);
    for (size_t k = o_below(&seed, 4); k > 0; k--)
        line_change(line, n, x->n_columns, &seed);
    at += (size_t)sprintf(text, "AnonID\tQuery\tQueryTime\tItemRank\tClickURL");
    for (size_t c = 0; c < x->n_columns; c++)
        at += (size_t)sprintf(text + at, "\t%s", names[c]);
    at += (size_t)sprintf(text + at, "\n");
    for (size_t i = 0; i < n; i++)
        at += (size_t)sprintf(text + at, "%s\n", line[i]);
    o_write_published(dirfd, text, at);
    snprintf(claim_text, sizeof claim_text,
             "{\"notion\":\"value-threshold\",\"columns\":[\"one\"%s%s],\"t\":%u}",
             x->n_columns > 1 ? ",\"two\"" : "", x->n_columns > 2 ? ",\"three\"" : "", t);
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    bool holds = false, wanted = lines_hold(line, n, x->n_columns, t);
    assert_int_equal(lethe_notion_value_threshold.check(&p, claim, doc, &holds, &why), LETHE_OK);
    if (holds != wanted) fail_msg("the checker says %d\n%s", holds, text);
    *(holds ? held : broken) += 1;
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    o_folder_gone(dirfd, path);
}

/* --- both --- */

static void values_are_those_of_the_definition(void **state)
{
    (void)state;
    static char wanted[ROWS_MAX][LINE], got[ROWS_MAX][LINE];
    size_t published = 0, refused = 0, held = 0, broken = 0;
    ground g;
    g_begin(&g);
    for (uint64_t s = 1; s <= seeds(2000); s++) {
        static trial x;
        uint64_t seed = s * 1000003;
        trial_make(&x, &seed);
        log_write(&g, &x);
        steps chain = {.n = 0};
        steps_make(&x, &chain);
        const char *input = g.log;
        lethe_release_job job = g_job(&g, &chain, &input);
        const lethe_keep keep = {3, {LETHE_LIT("one"), LETHE_LIT("two"), LETHE_LIT("three")}};
        job.publishing.keep = keep;
        job.publishing.keep.n = x.n_columns;
        job.publishing.keep_min = x.min;
        lethe_ctx *ctx = g_ctx(&g, s % 3 ? (unsigned)(s % 3) : 7);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        size_t n = expected(&x, wanted);
        lethe_err e = lethe_release_make(ctx, &job, doc, &report);
        if (e != (n > 0 ? LETHE_OK : LETHE_ANSWER_NO))
            fail_msg("seed %llu: %d\n%s", (unsigned long long)s, (int)e, g.said);
        if (e == LETHE_OK) {
            size_t m = lines_read(&g, !x.split, got);
            bool same = n == m;
            for (size_t i = 0; i < n && same; i++)
                same = strcmp(wanted[i], got[i]) == 0;
            if (!same) fail_msg("seed %llu: other lines", (unsigned long long)s);
            if (lethe_release_verify(ctx, g.out, NULL, doc, &report) != LETHE_OK)
                fail_msg("seed %llu: %s", (unsigned long long)s, g.said);
            m = lines_read(&g, true, got);
            checker_agrees(&x, got, m, ctx, seed, &held, &broken);
        }
        *(e == LETHE_OK ? &published : &refused) += 1;
        g.said[0] = '\0';
        g_remove(g.out);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    g_end(&g);
    assert_true(published > seeds(2000) / 2);
    assert_true(refused > 0 && held > seeds(2000) / 20 && broken > seeds(2000) / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
