/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over random columns: as single texts, and as the bytes of releases have them, in any
 * form of Arrow and cut into any pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "batch_harness.h"
#include "core/sort.h"
#include "release_harness.h"
#include "seeds.h"
#include "text/normalize.h"

enum { ROWS_MAX = 40, REQUEST = 4096 };

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

static lethe_ctx *quiet_ctx(ground *g)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {
        .size = sizeof s, .n_threads = 2, .spill_dir = g->dir, .on_message = g_hear, .user = g};
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

static void key_write(const ground *g, uint64_t *seed)
{
    char bytes[32];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)draw(seed, 256);
    int fd = open(g->key, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, bytes, sizeof bytes) == sizeof bytes);
    close(fd);
}

/* Single quotes stand for double ones, % for the folder. */
static const char *json_of(const ground *g, const char *form)
{
    static char text[REQUEST];
    size_t n = 0;
    for (const char *s = form; *s; s++) {
        if (*s == '%')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", g->dir);
        else
            text[n++] = *s == '\'' ? '"' : *s;
        assert_true(n + 1 < sizeof text);
    }
    text[n] = '\0';
    return text;
}

static lethe_batch_fn *fn_of(lethe_ctx *ctx, const ground *g, const char *form)
{
    lethe_batch_fn *fn = NULL;
    if (lethe_batch_new(ctx, json_of(g, form), &fn) != LETHE_OK) fail_msg("%s: %s", form, g->said);
    return fn;
}

/* A release of the rows as a stream; false: there is none, as of what cannot be published. */
static bool release(lethe_ctx *ctx, ground *g, const arrow_node *rows, const char *form)
{
    arrow_feed feed = {.batches = &rows, .n_batches = 1};
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    g->said[0] = '\0';
    lethe_err e = lethe_call(ctx, json_of(g, form), ins, 1, NULL, 0, NULL);
    assert_int_equal(feed.made, feed.released);
    if (e != LETHE_OK && e != LETHE_ANSWER_NO && e != LETHE_EINPUT)
        fail_msg("%s: %d %s", form, (int)e, g->said);
    return e == LETHE_OK;
}

static char *file_of(const ground *g, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/release/%s", g->dir, name);
    return g_read(path);
}

/* The lines of a text behind the first `skip`, sorted; views. */
static size_t lines_of(char *text, size_t skip, lethe_str *out, size_t max)
{
    size_t n = 0;
    for (char *at = text; *at; skip -= skip > 0) {
        size_t length = strcspn(at, "\n");
        if (skip == 0) {
            assert_true(n < max);
            out[n++] = (lethe_str){at, length};
        }
        at += length + (at[length] == '\n');
    }
    if (n > 0) qsort(out, n, sizeof *out, lethe_strs_cmp);
    return n;
}

static void lines_equal(const lethe_str *got, size_t n_got, const lethe_str *want, size_t n_want,
                        uint64_t seed)
{
    for (size_t i = 0; i < n_got || i < n_want; i++) {
        lethe_str x = i < n_got ? got[i] : LETHE_LIT("(none)"),
                  y = i < n_want ? want[i] : LETHE_LIT("(none)");
        if (!lethe_str_eq(x, y))
            fail_msg("seed %llu, line %zu: %.*s, not %.*s", (unsigned long long)seed, i, (int)x.n,
                     x.at, (int)y.n, y.at);
    }
}

/* --- any pieces --- */

static void same_values(const struct ArrowArray *whole, int64_t from, const struct ArrowArray *part)
{
    assert_int_equal(whole->n_children, part->n_children);
    for (int64_t c = 0; c < part->n_children && part->n_buffers == 1; c++)
        same_values(whole->children[c], from, part->children[c]);
    if (part->n_buffers != 3) return;
    for (int64_t i = 0; i < part->length; i++)
        assert_true(bh_same(bh_value(whole, from + i), bh_value(part, i)));
}

/* What the function makes of pieces is what it makes of the whole. */
static void pieces_check(lethe_batch_fn *fn, const arrow_node *node, const bh_result *whole,
                         uint64_t *seed)
{
    for (int64_t from = 0; from < node->length;) {
        bh_result part;
        int64_t n = 1 + (int64_t)draw(seed, (uint64_t)(node->length - from));
        assert_int_equal(bh_apply(fn, node, from, n, &part), LETHE_OK);
        assert_int_equal(part.array.length, n);
        same_values(&whole->array, from, &part.array);
        bh_release(&part);
        from += n;
    }
}

/* --- random cells --- */

static const char *const odd[] = {
    "",
    " ",
    "Caf\xc3\xa9  Au",
    "a\xff\xfe",
    "joe@aol.com 212-555-0187",
    " both  ",
    "x\ty",
    "l\nf",
    "c\rr",
    "\"quoted\", with comma",
    "[email]",
    "[phone] ",
    ("\xef\xbb\xbf"
     "bom"),
    "http://www.CDC.gov/lyme",
    "http://abcdefghijklmnop/x",
    "abcdefghijklmnop",
    "user:pw@host.com/x",
    "1.2.3.4",
    "=1+1",
    "\xe2\x80\x8b",
    "-",
    "NULL",
    "a longer text than views hold in themselves: buses and timetables"};

static lethe_str cell(uint64_t *seed, const char *const *usual, size_t n_usual)
{
    if (draw(seed, 12) == 0) return (lethe_str){NULL, 0};
    const char *s =
        draw(seed, 4) == 0 ? odd[draw(seed, LETHE_COUNT(odd))] : usual[draw(seed, n_usual)];
    return lethe_str_of(s);
}

static const char *const users[] = {"u1", "u2", " u3", "u4 ", "Jos\xc3\xa9", "6"};
static const char *const queries[] = {"lyme disease", "Lyme  Disease", "weather", "cat food",
                                      "my name is john"};
static const char *const urls[] = {"http://a.com/x", "https://B.org:80/", "http://a.com/y",
                                   "news.example.co.uk/p"};
static const char *const times[] = {"2006-03-01 10:00:00", "2006-03-09", "2006-05-09T11:12:13Z",
                                    "1146000000"};
static const char *const ranks[] = {"1", "2", "17", "0"};

/* Most cells of a log are such that their row is read: where a tenth is not, there is no release.
 */
static lethe_str log_cell(uint64_t *seed, const char *const *usual, size_t n_usual, bool may_lack)
{
    for (;;) {
        lethe_str c = cell(seed, usual, n_usual);
        bool good = may_lack || strspn(c.at ? c.at : "", " ") < c.n;
        for (size_t i = 0; i < c.n; i++)
            good = good && c.at[i] != '\t' && c.at[i] != '\n' && c.at[i] != '\r';
        if (good || draw(seed, 8) == 0) return c;
    }
}

/* --- single texts --- */

typedef lethe_err (*text_fn)(lethe_texts *t, lethe_str in, lethe_str *out);

static void columns_are_single_texts(void **state)
{
    static const struct {
        const char *request;
        text_fn fn;
    } functions[] = {{"{'function':'normal'}", lethe_texts_normal},
                     {"{'function':'scrub'}", lethe_texts_scrub},
                     {"{'function':'words-key'}", lethe_texts_words_key},
                     {"{'function':'host'}", lethe_texts_host}};
    ground g;
    (void)state;
    g_begin(&g);
    lethe_ctx *ctx = quiet_ctx(&g);
    lethe_texts *t;
    assert_int_equal(lethe_texts_new(ctx, NULL, NULL, &t), LETHE_OK);
    for (size_t f = 0; f < LETHE_COUNT(functions); f++) {
        lethe_batch_fn *fn = NULL;
        lethe_err made = lethe_batch_new(ctx, json_of(&g, functions[f].request), &fn);
        if (made == LETHE_EIO && f == 2) continue; // WordNet is not installed
        assert_int_equal(made, LETHE_OK);
        for (uint64_t seed = 1; seed <= seeds(400); seed++) {
            uint64_t s = seed;
            bh_heap h = {0};
            bh_result r;
            lethe_str value[ROWS_MAX], want;
            size_t n = draw(&s, ROWS_MAX + 1);
            for (size_t i = 0; i < n; i++)
                value[i] = draw(&s, 2) ? cell(&s, queries, LETHE_COUNT(queries))
                                       : cell(&s, urls, LETHE_COUNT(urls));
            bh_form form = (bh_form)draw(&s, BH_FORMS);
            for (size_t i = 0; i < n && form == BH_BINARY; i++) // must be valid there
                if (value[i].at && !lethe_utf8_valid(value[i])) value[i] = LETHE_LIT("valid");
            const arrow_node *node = bh_column(&h, "q", value, n, form, draw(&s, 5));
            assert_int_equal(bh_apply_all(fn, node, &r), LETHE_OK);
            assert_string_equal(r.schema.format, "u");
            assert_string_equal(r.schema.name, "q");
            assert_int_equal(r.array.length, n);
            for (size_t i = 0; i < n; i++) {
                if (value[i].at) assert_int_equal(functions[f].fn(t, value[i], &want), LETHE_OK);
                lethe_str got = bh_value(&r.array, (int64_t)i);
                if (!value[i].at ? got.at != NULL : !got.at || !lethe_str_eq(got, want))
                    fail_msg("seed %llu: %s, '%.*s' became '%.*s'", (unsigned long long)seed,
                             functions[f].request, (int)value[i].n, value[i].at, (int)got.n,
                             got.at);
            }
            pieces_check(fn, node, &r, &s);
            bh_release(&r);
            bh_free(&h);
        }
        lethe_batch_free(fn);
    }
    lethe_texts_free(t);
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* --- rows of a log --- */

typedef struct log_rows {
    bh_heap heap;
    size_t n;
    lethe_str cell[5][ROWS_MAX];
    const arrow_node *rows, *column[5];
} log_rows;

static void log_make(uint64_t *seed, log_rows *l, size_t n_columns)
{
    static const char *const names[] = {"AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"};
    *l = (log_rows){.n = 1 + draw(seed, ROWS_MAX)};
    for (size_t i = 0; i < l->n; i++) {
        l->cell[0][i] = log_cell(seed, users, LETHE_COUNT(users), false);
        l->cell[1][i] = log_cell(seed, queries, LETHE_COUNT(queries), true);
        l->cell[2][i] = lethe_str_of(times[draw(seed, LETHE_COUNT(times))]);
        l->cell[3][i] = lethe_str_of(ranks[draw(seed, LETHE_COUNT(ranks))]);
        l->cell[4][i] = log_cell(seed, urls, LETHE_COUNT(urls), true);
        if (draw(seed, 10) == 0) l->cell[2][i] = (lethe_str){NULL, 0};
        if (draw(seed, 99) == 0) l->cell[2][i] = LETHE_LIT("yesterday");
        if (draw(seed, 99) == 0) l->cell[3][i] = LETHE_LIT("first");
    }
    for (size_t c = 0; c < 5; c++) {
        bh_form form = (bh_form)draw(seed, BH_FORMS);
        if (form == BH_BINARY) form = BH_LARGE;
        l->column[c] = bh_column(&l->heap, names[c], l->cell[c], l->n, form, draw(seed, 4));
    }
    l->rows = bh_rows(&l->heap, l->column, n_columns, l->n);
}

/* More than a tenth of the rows rejected is no release, and no test either. */
static bool log_release(lethe_ctx *ctx, ground *g, const log_rows *l, const char *form)
{
    return release(ctx, g, l->rows, form);
}

static void pseudonyms_are_those_of_a_release(void **state)
{
    ground g;
    uint64_t n_compared = 0, n_ids = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(400); seed++) {
        uint64_t s = seed;
        log_rows l;
        g_begin(&g);
        key_write(&g, &s);
        lethe_ctx *ctx = quiet_ctx(&g);
        log_make(&s, &l, 5);
        if (!log_release(ctx, &g, &l,
                         "{'command':'release','inputs':[{'stream':0}],'steps':[{'method':"
                         "'threshold','options':{'t':2,'clicks':'all'}}],'publish':{'key-file':'%/"
                         "key','urls':"
                         "'id','time':'drop'},'output':{'path':'%/release'}}")) {
            lethe_ctx_free(ctx);
            g_end(&g);
            bh_free(&l.heap);
            continue;
        }
        static const char *const requests[] = {"{'function':'pseudonym','key-file':'%/key'}",
                                               "{'function':'normal'}",
                                               "{'function':'url-id','key-file':'%/key'}"};
        static const size_t of[] = {0, 1, 4};
        bh_result r[3];
        for (size_t k = 0; k < 3; k++) {
            lethe_batch_fn *fn = fn_of(ctx, &g, requests[k]);
            assert_int_equal(bh_apply_all(fn, l.column[of[k]], &r[k]), LETHE_OK);
            pieces_check(fn, l.column[of[k]], &r[k], &s);
            lethe_batch_free(fn);
        }
        // each published row is one of these, by user, text and URL
        char *text = file_of(&g, "data.tsv");
        lethe_str line[ROWS_MAX];
        bool used[ROWS_MAX] = {false};
        size_t n = lines_of(text, 1, line, ROWS_MAX);
        for (size_t i = 0; i < n; i++) {
            lethe_str f[5];
            const char *at = line[i].at;
            for (size_t c = 0; c < 5; c++) {
                const char *end = c < 4 ? strchr(at, '\t') : line[i].at + line[i].n;
                f[c] = (lethe_str){at, (size_t)(end - at)};
                at = end + 1;
            }
            size_t k = 0;
            for (; k < l.n; k++) {
                lethe_str url = bh_value(&r[2].array, (int64_t)k);
                if (!url.at) url = (lethe_str){"", 0};
                if (!used[k] && lethe_str_eq(bh_value(&r[0].array, (int64_t)k), f[0]) &&
                    lethe_str_eq(bh_value(&r[1].array, (int64_t)k), f[1]) &&
                    lethe_str_eq(url, f[4]))
                    break;
            }
            if (k == l.n)
                fail_msg("seed %llu: no row is published as '%.*s'", (unsigned long long)seed,
                         (int)line[i].n, line[i].at);
            used[k] = true;
            n_compared++;
            n_ids += f[4].n > 0;
        }
        free(text);
        for (size_t k = 0; k < 3; k++)
            bh_release(&r[k]);
        bh_free(&l.heap);
        lethe_ctx_free(ctx);
        g_end(&g);
    }
    assert_true(n_compared >= 2 * seeds(400) && n_ids >= seeds(400));
}

static void sealed_rows_are_those_of_a_release(void **state)
{
    static const char *const forms[][2] = {
        {"'options':{'t':2,'n':3}", "'time':'day'"},
        {"'options':{'t':3,'scheme':'additive','epoch':'7d'}", "'time':'exact'"},
        {"'options':{'t':2,'n':200,'keep-clicks':true}", "'time':'month','urls':'id'"},
        {"'options':{'keep-clicks':true}", "'time':'drop','urls':'host'"},
        {"'options':{'keep-clicks':true}", "'time':'hour','urls':'keep'"},
    };
    ground g;
    uint64_t n_compared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(400); seed++) {
        uint64_t s = seed;
        log_rows l;
        char form[REQUEST];
        size_t which = draw(&s, LETHE_COUNT(forms));
        g_begin(&g);
        key_write(&g, &s);
        lethe_ctx *ctx = quiet_ctx(&g);
        log_make(&s, &l, 5);
        snprintf(form, sizeof form,
                 "{'command':'release','inputs':[{'stream':0}],'steps':[{'method':'seal',%s}],"
                 "'publish':{'key-file':'%%/key',%s},'output':{'path':'%%/release'}}",
                 forms[which][0], forms[which][1]);
        bool made = log_release(ctx, &g, &l, form);
        if (made) {
            bh_result r;
            lethe_str got[ROWS_MAX], want[ROWS_MAX];
            size_t n_got = 0;
            snprintf(form, sizeof form, "{'function':'seal','key-file':'%%/key',%s,'publish':{%s}}",
                     forms[which][0], forms[which][1]);
            lethe_batch_fn *fn = fn_of(ctx, &g, form);
            assert_int_equal(bh_apply_all(fn, l.rows, &r), LETHE_OK);
            pieces_check(fn, l.rows, &r, &s);
            char *text = file_of(&g, "data.tsv"), *head = strchr(text, '\n') + 1;
            for (int64_t c = 0; c < r.schema.n_children; c++) { // names as in the file
                size_t n = strlen(r.schema.children[c]->name);
                assert_memory_equal(head, r.schema.children[c]->name, n);
                head += n + 1;
            }
            assert_true(head[-1] == '\n');
            for (int64_t i = 0; i < r.array.length; i++) {
                char *line = bh_get(&l.heap, 8192);
                size_t n = 0;
                if (!bh_value(r.array.children[0], i).at) continue; // the release has no such row
                for (int64_t c = 0; c < r.array.n_children; c++) {
                    lethe_str v = bh_value(r.array.children[c], i);
                    n += (size_t)snprintf(line + n, 8192 - n, "%s%.*s", c ? "\t" : "", (int)v.n,
                                          v.at ? v.at : "");
                }
                got[n_got++] = (lethe_str){line, n};
            }
            qsort(got, n_got, sizeof *got, lethe_strs_cmp);
            size_t n_want = lines_of(text, 2, want, ROWS_MAX);
            lines_equal(got, n_got, want, n_want, seed);
            n_compared += n_got;
            free(text);
            bh_release(&r);
            lethe_batch_free(fn);
        }
        bh_free(&l.heap);
        lethe_ctx_free(ctx);
        g_end(&g);
    }
    assert_true(n_compared >= seeds(400));
}

/* --- tables --- */

/* A hierarchy with a root `top` over groups of letters; some letters are deeper than others. */
static void hierarchy_write(const ground *g, uint64_t *seed)
{
    char path[400], text[512];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/h", g->dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/h/town.tsv", g->dir);
    for (char c = 'a'; c < 'k'; c++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%c\tg%d\n", c, (int)draw(seed, 3));
    for (int i = 0; i < 3; i++)
        if (strstr(text, (char[]){'g', (char)('0' + i), '\n', '\0'}))
            n += (size_t)snprintf(text + n, sizeof text - n, "g%d\ttop\n", i);
    g_write(path, text);
}

static const lethe_str *table_column(bh_heap *h, uint64_t *seed, int which, size_t n)
{
    lethe_str *v = bh_get(h, (n + 1) * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        char *text = bh_get(h, 16);
        switch (which) {
        case 0: // a town; at times a group of them
            snprintf(text, 16, "%s%c%s", draw(seed, 8) ? "" : " ", (char)('a' + draw(seed, 10)),
                     draw(seed, 8) ? "" : " ");
            if (draw(seed, 9) == 0) snprintf(text, 16, "g%d", (int)draw(seed, 2));
            break;
        case 1: // an age; one number has several forms
            snprintf(text, 16, draw(seed, 6) ? "%d" : "0%d", 20 + (int)draw(seed, 30));
            break;
        case 2:
            snprintf(text, 16, "%c", "MF*"[draw(seed, draw(seed, 5) ? 2 : 3)]);
            break;
        case 3:
            snprintf(text, 16, "%c", (char)('p' + draw(seed, 3)));
            break;
        default:
            snprintf(text, 16, "%zu", i);
        }
        v[i] = lethe_str_of(text);
        if (which < 3 && draw(seed, 20) == 0) v[i] = (lethe_str){NULL, 0};
    }
    return v;
}

static void cut_files_are_the_same(lethe_ctx *ctx, const ground *g, const lethe_cut *cut)
{
    char path[400], again[400];
    lethe_cut *read;
    snprintf(path, sizeof path, "%s/cut", g->dir);
    snprintf(again, sizeof again, "%s/again", g->dir);
    assert_int_equal(lethe_cut_write(ctx, cut, path, true), LETHE_OK);
    assert_int_equal(lethe_cut_read(ctx, path, &read), LETHE_OK);
    assert_int_equal(lethe_cut_write(ctx, read, again, true), LETHE_OK);
    char *x = g_read(path), *y = g_read(again);
    assert_string_equal(x, y);
    free(x);
    free(y);
    lethe_cut_free(read);
}

static void rows_by_the_cut_are_those_of_a_release(void **state)
{
    static const char *const methods[] = {"'lplus','options':{'k':2,'sa':'s',",
                                          "'incognito','options':{'distinct-l':2,'sa':'s',",
                                          "'anneal','options':{'k':3,'sa':'s','steps':200,",
                                          "'lplus','options':{'k':4,'suppress':'none','sa':'s',",
                                          "'lplus','options':{'k':2,'precaution':0.3,'sa':'s',"};
    uint64_t n_compared = 0, n_general = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(300); seed++) {
        static const char *const names[] = {"town", "age", "sex", "s", "id"};
        uint64_t s = seed;
        ground g;
        bh_heap h = {0};
        const arrow_node *columns[5];
        char form[REQUEST];
        size_t n = 4 + draw(&s, 3 * ROWS_MAX);
        g_begin(&g);
        lethe_ctx *ctx = quiet_ctx(&g);
        hierarchy_write(&g, &s);
        for (int c = 0; c < 5; c++)
            columns[c] = bh_column(&h, names[c], table_column(&h, &s, c, n), n,
                                   (bh_form)draw(&s, BH_FORMS), draw(&s, 3));
        const arrow_node *rows = bh_rows(&h, columns, 5, n);
        snprintf(form, sizeof form,
                 "{'command':'release','inputs':[{'stream':0}],'steps':[{'method':%s"
                 "'qi':'sex,town,age','keep':'id','ranges':'age=5,10','missing':'%s',"
                 "'hierarchies':'%%/h'}}],'publish':{'seed':%d},'output':{'path':'%%/release'}}",
                 methods[draw(&s, LETHE_COUNT(methods))], draw(&s, 2) ? "keep" : "drop", (int)seed);
        if (release(ctx, &g, rows, form)) {
            char folder[400], hierarchies[400];
            lethe_cut *cut = NULL;
            lethe_batch_fn *fn, *fn_read;
            bh_result r, r_read;
            lethe_str line[4 * ROWS_MAX];
            snprintf(folder, sizeof folder, "%s/release", g.dir);
            snprintf(hierarchies, sizeof hierarchies, "%s/h", g.dir);
            const lethe_cut_source source = {
                .size = sizeof source, .release = folder, .hierarchies = hierarchies};
            if (lethe_cut_of_release(ctx, &source, &cut) != LETHE_OK)
                fail_msg("seed %llu: %s", (unsigned long long)seed, g.said);
            cut_files_are_the_same(ctx, &g, cut);
            assert_int_equal(lethe_batch_of_cut(ctx, cut, &fn), LETHE_OK);
            assert_int_equal(bh_apply_all(fn, rows, &r), LETHE_OK);
            pieces_check(fn, rows, &r, &s);
            assert_int_equal(r.array.n_children, 3);
            // the file gives the same function
            fn_read = fn_of(ctx, &g, "{'function':'cut','cut':'%/cut'}");
            assert_int_equal(bh_apply_all(fn_read, rows, &r_read), LETHE_OK);
            same_values(&r.array, 0, &r_read.array);
            // a published row has the id of its own
            char *text = file_of(&g, "data.csv");
            size_t n_lines = lines_of(text, 1, line, LETHE_COUNT(line));
            for (size_t i = 0; i < n_lines; i++) {
                lethe_str f[5];
                const char *at = line[i].at;
                for (size_t c = 0; c < 5; c++) {
                    size_t length = strcspn(at, ",\n");
                    f[c] = (lethe_str){at, length};
                    at += length + 1;
                }
                int64_t row = strtol(f[4].at, NULL, 10);
                static const int64_t of[] = {1, 2, 0}; // town, age, sex in the cut
                for (size_t c = 0; c < 3; c++) {
                    lethe_str got = bh_value(r.array.children[of[c]], row);
                    if (lethe_str_eq(f[c], LETHE_LIT("=*")) && !got.at)
                        continue; // a value `*`, as lethe-cut(5) says
                    if (!lethe_str_eq(got, f[c]))
                        fail_msg("seed %llu, row %lld: '%.*s' in column %s, not '%.*s'",
                                 (unsigned long long)seed, (long long)row, (int)got.n, got.at,
                                 names[c], (int)f[c].n, f[c].at);
                    n_compared++;
                    n_general += f[c].n > 1;
                }
            }
            free(text);
            bh_release(&r);
            bh_release(&r_read);
            lethe_batch_free(fn);
            lethe_batch_free(fn_read);
            lethe_cut_free(cut);
        }
        bh_free(&h);
        lethe_ctx_free(ctx);
        g_end(&g);
    }
    assert_true(n_compared > 20 * seeds(300) && n_general > seeds(300));
}

/* --- sets --- */

/* As a line of data.txt. */
static lethe_str set_line(bh_heap *h, const struct ArrowArray *lists, int64_t i)
{
    const int32_t *ends = lists->buffers[1];
    char *line = bh_get(h, 256);
    size_t n = 0;
    for (int32_t k = ends[i]; k < ends[i + 1]; k++) {
        lethe_str v = bh_value(lists->children[0], k);
        n += (size_t)snprintf(line + n, 256 - n, "%s%.*s", k > ends[i] ? " " : "", (int)v.n, v.at);
    }
    return (lethe_str){line, n};
}

static void sets_by_the_cut_are_those_of_a_release(void **state)
{
    static const char *const methods[] = {"'og','options':{'k':2,'m':2,",
                                          "'mog','options':{'k':3,'m':1,",
                                          "'aa','options':{'k':2,'m':2,"};
    uint64_t n_compared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(300); seed++) {
        uint64_t s = seed;
        ground g;
        bh_heap h = {0};
        char form[REQUEST], path[400], folder[400];
        size_t n = 3 + draw(&s, ROWS_MAX - 3), n_items = 0, which = draw(&s, LETHE_COUNT(methods));
        lethe_str item[ROWS_MAX * 5];
        int32_t end[ROWS_MAX];
        bool sensitive = which < 2 && draw(&s, 2);
        g_begin(&g);
        lethe_ctx *ctx = quiet_ctx(&g);
        snprintf(path, sizeof path, "%s/goods.tsv", g.dir);
        g_write(path, "red shoe\tshoes\nboot\tshoes\napple\tfruit\npear\tfruit\nfig\tfruit\n"
                      "fruit\tall things\nshoes\tall things\n");
        snprintf(path, sizeof path, "%s/secret.txt", g.dir);
        g_write(path, "pills\nwine\n");
        for (size_t i = 0; i < n; i++) {
            static const char *const names[] = {"red shoe", "boot",  "apple", "pear",
                                                "fig",      "fruit", "stone", "red_shoe"};
            size_t k = draw(&s, 5);
            for (; k > 0; k--)
                item[n_items++] = lethe_str_of(names[draw(&s, draw(&s, 4) ? 5 : 8)]);
            if (sensitive && draw(&s, 5) == 0) item[n_items++] = LETHE_LIT("pills");
            end[i] = (int32_t)n_items;
        }
        const arrow_node *items = bh_column(&h, "item", item, n_items, (bh_form)draw(&s, BH_FORMS),
                                            draw(&s, 3)),
                         *sets = bh_lists(&h, "basket", items, end, NULL, n),
                         *rows = bh_rows(&h, &sets, 1, n);
        snprintf(form, sizeof form,
                 "{'command':'release','inputs':[{'stream':0}],'steps':[{'method':%s%s"
                 "'taxonomy':'%%/goods.tsv'}}],'output':{'path':'%%/release'}}",
                 methods[which], sensitive ? "'sensitive':'%/secret.txt'," : "");
        if (release(ctx, &g, rows, form)) {
            lethe_cut *cut = NULL;
            lethe_batch_fn *fn;
            bh_result r;
            lethe_str got[ROWS_MAX], want[ROWS_MAX];
            snprintf(folder, sizeof folder, "%s/release", g.dir);
            snprintf(path, sizeof path, "%s/goods.tsv", g.dir);
            const lethe_cut_source source = {
                .size = sizeof source, .release = folder, .taxonomy = path};
            if (lethe_cut_of_release(ctx, &source, &cut) != LETHE_OK)
                fail_msg("seed %llu: %s", (unsigned long long)seed, g.said);
            assert_true(lethe_cut_is_of_sets(cut));
            cut_files_are_the_same(ctx, &g, cut);
            assert_int_equal(lethe_batch_of_cut(ctx, cut, &fn), LETHE_OK);
            assert_int_equal(bh_apply_all(fn, sets, &r), LETHE_OK);
            assert_int_equal(r.array.length, n);
            for (size_t i = 0; i < n; i++)
                got[i] = set_line(&h, &r.array, (int64_t)i);
            for (size_t from = 0; from < n;) { // in pieces, too
                bh_result part;
                size_t k = 1 + draw(&s, n - from);
                assert_int_equal(bh_apply(fn, sets, (int64_t)from, (int64_t)k, &part), LETHE_OK);
                for (size_t i = 0; i < k; i++)
                    assert_true(lethe_str_eq(set_line(&h, &part.array, (int64_t)i), got[from + i]));
                bh_release(&part);
                from += k;
            }
            qsort(got, n, sizeof *got, lethe_strs_cmp);
            char *text = file_of(&g, "data.txt");
            size_t n_want = lines_of(text, 0, want, ROWS_MAX);
            lines_equal(got, n, want, n_want, seed);
            n_compared += n_want;
            free(text);
            bh_release(&r);
            lethe_batch_free(fn);
            lethe_cut_free(cut);
        }
        bh_free(&h);
        lethe_ctx_free(ctx);
        g_end(&g);
    }
    assert_true(n_compared > 3 * seeds(300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_single_texts),
        cmocka_unit_test(pseudonyms_are_those_of_a_release),
        cmocka_unit_test(sealed_rows_are_those_of_a_release),
        cmocka_unit_test(rows_by_the_cut_are_those_of_a_release),
        cmocka_unit_test(sets_by_the_cut_are_those_of_a_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
