/* SPDX-License-Identifier: Apache-2.0 */
/* Random files of records against a parser that goes byte by byte; and random records bound to
 * random trees, against a look at every name. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "records_text.h"
#include "tree_oracle.h"
#include "seeds.h"

#define FILES seeds(20000)
#define TREES seeds(4000)

/* --- the slow parser --- */

/* What a line holds, or what is wrong with it. */
typedef struct slow_line {
    char id[256], items[64][256];
    bool has_id, invalid;
    size_t n_items;
    const char *cause;
    size_t column;
} slow_line;

/* Bytes of the files are ASCII, \xFF, \xC3 and \xA9, so that only \xC3\xA9 is a character. */
static void slow_repair(const char *p, size_t n, char out[256], bool *invalid)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)p[i];
        if (c < 0x80) {
            out[used++] = p[i];
        } else if (c == 0xC3 && i + 1 < n && (uint8_t)p[i + 1] == 0xA9) {
            out[used++] = p[i++];
            out[used++] = p[i];
        } else {
            memcpy(out + used, "\xEF\xBF\xBD", 3);
            used += 3;
            *invalid = true;
        }
        assert_true(used < 250);
    }
    out[used] = '\0';
}

static void slow_fault(slow_line *l, const char *cause, size_t at)
{
    if (l->cause && l->column <= at + 1) return; // the first counts
    l->cause = cause;
    l->column = at + 1;
}

static void slow_parse(const char *p, size_t n, slow_line *l)
{
    size_t tab = n, begin = 0;
    *l = (slow_line){0};
    for (size_t i = n; i-- > 0;)
        if (p[i] == '\t') tab = i;
    if (tab < n) {
        l->has_id = true;
        begin = tab + 1;
        if (tab == 0) slow_fault(l, "empty ID", 0);
        slow_repair(p, tab, l->id, &l->invalid);
    }
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\0') slow_fault(l, "NUL byte", i);
        if (p[i] == '\r') slow_fault(l, "carriage return inside the line", i);
        if (p[i] == '\t' && i > tab) slow_fault(l, "second tab", i);
    }
    if (n > begin && p[n - 1] == ' ' && n - begin > 1 && p[n - 2] != ' ') n--; // the one allowed
    while (begin < n) {
        size_t end = begin;
        while (end < n && p[end] != ' ')
            end++;
        if (end == begin) slow_fault(l, "empty item", begin);
        slow_repair(p + begin, end - begin, l->items[l->n_items++], &l->invalid);
        assert_true(l->n_items < 64);
        begin = end + 1;
    }
}

typedef struct slow_file {
    text records, strict; /* as text; and what strict says */
    uint64_t n_lines, n_rejected, n_invalid;
} slow_file;

static size_t owner_number(char (*ids)[256], size_t *n, const slow_line *l)
{
    for (size_t i = 0; i < *n && l->has_id; i++)
        if (strcmp(ids[i], l->id) == 0) return i;
    snprintf(ids[*n], 256, "%s", l->has_id ? l->id : "\t"); // which no ID is
    return (*n)++;
}

static void slow_read(const char *p, size_t n, slow_file *f)
{
    static char ids[512][256];
    size_t n_ids = 0;
    if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) p += 3, n -= 3;
    text_put(&f->records, "", 0);
    text_put(&f->strict, "", 0);
    while (n > 0) {
        size_t end = 0;
        while (end < n && p[end] != '\n')
            end++;
        bool lf = end < n;
        slow_line l;
        slow_parse(p, lf && end > 0 && p[end - 1] == '\r' ? end - 1 : end, &l);
        if (!l.cause) {
            size_t owner = owner_number(ids, &n_ids, &l);
            text_add(&f->records, "%llu %zu%s%s:", (unsigned long long)f->n_lines, owner,
                     l.has_id ? "=" : "", l.id);
            for (size_t i = 0; i < l.n_items; i++)
                text_add(&f->records, " %s", l.items[i]);
            text_put(&f->records, "\n", 1);
            f->n_invalid += l.invalid;
        } else if (f->n_rejected++ == 0) {
            text_add(&f->strict, "E memory:%llu:%zu %s\n", (unsigned long long)f->n_lines + 1,
                     l.column, l.cause);
        }
        f->n_lines++;
        p += end + lf;
        n -= end + lf;
    }
}

/* --- files --- */

static void random_file(uint64_t *s, text *t)
{
    static const char *const fine[] = {"a", "bb", "c_d", "\xC3\xA9", "1", "a", "\v", "=", "e"};
    static const char dirty[] = "a \t\r\0_\xFF\xC3\xA9 b";
    size_t n = 1 + o_below(s, 60), dirt = 1 + o_below(s, 200);
    if (o_below(s, 8) == 0) text_put(t, "\xEF\xBB\xBF", 3);
    for (size_t i = 0; i < n; i++) {
        if (o_below(s, dirt) == 0) {
            for (size_t k = o_below(s, 8); k > 0; k--)
                text_put(t, &dirty[o_below(s, sizeof dirty - 1)], 1);
        } else {
            if (o_below(s, 3) == 0) text_add(t, "%s%zu\t", fine[o_below(s, 9)], o_below(s, 4));
            size_t n_items = o_below(s, 5);
            for (size_t k = 0; k < n_items; k++)
                text_add(t, "%s%s", k ? " " : "", fine[o_below(s, 9)]);
            if (n_items && o_below(s, 4) == 0) text_put(t, " ", 1);
        }
        if (i + 1 < n || o_below(s, 3)) text_put(t, &"\r\n"[o_below(s, 2)], 1);
        if (t->n && t->at[t->n - 1] == '\r') text_put(t, "\n", 1);
    }
}

static void check_file(lethe_ctx *ctx, outcome *o, uint64_t seed, lethe_str in, bool strict)
{
    slow_file want = {0};
    text got = {0};
    lethe_records *r = NULL;
    slow_read(in.at, in.n, &want);
    bool refused =
        want.n_lines == 0 || want.n_rejected * 10 > want.n_lines || (strict && want.n_rejected > 0);
    o->messages.n = 0;
    lethe_err e = lethe_records_memory(ctx, in, strict, &r);
    if (e != (refused ? LETHE_EINPUT : LETHE_OK))
        fail_msg("seed %llu: error %d, %llu of %llu rejected", (unsigned long long)seed, e,
                 (unsigned long long)want.n_rejected, (unsigned long long)want.n_lines);
    if (strict && want.n_rejected > 0 && strcmp(o->messages.at, want.strict.at) != 0)
        fail_msg("seed %llu: %s, not %s", (unsigned long long)seed, o->messages.at, want.strict.at);
    if (r) {
        text_put(&got, "", 0);
        records_text(&got, r, NULL);
        if (strcmp(got.at, want.records.at) != 0 || records_fault(r))
            fail_msg("seed %llu\n--- want\n%s--- got\n%s", (unsigned long long)seed,
                     want.records.at, got.at);
        assert_int_equal(r->counts.read, want.n_lines);
        assert_int_equal(r->counts.rejected, want.n_rejected);
        assert_int_equal(r->counts.invalid_utf8, want.n_invalid);
    }
    lethe_records_free(r);
    free(got.at);
    free(want.records.at);
    free(want.strict.at);
}

static void random_files_are_read_as_a_slow_parser_reads_them(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    for (uint64_t seed = 1; seed <= FILES; seed++) {
        uint64_t s = seed;
        text in = {0};
        random_file(&s, &in);
        check_file(ctx, &o, seed, (lethe_str){in.at, in.n}, o_below(&s, 2));
        free(in.at);
    }
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

/* --- trees --- */

/* Nodes n0, n1, ... below earlier ones; some are called =nI, so that such a name is taken. */
static lethe_tree *random_tree(uint64_t *s, char (*names)[16], uint32_t *n)
{
    uint32_t parent[40];
    lethe_str views[40];
    lethe_tree *t = NULL;
    *n = 1 + (uint32_t)o_below(s, 30);
    for (uint32_t i = 0; i < *n; i++) {
        parent[i] = i ? (uint32_t)o_below(s, i) : LETHE_NONE;
        bool taken = i > 0 && o_below(s, 6) == 0;
        uint32_t other = i ? (uint32_t)o_below(s, i) : 0;
        if (taken) snprintf(names[i], 16, "=n%u", other);
        if (!taken) snprintf(names[i], 16, "n%u", i);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0) snprintf(names[i], 16, "n%u", i);
        views[i] = lethe_str_of(names[i]);
    }
    assert_int_equal(lethe_tree_from(NULL, *n, parent, views, &t), LETHE_OK);
    return t;
}

/* Up to ten records of items from the tree and from elsewhere. */
static lethe_records *random_records(uint64_t *s, char (*names)[16], uint32_t n, text *plan)
{
    lethe_records *r = NULL;
    lethe_records_builder *b = lethe_records_builder_new();
    for (size_t i = o_below(s, 10); i > 0; i--) {
        lethe_str id = {o_below(s, 2) ? "ann" : "bob", 3};
        assert_int_equal(lethe_records_begin(b, o_below(s, 2) ? &id : NULL, i), LETHE_OK);
        for (size_t k = o_below(s, 6); k > 0; k--) {
            const char *unknown = o_below(s, 2) ? "strange" : "odd";
            const char *item = o_below(s, 5) ? names[o_below(s, n)] : unknown;
            assert_int_equal(lethe_records_item(b, lethe_str_of(item)), LETHE_OK);
        }
    }
    assert_int_equal(lethe_records_build(b, &r), LETHE_OK);
    lethe_records_builder_free(b);
    records_text(plan, r, NULL);
    return r;
}

/* What `in` must look like bound, by names: `before` line by line, word by word. */
static const char *bound_fault(const char *before, const lethe_records *r, const lethe_tree *old,
                               const lethe_tree *now, uint64_t *n_unknown)
{
    static char word[256];
    size_t i = 0;
    uint64_t k = 0;
    for (const char *p = before; *p; p++) {
        p = strchr(p, ':') + 1;
        if (r->start[i] != k) return "a record begins elsewhere";
        while (*p == ' ') {
            size_t n = strcspn(++p, " \n");
            snprintf(word, sizeof word, "%.*s", (int)n, p);
            p += n;
            uint32_t was = lethe_tree_find(old, lethe_str_of(word));
            if (was == LETHE_NONE) {
                ++*n_unknown;
                continue;
            }
            uint32_t is = r->item[k++];
            if (!lethe_tree_is_leaf(now, is)) return "not a leaf";
            lethe_str name = lethe_tree_name(now, is);
            if (lethe_tree_is_leaf(old, was) && !lethe_str_eq(name, lethe_str_of(word)))
                return "a leaf has become another";
            if (lethe_tree_is_leaf(old, was)) continue;
            if (now->parent[is] != lethe_tree_find(now, lethe_str_of(word)))
                return "an inner node's leaf is not below it";
            if (lethe_tree_find(old, name) != LETHE_NONE) return "the leaf was there before";
        }
        i++;
    }
    return i != r->n ? "records are missing" : k != r->start[r->n] ? "items are left" : NULL;
}

static void check_tree(lethe_ctx *ctx, uint64_t seed)
{
    uint64_t s = seed, n_unknown = 0;
    char names[40][16];
    uint32_t n;
    text plan = {0};
    text_put(&plan, "", 0);
    lethe_tree *t = random_tree(&s, names, &n), *grown = NULL;
    lethe_records *r = random_records(&s, names, n, &plan);
    bool strict = o_below(&s, 3) == 0, some_unknown = false;
    uint32_t n_inner = 0;
    for (uint32_t i = 0; i < lethe_dict_count(r->items); i++) {
        uint32_t v = lethe_tree_find(t, lethe_dict_at(r->items, i));
        some_unknown |= v == LETHE_NONE;
        n_inner += v != LETHE_NONE && !lethe_tree_is_leaf(t, v);
    }
    lethe_err e = lethe_records_bind(ctx, r, t, strict, &r, &grown);
    if (strict && some_unknown) {
        assert_int_equal(e, LETHE_EINPUT);
        assert_null(grown);
    } else {
        assert_int_equal(e, LETHE_OK);
        assert_int_equal(grown != NULL, n_inner > 0);
        const char *fault = bound_fault(plan.at, r, t, grown ? grown : t, &n_unknown);
        if (!fault && grown) fault = tree_fault(grown);
        if (!fault && grown && grown->n != t->n + n_inner) fault = "the tree has grown otherwise";
        if (!fault && n_unknown != r->counts.unknown) fault = "count of unknown items";
        if (!fault) fault = records_fault(r);
        if (fault) fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, fault, plan.at);
        lethe_records_free(r);
    }
    lethe_tree_free(grown);
    lethe_tree_free(t);
    free(plan.at);
}

static void random_records_are_bound_to_random_trees(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    for (uint64_t seed = 1; seed <= TREES; seed++)
        check_tree(ctx, seed);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_files_are_read_as_a_slow_parser_reads_them),
        cmocka_unit_test(random_records_are_bound_to_random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
