/* SPDX-License-Identifier: Apache-2.0 */
/* Random records with random lists against what the words say: an item of the list is a mark of its
 * record, a set has what any record of its person has, each once and in order. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "model/records/record_map.h"
#include "random_tree.h"

enum { ROUNDS = 4000, RECORDS = 12, ITEMS = 6, WORDS = 20, PERSONS = 5 };

/* Words 0 .. 13 may be nodes of the taxonomy ("a" is its root), the others are none. */
static const char *const words[WORDS] = {"a", "b",   "c",        "d", "e", "f", "g",
                                         "h", "i",   "j",        "k", "l", "m", "n",
                                         "A", "b|c", "\xc3\xa9", "~", "0", "zz"};

typedef struct world {
    size_t n;
    int person[RECORDS]; /* below PERSONS: its ID; else of nobody else */
    size_t n_items[RECORDS];
    size_t item[RECORDS][ITEMS];
    bool listed[WORDS];
    bool by_person;
    char text[R_TEXT], list[R_TEXT], tree[R_TEXT];
} world;

static void make(world *w, uint64_t *seed)
{
    size_t at = 0;
    bool any = false;
    *w = (world){.n = 1 + o_below(seed, RECORDS), .by_person = o_below(seed, 4) != 0};
    r_tree(seed, w->tree);
    for (size_t i = 0; i < w->n; i++) {
        w->person[i] = o_below(seed, 4) ? (int)o_below(seed, PERSONS) : PERSONS + (int)i;
        if (w->person[i] < PERSONS) at += (size_t)sprintf(w->text + at, "id%d\t", w->person[i]);
        w->n_items[i] = o_below(seed, ITEMS + 1);
        for (size_t k = 0; k < w->n_items[i]; k++) {
            w->item[i][k] = o_below(seed, WORDS);
            at += (size_t)sprintf(w->text + at, "%s%s", k ? " " : "", words[w->item[i][k]]);
        }
        at += (size_t)sprintf(w->text + at, "\n");
    }
    at = 0;
    for (size_t i = 0; i < WORDS; i++) {
        // what is in the taxonomy is not listed: that is refused elsewhere
        w->listed[i] = o_below(seed, 3) == 0 && !memchr(w->tree, words[i][0], strlen(w->tree));
        any |= w->listed[i];
        if (w->listed[i]) at += (size_t)sprintf(w->list + at, "%s\n", words[i]);
    }
    if (!any) sprintf(w->list, "nothing\n");
}

/* --- the oracle: words, and every pair of them --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The records of record i's set: it, or all of its person. */
static bool same_set(const world *w, size_t i, size_t j)
{
    return i == j || (w->by_person && w->person[i] == w->person[j]);
}

/* Is there one before it? */
static bool is_first(const world *w, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_set(w, i, j)) return false;
    return true;
}

/* The words of the set, listed ones or nodes of the tree, sorted by bytes, each once. */
static size_t set_words(const world *w, const lethe_tree *t, size_t first, bool listed,
                        const char **out)
{
    size_t n = 0;
    for (size_t j = 0; j < w->n; j++)
        for (size_t k = 0; k < w->n_items[j] && same_set(w, first, j); k++) {
            size_t word = w->item[j][k];
            bool again = false, wanted = w->listed[word];
            if (!listed)
                wanted = !wanted && lethe_tree_find(t, lethe_str_of(words[word])) != LETHE_NONE;
            for (size_t i = 0; i < n; i++)
                again |= out[i] == words[word];
            if (wanted && !again) out[n++] = words[word];
        }
    qsort(out, n, sizeof *out, by_text);
    return n;
}

static uint64_t set_lines(const world *w, size_t first)
{
    uint64_t n = 0;
    for (size_t j = 0; j < w->n; j++)
        n += same_set(w, first, j);
    return n;
}

/* --- what came out --- */

static bool ascends(const uint32_t *at, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (at[i - 1] >= at[i]) return false;
    return true;
}

/* Are these, in the order of their bytes, the words? */
static bool are(lethe_str *name, size_t n, const char *const *want, size_t n_want)
{
    if (n != n_want) return false;
    for (size_t i = 0; i < n; i++) // each is in it; both are without copies
        for (size_t k = 0;; k++) {
            if (k == n) return false;
            if (lethe_str_eq(name[k], lethe_str_of(want[i]))) break;
        }
    return true;
}

/* A leaf that was made for an inner node is called after it. */
static lethe_str plain(lethe_str name)
{
    return name.n > 1 && name.at[0] == '=' ? (lethe_str){name.at + 1, name.n - 1} : name;
}

static bool set_fits(const world *w, const lethe_records *r, const lethe_tree *t, size_t i,
                     size_t first)
{
    lethe_str name[RECORDS * ITEMS];
    const char *want[RECORDS * ITEMS];
    size_t n = 0;
    for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
        name[n++] = plain(lethe_tree_name(t, r->item[k]));
    if (!are(name, n, want, set_words(w, t, first, false, want))) return false;
    n = 0;
    for (uint64_t k = r->mark_start[i]; k < r->mark_start[i + 1]; k++)
        name[n++] = lethe_dict_at(r->marks, r->mark[k]);
    if (!are(name, n, want, set_words(w, t, first, true, want))) return false;
    return ascends(r->item + r->start[i], lethe_record_size(r, i)) &&
           ascends(r->mark + r->mark_start[i], lethe_record_marks(r, i)) && r->origin[i] == first &&
           (r->lines ? r->lines[i] : 1) == set_lines(w, first);
}

/* The marks are the listed words that are there, in order. */
static bool marks_fit(const world *w, const lethe_records *r)
{
    uint32_t n = 0;
    for (size_t word = 0; word < WORDS; word++) {
        bool there = false;
        for (size_t i = 0; i < w->n; i++)
            for (size_t k = 0; k < w->n_items[i]; k++)
                there |= w->item[i][k] == word;
        there = there && w->listed[word];
        if (there != (lethe_dict_find(r->marks, lethe_str_of(words[word])) != LETHE_NONE))
            return false;
        n += there;
    }
    for (uint32_t i = 1; i < n; i++)
        if (lethe_str_cmp(lethe_dict_at(r->marks, i - 1), lethe_dict_at(r->marks, i)) >= 0)
            return false;
    return lethe_dict_count(r->marks) == n;
}

/* The map of sets, of which some are suppressed and the others mixed, tells each its line again. */
static bool map_fits(lethe_ctx *ctx, const lethe_records *r, uint64_t *seed)
{
    lethe_buf b = {0};
    lethe_arena *a = lethe_arena_new();
    uint64_t became[RECORDS], n = 0, *line = NULL;
    for (size_t i = 0; i < r->n; i++)
        became[i] = o_below(seed, 4) ? n++ : LETHE_NOT_PUBLISHED;
    for (size_t i = 0; i < r->n; i++) {
        size_t j = o_below(seed, r->n);
        uint64_t other = became[i];
        became[i] = became[j];
        became[j] = other;
    }
    bool fits = true;
    for (size_t i = 0; i < r->n; i++)
        fits = fits && lethe_record_map_put(r, i, became[i], &b) == LETHE_OK;
    lethe_str text = {(const char *)b.at, b.n};
    fits = fits && lethe_record_map_memory(ctx, text, r, n, a, &line) == LETHE_OK;
    for (size_t i = 0; i < r->n && fits; i++)
        fits = line[i] == became[i];
    lethe_buf_free(&b);
    lethe_arena_free(a);
    return fits;
}

/* Marks as items again: the same names beside the others, and the taxonomy one further on. */
static bool unmarked_fits(const lethe_records *r, const lethe_tree *t, const lethe_tree *larger,
                          const uint64_t *start, const uint32_t *item)
{
    for (size_t i = 0; i < r->n; i++) {
        uint64_t n = start[i + 1] - start[i], n_marks = lethe_record_marks(r, i);
        if (lethe_record_size(r, i) != n + n_marks) return false;
        for (uint64_t k = 0; k < n; k++) {
            uint32_t v = r->item[r->start[i] + k];
            if (v != item[start[i] + k] + 1 || larger->leaves[v] != t->leaves[v - 1]) return false;
        }
        for (uint64_t k = 0; k < n_marks; k++) {
            lethe_str mark = lethe_dict_at(r->marks, r->mark[r->mark_start[i] + k]);
            uint32_t v = r->item[r->start[i] + n + k];
            if (!lethe_str_eq(lethe_tree_name(larger, v), mark) || larger->parent[v] != 0)
                return false;
        }
    }
    return larger->n == t->n + 1 + lethe_dict_count(r->marks);
}

static bool holds(lethe_ctx *ctx, const world *w, uint64_t *seed)
{
    lethe_records *r = NULL;
    lethe_sensitive *list = NULL;
    lethe_tree *t = NULL, *grown = NULL, *larger = NULL;
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(w->text), true, &r), LETHE_OK);
    assert_int_equal(lethe_sensitive_memory(ctx, lethe_str_of(w->list), LETHE_NAMES_ITEMS, &list),
                     LETHE_OK);
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(w->tree), LETHE_NAMES_ITEMS, &t), 0);
    assert_int_equal(lethe_sensitive_apart(ctx, list, t, false), LETHE_OK);
    assert_int_equal(lethe_records_mark(ctx, r, list, false), LETHE_OK);
    bool fits = marks_fit(w, r);
    assert_int_equal(lethe_records_bind(ctx, r, t, false, &r, &grown), LETHE_OK);
    assert_int_equal(lethe_records_sets(ctx, r, w->by_person, &r), LETHE_OK);
    const lethe_tree *on = grown ? grown : t;
    size_t n = 0;
    for (size_t i = 0; i < w->n && fits; i++)
        if (is_first(w, i)) fits = n < r->n && set_fits(w, r, on, n++, i);
    fits = fits && n == r->n && map_fits(ctx, r, seed);
    const uint64_t *start = r->start; // they stay in the arena
    const uint32_t *item = r->item;
    assert_int_equal(lethe_records_unmark(ctx, r, on, &r, &larger), LETHE_OK);
    fits = fits && unmarked_fits(r, on, larger, start, item);
    lethe_records_free(r);
    lethe_sensitive_free(list);
    lethe_tree_free(t);
    lethe_tree_free(grown);
    lethe_tree_free(larger);
    return fits;
}

static void sets_are_what_the_words_say(void **state)
{
    (void)state;
    heard h;
    static world w;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    uint64_t merged = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round * 7919 + 1, first = seed;
        make(&w, &seed);
        for (size_t i = 0; i < w.n; i++)
            merged += !is_first(&w, i);
        if (!holds(ctx, &w, &seed))
            fail_msg("seed %llu:\n%s---\n%s---\n%s", (unsigned long long)first, w.text, w.list,
                     w.tree);
    }
    assert_true(merged > ROUNDS); // it was worth while
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_what_the_words_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
