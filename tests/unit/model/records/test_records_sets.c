/* SPDX-License-Identifier: Apache-2.0 */
/* Sensitive items beside the others, and persons as sets. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "check/persons.h"
#include "core/mem.h"
#include "model/records/record_map.h"
#include "published_harness.h"

static const char goods[] = "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                            "dairy\tfood\nfruit\tfood\n";

/* "0.2 ann: milk pear | hiv/": owner, lines, ID, items by their names in `t`, marks. */
static const char *shown(const lethe_records *r, const lethe_tree *t)
{
    static char text[2048];
    size_t n = 0;
    text[0] = '\0';
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    for (size_t i = 0; i < r->n; i++) {
        uint32_t name = r->owner_name ? r->owner_name[r->owner[i]] : LETHE_NONE;
        lethe_str id = name == LETHE_NONE ? LETHE_LIT("") : lethe_dict_at(r->owners, name);
        PUT("%llu.%llu %.*s:", (unsigned long long)r->origin[i],
            (unsigned long long)(r->lines ? r->lines[i] : 1), (int)id.n, id.at);
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            lethe_str item =
                t ? lethe_tree_name(t, r->item[k]) : lethe_dict_at(r->items, r->item[k]);
            PUT(" %.*s", (int)item.n, item.at);
        }
        if (r->marks) PUT(" |");
        for (uint64_t k = 0; k < lethe_record_marks(r, i); k++) {
            lethe_str mark = lethe_dict_at(r->marks, r->mark[r->mark_start[i] + k]);
            PUT(" %.*s", (int)mark.n, mark.at);
        }
        PUT("/");
    }
#undef PUT
    return text;
}

typedef struct world {
    heard h;
    lethe_ctx *ctx;
    lethe_records *r;
    lethe_sensitive *list;
    lethe_tree *t;
} world;

static void world_begin(world *w, const char *records, const char *list)
{
    *w = (world){0};
    w->ctx = heard_ctx(&w->h, 1);
    assert_int_equal(lethe_records_memory(w->ctx, lethe_str_of(records), true, &w->r), LETHE_OK);
    assert_int_equal(
        lethe_sensitive_memory(w->ctx, lethe_str_of(list), LETHE_NAMES_ITEMS, &w->list), LETHE_OK);
    assert_int_equal(lethe_tree_memory(w->ctx, lethe_str_of(goods), LETHE_NAMES_ITEMS, &w->t),
                     LETHE_OK);
}

static void world_bind(world *w)
{
    lethe_tree *grown = NULL;
    assert_int_equal(lethe_records_bind(w->ctx, w->r, w->t, true, &w->r, &grown), LETHE_OK);
    if (!grown) return;
    lethe_tree_free(w->t);
    w->t = grown;
}

static void world_end(world *w)
{
    lethe_records_free(w->r);
    lethe_sensitive_free(w->list);
    lethe_tree_free(w->t);
    lethe_ctx_free(w->ctx);
}

static const char some[] = "ann\tmilk hiv pear hiv\nbob\tflu hiv\nmilk\nann\tpear milk cold\n\n";

static void listed_items_become_marks(void **state)
{
    (void)state;
    world w;
    world_begin(&w, some, "hiv\ncold\nflu\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_OK);
    assert_int_equal(w.h.n, 0);
    assert_string_equal(shown(w.r, NULL), "0.1 ann: milk pear | hiv/1.1 bob: | flu hiv/"
                                          "2.1 : milk |/3.1 ann: pear milk | cold/4.1 : |/");
    assert_int_equal(lethe_dict_count(w.r->items), 2); // the names are marks now
    assert_int_equal(lethe_dict_count(w.r->marks), 3);
    assert_true(lethe_str_eq(lethe_dict_at(w.r->marks, 0), LETHE_LIT("cold")));
    assert_true(lethe_str_eq(lethe_dict_at(w.r->marks, 2), LETHE_LIT("hiv")));
    world_bind(&w); // nothing is unknown
    assert_int_equal(w.r->counts.unknown, 0);
    assert_string_equal(shown(w.r, w.t), "0.1 ann: milk pear | hiv/1.1 bob: | flu hiv/"
                                         "2.1 : milk |/3.1 ann: pear milk | cold/4.1 : |/");
    world_end(&w);
}

static void items_that_nobody_has_are_warned_of(void **state)
{
    (void)state;
    world w;
    world_begin(&w, some, "hiv\nfever\nflu\ncough\nstroke\npox\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, false), LETHE_OK);
    assert_int_equal(w.h.n, 4); // three by their lines, and how many
    assert_string_equal(w.h.text, "4 of 6 sensitive items are in no record");
    assert_int_equal(lethe_dict_count(w.r->marks), 2);
    world_end(&w);
    world_begin(&w, some, "hiv\nfever\nflu\ncough\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_EINPUT);
    assert_int_equal(w.h.n, 1);
    assert_int_equal(w.h.line, 2);
    assert_string_equal(w.h.text, "the sensitive item is in no record");
    world_end(&w);
    world_begin(&w, some, "fever\n"); // a list that none has
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, false), LETHE_OK);
    assert_string_equal(w.h.text, "1 of 1 sensitive item is in no record");
    assert_int_equal(lethe_dict_count(w.r->marks), 0);
    assert_int_equal(lethe_record_marks(w.r, 0), 0);
    world_end(&w);
}

static void persons_become_sets(void **state)
{
    (void)state;
    world w;
    world_begin(&w, some, "hiv\ncold\nflu\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_OK);
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK);
    assert_string_equal(shown(w.r, w.t), "0.2 ann: milk pear | cold hiv/1.1 bob: | flu hiv/"
                                         "2.1 : milk |/4.1 : |/");
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK); // they are sets
    assert_string_equal(shown(w.r, w.t), "0.2 ann: milk pear | cold hiv/1.1 bob: | flu hiv/"
                                         "2.1 : milk |/4.1 : |/");
    world_end(&w);
    world_begin(&w, "ann\tpear milk pear\nann\tmilk\n", "x\n"); // by record, and without a list
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, false, &w.r), LETHE_OK);
    assert_string_equal(shown(w.r, w.t), "0.1 ann: milk pear/1.1 ann: milk/");
    assert_null(w.r->marks);
    assert_null(w.r->lines);
    world_end(&w);
}

static void no_records_are_no_sets(void **state)
{
    (void)state;
    world w;
    world_begin(&w, "\n", "x\n");
    lethe_records_free(w.r);
    w.r = NULL;
    lethe_records_builder *b = lethe_records_builder_new();
    assert_int_equal(lethe_records_build(b, &w.r), LETHE_OK);
    lethe_records_builder_free(b);
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, false), LETHE_OK);
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK);
    assert_int_equal(w.r->n, 0);
    assert_int_equal(w.r->start[0], 0);
    assert_int_equal(w.r->mark_start[0], 0);
    world_end(&w);
}

static void lines_of_a_log_are_added_up(void **state)
{
    (void)state;
    static const uint64_t lines[] = {3, 1, 2, 5, 7};
    world w;
    world_begin(&w, some, "hiv\ncold\nflu\n");
    w.r->lines = lines;
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_OK);
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK);
    assert_string_equal(shown(w.r, w.t), "0.8 ann: milk pear | cold hiv/1.1 bob: | flu hiv/"
                                         "2.2 : milk |/4.7 : |/");
    world_end(&w);
}

/* --- the map --- */

static void a_map_of_sets_has_a_line_for_each(void **state)
{
    (void)state;
    world w;
    lethe_buf b = {0};
    uint64_t *line = NULL;
    lethe_arena *a = lethe_arena_new();
    world_begin(&w, some, "hiv\ncold\nflu\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_OK);
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK);
    static const uint64_t became[] = {2, 0, LETHE_NOT_PUBLISHED, 1};
    for (size_t i = 0; i < w.r->n; i++)
        assert_int_equal(lethe_record_map_put(w.r, i, became[i], &b), LETHE_OK);
    assert_int_equal(b.n, strlen("ann\t3\nbob\t1\n3\t\n5\t2\n"));
    assert_memory_equal(b.at, "ann\t3\nbob\t1\n3\t\n5\t2\n", b.n);
    lethe_str text = {(const char *)b.at, b.n};
    assert_int_equal(lethe_record_map_memory(w.ctx, text, w.r, 3, a, &line), LETHE_OK);
    for (size_t i = 0; i < w.r->n; i++)
        assert_true(line[i] == became[i]);
    // a person whose lines were not merged has more than there are sets
    assert_int_equal(lethe_record_map_memory(w.ctx, LETHE_LIT("ann\t3\nbob\t1\n3\t\nann\t2\n"), w.r,
                                             3, a, &line),
                     LETHE_EINPUT);
    lethe_arena_free(a);
    lethe_buf_free(&b);
    world_end(&w);
}

/* --- marks as items --- */

static void marks_become_leaves_beside_the_taxonomy(void **state)
{
    (void)state;
    world w;
    lethe_tree *t = NULL;
    // pear is marked though it is a leaf, as WordNet's words may be
    world_begin(&w, "ann\tmilk hiv\nbob\tpear apple\n\n", "hiv\npear\n");
    assert_int_equal(lethe_records_mark(w.ctx, w.r, w.list, true), LETHE_OK);
    world_bind(&w);
    assert_int_equal(lethe_records_sets(w.ctx, w.r, true, &w.r), LETHE_OK);
    assert_int_equal(lethe_records_unmark(w.ctx, w.r, w.t, &w.r, &t), LETHE_OK);
    assert_non_null(t);
    assert_string_equal(shown(w.r, t),
                        "0.1 ann: milk hiv | hiv/1.1 bob: apple pear | pear/2.1 : |/");
    assert_int_equal(t->n, w.t->n + 3);
    for (uint32_t v = 0; v < w.t->n; v++) {
        assert_int_equal(t->parent[v + 1], v ? w.t->parent[v] + 1 : 0);
        assert_int_equal(t->leaves[v + 1], w.t->leaves[v]);
        bool same = lethe_str_eq(lethe_tree_name(t, v + 1), lethe_tree_name(w.t, v));
        assert_int_equal(same, !lethe_str_eq(lethe_tree_name(w.t, v), LETHE_LIT("pear")));
    }
    for (uint32_t m = 0; m < 2; m++) {
        assert_int_equal(t->parent[w.t->n + 1 + m], 0);
        assert_int_equal(lethe_tree_find(t, lethe_dict_at(w.r->marks, m)), w.t->n + 1 + m);
    }
    lethe_tree_free(t);
    world_end(&w);
    world_begin(&w, "milk\n", "x\n"); // there are none
    world_bind(&w);
    lethe_records *same = w.r;
    assert_int_equal(lethe_records_unmark(w.ctx, w.r, w.t, &w.r, &t), LETHE_OK);
    assert_null(t);
    assert_ptr_equal(w.r, same);
    world_end(&w);
}

/* --- persons --- */

static void two_records_of_a_person_are_found(void **state)
{
    (void)state;
    world w;
    bool apart = false;
    const uint8_t all[] = {1, 1, 1, 1, 1}, one[] = {0, 1, 1, 1, 1};
    world_begin(&w, some, "hiv\ncold\nflu\n");
    assert_int_equal(lethe_persons_apart(w.ctx, w.r, all, &apart), LETHE_OK);
    assert_false(apart); // ann
    assert_int_equal(lethe_persons_apart(w.ctx, w.r, one, &apart), LETHE_OK);
    assert_true(apart);
    uint32_t names[] = {0, 1, 1, LETHE_NONE}; // two owners with one name
    w.r->owner_name = names;
    assert_int_equal(lethe_persons_apart(w.ctx, w.r, one, &apart), LETHE_OK);
    assert_false(apart);
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_persons_apart(w.ctx, w.r, one, &apart), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    world_end(&w);
}

/* --- no memory --- */

static void lack_of_memory_is_said_once_and_clean(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 1;
    for (; e != LETHE_OK; n++) {
        world w;
        lethe_tree *t = NULL;
        world_begin(&w, some, "hiv\ncold\nflu\n");
        lethe_alloc_fail_at(n);
        e = lethe_records_mark(w.ctx, w.r, w.list, true);
        if (e == LETHE_OK) {
            lethe_tree *grown = NULL;
            lethe_records *r = w.r;
            w.r = NULL;
            e = lethe_records_bind(w.ctx, r, w.t, true, &w.r, &grown);
        }
        if (e == LETHE_OK) {
            lethe_records *r = w.r;
            w.r = NULL;
            e = lethe_records_sets(w.ctx, r, true, &w.r);
        }
        if (e == LETHE_OK) {
            lethe_records *r = w.r;
            w.r = NULL;
            e = lethe_records_unmark(w.ctx, r, w.t, &w.r, &t);
        }
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && (e != LETHE_ENOMEM || w.h.n != 1))
            fail_msg("allocation %llu: %s, said %u times", (unsigned long long)n, lethe_err_name(e),
                     w.h.n);
        lethe_tree_free(t);
        world_end(&w);
    }
    assert_true(n > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_items_become_marks),
        cmocka_unit_test(items_that_nobody_has_are_warned_of),
        cmocka_unit_test(persons_become_sets),
        cmocka_unit_test(no_records_are_no_sets),
        cmocka_unit_test(lines_of_a_log_are_added_up),
        cmocka_unit_test(a_map_of_sets_has_a_line_for_each),
        cmocka_unit_test(marks_become_leaves_beside_the_taxonomy),
        cmocka_unit_test(two_records_of_a_person_are_found),
        cmocka_unit_test(lack_of_memory_is_said_once_and_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
