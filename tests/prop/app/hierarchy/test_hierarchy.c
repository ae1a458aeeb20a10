/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies made for random columns whose values are known as numbers, dates, codes or
 * categories: every row of the file is what the value's meaning says, by an oracle that does not
 * look at the values' text, and the file is a hierarchy in which every value of the table stands.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "release/commands.h"
#include "log_oracle.h"
#include "model/table/table.h"
#include "seeds.h"
#include "table_text.h"

#define CASES seeds(600)
enum { VALUES = 30, TEXT = 64, LABELS = 12 };

static uint64_t seed_at_hand;
static char dir[64], table[128], list[128], made[128];

static int begin(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/lethe-hierarchy-XXXXXX");
    if (!mkdtemp(dir)) return -1;
    snprintf(table, sizeof table, "%s/t.csv", dir);
    snprintf(list, sizeof list, "%s/groups.tsv", dir);
    snprintf(made, sizeof made, "%s/h.csv", dir);
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (seed_at_hand) print_message("the seed was %" PRIu64 "\n", seed_at_hand);
    unlink(table);
    unlink(list);
    unlink(made);
    return rmdir(dir);
}

/* --- columns --- */

typedef struct value {
    char text[TEXT];
    int64_t tenths;              /* of a number */
    unsigned year, month, day;   /* of a date */
    char group[TEXT], top[TEXT]; /* of a category; empty: none */
} value;

typedef struct column {
    lethe_hierarchy_kind kind;
    size_t n;
    value at[VALUES];
    bool decimals, commas, missing;
    uint64_t widths[3]; /* tenths */
    size_t n_widths;
    size_t length, prefixes[3], n_prefixes; /* of codes */
} column;

static void put_value(column *c, const value *v)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->at[i].text, v->text) == 0) return;
    c->at[c->n++] = *v;
}

static void random_number(uint64_t *s, column *c, value *v)
{
    int64_t span = c->length ? 100000 : 900;
    v->tenths = (int64_t)o_below(s, (size_t)span) - (o_below(s, 2) ? span / 3 : 0);
    if (!c->decimals) v->tenths *= 10;
    int64_t absolute = v->tenths < 0 ? -v->tenths : v->tenths;
    int n = snprintf(v->text, TEXT, "%s%" PRId64, v->tenths < 0 ? "-" : "", absolute / 10);
    if (c->decimals && (absolute % 10 || o_below(s, 2)))
        snprintf(v->text + n, (size_t)(TEXT - n), "%c%" PRId64, c->commas ? ',' : '.',
                 absolute % 10);
}

static void random_date(uint64_t *s, value *v)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    v->year = 1980 + (unsigned)o_below(s, 40);
    v->month = 1 + (unsigned)o_below(s, 12);
    v->day = 1 + (unsigned)o_below(s, days[v->month - 1]);
}

static void date_text(value *v, size_t form)
{
    const char *const forms[] = {"%1$04u-%2$02u-%3$02u", "%1$04u/%2$u/%3$u", "%3$u.%2$u.%1$04u",
                                 "%3$u/%2$u/%1$04u", "%2$u/%3$u/%1$04u"};
    snprintf(v->text, TEXT, forms[form], v->year, v->month, v->day);
}

static void random_code(uint64_t *s, column *c, value *v)
{
    static const char fine[] = "0123456789012345678901234567890ABCxyz";
    for (size_t i = 0; i < c->length; i++)
        v->text[i] = fine[o_below(s, i == 1 ? 10 : c->decimals ? sizeof fine - 1 : 10)];
    if (o_below(s, 3) == 0) v->text[0] = '0'; // what tells codes from numbers
    v->text[c->length] = '\0';
}

static void random_category(uint64_t *s, value *v)
{
    static const char *const odd[] = {"", ";", "\"", " ", "=", "*", "\xC3\xA9"};
    snprintf(v->text, TEXT, "v-%zu%sx", o_below(s, 20), odd[o_below(s, LETHE_COUNT(odd))]);
    size_t group = o_below(s, 6);
    if (group < 5) snprintf(v->group, TEXT, "g%zu%s", group, group == 1 ? ";" : "");
    if (group < 3) snprintf(v->top, TEXT, "top%zu", group % 2);
}

static void random_settings(uint64_t *s, column *c)
{
    static const uint64_t widths[][3] = {{50, 100, 200}, {20, 40, 400}, {10, 50, 100}, {5, 10, 30}};
    size_t which = o_below(s, c->decimals ? 4 : 3);
    c->n_widths = o_below(s, 4); // 0: chosen by the spread
    memcpy(c->widths, widths[which], sizeof c->widths);
    for (size_t left = c->length; c->n_prefixes < 3 && left > 1 && o_below(s, 5); c->n_prefixes++)
        c->prefixes[c->n_prefixes] = left = 1 + o_below(s, left - 1);
}

static void random_column(uint64_t *s, column *c)
{
    size_t n = 1 + o_below(s, VALUES), form = o_below(s, 5);
    memset(c, 0, sizeof *c);
    c->kind = (lethe_hierarchy_kind)o_below(s, 5);
    c->decimals = o_below(s, 2);
    c->commas = o_below(s, 2);
    c->missing = o_below(s, 3) == 0;
    c->length = c->kind == LETHE_HIERARCHY_NUMBERS ? o_below(s, 2) : 3 + o_below(s, 5);
    random_settings(s, c);
    for (size_t i = 0; i < n; i++) {
        value v = {0};
        if (c->kind == LETHE_HIERARCHY_NUMBERS) random_number(s, c, &v);
        if (c->kind == LETHE_HIERARCHY_DATES) random_date(s, &v);
        if (c->kind == LETHE_HIERARCHY_DATES && i == 0) v.month = 1, v.day = 31; // a day for sure
        if (c->kind == LETHE_HIERARCHY_DATES) date_text(&v, form);
        if (c->kind == LETHE_HIERARCHY_CODES) random_code(s, c, &v);
        if (c->kind == LETHE_HIERARCHY_CODES && i == 0) v.text[0] = '0';
        if (c->kind >= LETHE_HIERARCHY_GROUPS) random_category(s, &v);
        put_value(c, &v);
    }
}

static void quoted(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++)
        fprintf(f, "%s%c", *s == '"' ? "\"" : "", *s);
    fputc('"', f);
}

static void write_files(uint64_t *s, const column *c)
{
    FILE *f = fopen(table, "w"), *g = fopen(list, "w");
    assert_true(f && g);
    fprintf(f, "other,the column\n");
    for (size_t i = 0; i < c->n; i++)
        for (size_t copies = 1 + o_below(s, 2); copies > 0; copies--) {
            fprintf(f, "%zu,", i);
            quoted(f, c->at[i].text);
            fputc('\n', f);
        }
    if (c->missing) fprintf(f, "x,%s\n", o_below(s, 2) ? "?" : "");
    fprintf(g, "never seen\tg0\n");
    for (size_t i = 0; i < c->n; i++) {
        const value *v = &c->at[i];
        if (v->group[0]) fprintf(g, "%s\t%s", v->text, v->group);
        if (v->group[0]) fprintf(g, v->top[0] && o_below(s, 3) ? "\t%s\n" : "\n", v->top);
    }
    // what a group is in, stands in one line at least
    fprintf(g, "seldom\tg0\ttop0\nrare\tg1;\ttop1\nodd\tg2\ttop0\n");
    assert_true(fclose(f) == 0 && fclose(g) == 0);
}

/* --- the file --- */

/* The labels of a row, quotes taken off. */
static size_t split_row(char *line, char label[LABELS][TEXT])
{
    size_t n = 0, at = 0;
    bool in = false;
    for (char *p = line;; p++) {
        if (in && p[0] == '"' && p[1] == '"') {
            label[n][at++] = *p++;
        } else if (*p == '"') {
            in = !in;
        } else if ((*p == ';' && !in) || *p == '\n' || !*p) {
            label[n++][at] = '\0';
            at = 0;
            assert_true(n < LABELS);
            if (*p != ';') return n;
        } else {
            label[n][at++] = *p;
        }
    }
}

/* "20-24" or "[2,2.5)" as tenths; `last` is where the next begins. */
static void range_read(const char *label, bool whole, int64_t *first, int64_t *last)
{
    double a, b;
    char close;
    if (sscanf(label, "[%lf,%lf%c", &a, &b, &close) == 3) {
        assert_true(!whole && close == ')');
    } else {
        assert_true(whole && sscanf(label, "%lf-%lf", &a, &b) == 2);
        b += 1;
    }
    *first = (int64_t)(a * 10 + (a < 0 ? -0.5 : 0.5));
    *last = (int64_t)(b * 10 + (b < 0 ? -0.5 : 0.5));
}

static void check_number(const column *c, const value *v, char label[LABELS][TEXT], size_t n)
{
    int64_t first, last, inner_first = v->tenths, inner_last = v->tenths + 1;
    bool whole = true;
    for (size_t i = 0; i < c->n; i++)
        whole = whole && c->at[i].tenths % 10 == 0;
    for (size_t k = 0; k < c->n_widths; k++)
        whole = whole && c->widths[k] % 10 == 0;
    for (size_t k = 1; k + 1 < n; k++) {
        uint64_t width = c->n_widths ? c->widths[k - 1] : 0;
        if (whole && width == 10) { // the number itself
            assert_int_equal(strtoll(label[k], NULL, 10) * 10, v->tenths);
            continue;
        }
        range_read(label[k], whole, &first, &last);
        assert_true(first <= inner_first && inner_last <= last);
        assert_true(last - first > (k > 1 ? inner_last - inner_first : 0));
        assert_int_equal(first % (last - first), 0);
        if (width) assert_int_equal(last - first, width);
        inner_first = first, inner_last = last;
    }
    if (c->n_widths) assert_int_equal(n, c->n_widths + 2);
}

static void check_date(const value *v, char label[LABELS][TEXT], size_t n)
{
    char want[TEXT];
    assert_int_equal(n, 5);
    snprintf(want, TEXT, "%04u-%02u", v->year, v->month);
    assert_string_equal(label[1], want);
    snprintf(want, TEXT, "%04u", v->year);
    assert_string_equal(label[2], want);
    snprintf(want, TEXT, "%u-%u", v->year - v->year % 10, v->year - v->year % 10 + 9);
    assert_string_equal(label[3], want);
}

static void check_code(const column *c, const value *v, char label[LABELS][TEXT], size_t n)
{
    assert_int_equal(n, (c->n_prefixes ? c->n_prefixes : c->length - 1) + 2);
    for (size_t k = 1; k + 1 < n; k++) {
        size_t keep = c->n_prefixes ? c->prefixes[k - 1] : c->length - k;
        assert_int_equal(strlen(label[k]), c->length);
        for (size_t i = 0; i < c->length; i++)
            assert_int_equal(label[k][i], i < keep ? v->text[i] : '*');
    }
}

/* Two groups above each other at most; a group without one above stands on both levels. */
static void check_group(const value *v, char label[LABELS][TEXT], size_t n)
{
    assert_int_equal(n, 4);
    assert_string_equal(label[1], v->group[0] ? v->group : "*");
    assert_string_equal(label[2], v->top[0] ? v->top : v->group[0] ? v->group : "*");
}

static void check_row(const column *c, const value *v, char label[LABELS][TEXT], size_t n)
{
    assert_string_equal(label[n - 1], "*");
    if (c->kind == LETHE_HIERARCHY_NUMBERS) check_number(c, v, label, n);
    if (c->kind == LETHE_HIERARCHY_DATES) check_date(v, label, n);
    if (c->kind == LETHE_HIERARCHY_CODES) check_code(c, v, label, n);
    if (c->kind == LETHE_HIERARCHY_GROUPS) check_group(v, label, n);
    if (c->kind == LETHE_HIERARCHY_FLAT) assert_int_equal(n, 2);
}

static void check_rows(const column *c)
{
    char line[1024], label[LABELS][TEXT];
    size_t n_seen = 0, n_first = 0, n_missing = 0;
    FILE *f = fopen(made, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        size_t i = 0, n = split_row(line, label);
        if (n_first == 0) n_first = n;
        assert_int_equal(n, n_first);
        while (i < c->n && strcmp(c->at[i].text, label[0]) != 0)
            i++;
        if (i < c->n) {
            check_row(c, &c->at[i], label, n);
            n_seen++;
        } else if (strcmp(label[0], "?") == 0) {
            for (size_t k = 1; k < n; k++)
                assert_string_equal(label[k], "*");
            n_missing++;
        } else {
            assert_int_equal(c->kind, LETHE_HIERARCHY_GROUPS); // what only the list has
        }
    }
    fclose(f);
    assert_int_equal(n_seen, c->n);
    assert_int_equal(n_missing, c->missing);
}

/* As --hierarchies reads it, for the table it was made from: no row is rejected. */
static void check_tree(lethe_ctx *ctx, const column *c)
{
    lethe_tree *tree = NULL;
    lethe_table *t = NULL;
    const char *paths[] = {table};
    assert_int_equal(lethe_tree_read(ctx, made, LETHE_NAMES_RAW, &tree), LETHE_OK);
    const lethe_tree *of[] = {tree};
    lethe_table_read_options how = {
        .roles = {.qi = "the column"}, .strict = true, .hierarchy = of, .delimiter = ','};
    assert_int_equal(lethe_table_read(ctx, paths, 1, &how, &t), LETHE_OK);
    assert_true(t->n >= c->n && t->counts.rejected == 0);
    assert_null(table_fault(t));
    lethe_table_free(t);
    lethe_tree_free(tree);
}

static char *list_text(char *out, const uint64_t *tenths, const size_t *whole, size_t n)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        uint64_t x = tenths ? tenths[i] : 10 * whole[i];
        at += (size_t)sprintf(out + at, "%s%" PRIu64, i ? "," : "", x / 10);
        if (x % 10) at += (size_t)sprintf(out + at, ".%" PRIu64, x % 10);
    }
    return out;
}

/* May the kind be found from the values alone? */
static bool is_plain(const column *c)
{
    return c->kind != LETHE_HIERARCHY_GROUPS && c->kind != LETHE_HIERARCHY_NUMBERS;
}

static void check_column(lethe_ctx *ctx, outcome *o, uint64_t seed)
{
    static column c;
    uint64_t s = seed;
    char widths[128], prefixes[128];
    const char *paths[] = {table};
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    random_column(&s, &c);
    write_files(&s, &c);
    lethe_hierarchy_options h = {.inputs = paths,
                                 .n_inputs = 1,
                                 .column = "the column",
                                 .has_kind = !is_plain(&c) || o_below(&s, 2),
                                 .kind = c.kind,
                                 .out = made,
                                 .force = true};
    if (c.kind == LETHE_HIERARCHY_NUMBERS && c.n_widths)
        h.widths = list_text(widths, c.widths, NULL, c.n_widths);
    else
        c.n_widths = 0;
    if (c.kind == LETHE_HIERARCHY_CODES && c.n_prefixes)
        h.prefixes = list_text(prefixes, NULL, c.prefixes, c.n_prefixes);
    if (c.kind == LETHE_HIERARCHY_GROUPS) h.groups = list;
    o->messages.n = 0;
    lethe_err e = lethe_hierarchy_write(ctx, &h, doc, &report);
    if (e != LETHE_OK) fail_msg("seed %" PRIu64 ": %s", seed, o->messages.at);
    seed_at_hand = seed;
    check_rows(&c);
    check_tree(ctx, &c);
    lethe_json_doc_free(doc);
}

static void every_value_stands_where_its_meaning_says(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    for (uint64_t seed = 1, n = CASES; seed <= n; seed++)
        check_column(ctx, &o, seed);
    seed_at_hand = 0; // none failed
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

/* --- what is refused, and lack of memory --- */

static void table_put(const char *rows)
{
    FILE *f = fopen(table, "w");
    assert_true(f && fprintf(f, "a;b\n%s", rows) > 0 && fclose(f) == 0);
}

static void what_does_not_fit_is_named(void **state)
{
    static const struct {
        const char *rows, *widths, *prefixes, *said;
        int kind; /* -1: to be found */
        lethe_err err;
    } bad[] = {
        {"1;x\ntwo;x\n", NULL, NULL, "column 'a', row 2: 'two' is not a number", 0, LETHE_EINPUT},
        {"3,5;x\n3.5;x\n", NULL, NULL, "row 2: '3.5' mixes decimal points", -1, LETHE_EINPUT},
        {"3.5;x\n1.234,5;x\n", NULL, NULL, "row 2: '1.234,5' mixes decimal", -1, LETHE_EINPUT},
        {"7;x\n1,234;x\n", NULL, NULL, "row 2: '1,234' has a comma that may stand before", -1,
         LETHE_EINPUT},
        {"2006-02-30;x\n", NULL, NULL, "'2006-02-30' is not a date", 1, LETHE_EINPUT},
        {"3/4/2006;x\n", NULL, NULL, "'3/4/2006' may begin with the day or with the month", 1,
         LETHE_EINPUT},
        {"12345;x\n123;x\n", NULL, NULL, "'123' has 3 characters, and the value of row 1 has 5", 2,
         LETHE_EINPUT},
        {"1*3;x\n", NULL, NULL, "'1*3' is not a code", 2, LETHE_EINPUT},
        {"1;x\n", "5,7", NULL, "a width that is not a multiple", -1, LETHE_EUSAGE},
        {"1;x\n", "0", NULL, "is not a list of numbers above 0", -1, LETHE_EUSAGE},
        {"1;x\n", "5,,10", NULL, "is not a list of numbers above 0", -1, LETHE_EUSAGE},
        {"123;x\n", NULL, "3", "falling lengths below that of the codes, which have 3", -1,
         LETHE_EUSAGE},
        {"123;x\n", NULL, "1,2", "falling lengths", -1, LETHE_EUSAGE},
        {"123;x\n", "5", "1", "--prefixes is for another kind", -1, LETHE_EUSAGE},
        {"123;x\n", "5", NULL, "--widths is for another kind", 4, LETHE_EUSAGE},
        {"123;x\n", NULL, NULL, "--kind groups needs --groups", 3, LETHE_EUSAGE},
        {";x\n?;x\n", NULL, NULL, "column 'a' has no values: all are missing", -1, LETHE_EINPUT},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        const char *paths[] = {table};
        lethe_json *report = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        table_put(bad[i].rows);
        lethe_hierarchy_options h = {.inputs = paths,
                                     .n_inputs = 1,
                                     .column = "a",
                                     .has_kind = bad[i].kind >= 0,
                                     .kind = (lethe_hierarchy_kind)LETHE_MAX(bad[i].kind, 0),
                                     .widths = bad[i].widths,
                                     .prefixes = bad[i].prefixes,
                                     .out = made,
                                     .force = true};
        unlink(made);
        lethe_err e = lethe_hierarchy_write(ctx, &h, doc, &report);
        if (e != bad[i].err || !strstr(o.messages.at, bad[i].said))
            fail_msg("case %zu: %d, %s", i, e, o.messages.at);
        assert_int_not_equal(access(made, F_OK), 0);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    column c;
    for (int kind = 0; kind < 5; kind++) {
        bool done = false;
        uint64_t s = 1;
        do
            random_column(&s, &c);
        while (c.kind != (lethe_hierarchy_kind)kind || c.n < 3);
        write_files(&s, &c);
        for (uint64_t n = 1; !done; n++) {
            outcome o;
            lethe_ctx *ctx = records_ctx(&o, 1, 0);
            const char *paths[] = {table};
            lethe_json *report = NULL;
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_hierarchy_options h = {.inputs = paths,
                                         .n_inputs = 1,
                                         .column = "the column",
                                         .has_kind = true,
                                         .kind = (lethe_hierarchy_kind)kind,
                                         .groups = kind == 3 ? list : NULL,
                                         .out = made,
                                         .force = true};
            unlink(made);
            lethe_alloc_fail_at(n);
            lethe_err e = lethe_hierarchy_write(ctx, &h, doc, &report);
            lethe_alloc_fail_at(0);
            done = e == LETHE_OK;
            if (!done) assert_int_equal(e, LETHE_ENOMEM);
            if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
            assert_int_equal(access(made, F_OK) == 0, done);
            lethe_json_doc_free(doc);
            lethe_ctx_free(ctx);
            outcome_end(&o);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_stands_where_its_meaning_says),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
