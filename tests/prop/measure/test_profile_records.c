/* SPDX-License-Identifier: Apache-2.0 */
/* The profile of records against looking at every set of items of every person. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "core/rng.h"
#include "io/json/json.h"
#include "measure/measure.h"
#include "seeds.h"

enum { N_CASES = 4000, RECORDS_MAX = 14, PERSONS_MAX = 9, ITEMS_MAX = 9, SIZE_MAX_ = 7 };

/* As it was drawn: record i is of person owner[i], with n[i] items. */
typedef struct drawn {
    size_t n_records, n_persons, n_items;
    size_t owner[RECORDS_MAX], n[RECORDS_MAX], item[RECORDS_MAX][SIZE_MAX_];
} drawn;

static drawn draw(lethe_rng *r)
{
    drawn d = {.n_records = 1 + lethe_rng_below(r, RECORDS_MAX),
               .n_persons = 1 + lethe_rng_below(r, PERSONS_MAX),
               .n_items = 1 + lethe_rng_below(r, ITEMS_MAX)};
    for (size_t i = 0; i < d.n_records; i++) {
        d.owner[i] = lethe_rng_below(r, d.n_persons);
        d.n[i] = lethe_rng_below(r, SIZE_MAX_ + 1);
        for (size_t k = 0; k < d.n[i]; k++) // the first ones are common
            d.item[i][k] = lethe_rng_below(r, 1 + lethe_rng_below(r, d.n_items));
    }
    return d;
}

static lethe_records *build(const drawn *d)
{
    lethe_records_builder *b = lethe_records_builder_new();
    lethe_records *out = NULL;
    char text[16];
    for (size_t i = 0; i < d->n_records; i++) {
        snprintf(text, sizeof text, "p%zu", d->owner[i]);
        lethe_str id = {text, strlen(text)};
        assert_int_equal(lethe_records_begin(b, &id, i), LETHE_OK);
        for (size_t k = 0; k < d->n[i]; k++) {
            char name[16];
            snprintf(name, sizeof name, "i%zu", d->item[i][k]);
            assert_int_equal(lethe_records_item(b, (lethe_str){name, strlen(name)}), LETHE_OK);
        }
    }
    assert_int_equal(lethe_records_build(b, &out), LETHE_OK);
    lethe_records_builder_free(b);
    return out;
}

/* --- by hand: sets of items are bits --- */

static unsigned items_of(const drawn *d, size_t person)
{
    unsigned set = 0;
    for (size_t i = 0; i < d->n_records; i++)
        for (size_t k = 0; k < d->n[i]; k++)
            if (d->owner[i] == person) set |= 1u << d->item[i][k];
    return set;
}

static bool is_there(const drawn *d, size_t person)
{
    for (size_t i = 0; i < d->n_records; i++)
        if (d->owner[i] == person) return true;
    return false;
}

static size_t persons_with(const drawn *d, unsigned set)
{
    size_t n = 0;
    for (size_t p = 0; p < d->n_persons; p++)
        n += is_there(d, p) && (items_of(d, p) & set) == set;
    return n;
}

/* Has the person a set of at most `most` items that nobody else has all of? */
static bool is_singled(const drawn *d, size_t person, int most)
{
    unsigned own = items_of(d, person);
    for (unsigned set = 1; set < 1u << ITEMS_MAX; set++)
        if ((set & ~own) == 0 && __builtin_popcount(set) <= most && persons_with(d, set) == 1)
            return true;
    return false;
}

static double number(const lethe_json *o, const char *name)
{
    return lethe_json_real(lethe_json_get(o, name));
}

static uint64_t shown_case;

static void is(const char *what, double got, double want)
{
    if (fabs(got - want) > 1e-12)
        print_message("case %llu: %s: %g, not %g\n", (unsigned long long)shown_case, what, got,
                      want);
    assert_true(fabs(got - want) <= 1e-12);
}

static void check_singled(const drawn *d, const lethe_json *out, size_t persons)
{
    const lethe_json *list = lethe_json_get(out, "singled_out");
    assert_int_equal(lethe_json_count(list), 3);
    for (int m = 1; m <= 3; m++) {
        size_t n = 0;
        for (size_t p = 0; p < d->n_persons; p++)
            n += is_there(d, p) && is_singled(d, p, m);
        is("singled out", number(lethe_json_at(list, (size_t)m - 1), "share"),
           (double)n / (double)persons);
        if (m == 1) is("unique", number(out, "unique_person_share"), (double)n / (double)persons);
    }
    is("tried", number(out, "singled_tried"), number(out, "singled_others"));
    is("undecided", number(out, "singled_undecided"), 0);
}

static void check_survival(const drawn *d, const lethe_json *out, size_t all)
{
    static const size_t ts[] = {1, 2, 3, 5, 10, 20, 50, 100};
    const lethe_json *list = lethe_json_get(out, "survival");
    assert_int_equal(lethe_json_count(list), 8);
    for (size_t i = 0; i < 8; i++) {
        size_t items = 0, occurrences = 0, records = 0;
        for (size_t k = 0; k < d->n_items; k++) {
            size_t n = persons_with(d, 1u << k);
            items += n > 0 && n >= ts[i];
        }
        for (size_t r = 0; r < d->n_records; r++) {
            size_t left = 0;
            for (size_t k = 0; k < d->n[r]; k++)
                left += persons_with(d, 1u << d->item[r][k]) >= ts[i];
            occurrences += left;
            records += left > 0;
        }
        const lethe_json *o = lethe_json_at(list, i);
        is("t", number(o, "t"), (double)ts[i]);
        is("items left", number(o, "items"), (double)items);
        is("occurrences left", number(o, "occurrences"),
           all ? (double)occurrences / (double)all : 0);
        is("records left", number(o, "records"), (double)records / (double)d->n_records);
    }
}

static void check(const drawn *d, const lethe_json *out)
{
    size_t persons = 0, all = 0, distinct = 0, once = 0, empty = 0, longest = 0, of_persons = 0;
    for (size_t p = 0; p < d->n_persons; p++) {
        persons += is_there(d, p);
        of_persons += (size_t)__builtin_popcount(items_of(d, p));
    }
    for (size_t i = 0; i < d->n_records; i++) {
        all += d->n[i];
        empty += d->n[i] == 0;
        if (d->n[i] > longest) longest = d->n[i];
    }
    for (size_t k = 0; k < d->n_items; k++) {
        distinct += persons_with(d, 1u << k) > 0;
        once += persons_with(d, 1u << k) == 1;
    }
    is("records", number(out, "records"), (double)d->n_records);
    is("persons", number(out, "persons"), (double)persons);
    is("items", number(out, "items"), (double)all);
    is("distinct items", number(out, "distinct_items"), (double)distinct);
    is("empty", number(out, "empty"), (double)empty);
    is("once", number(out, "once_share"), distinct ? (double)once / (double)distinct : 0);
    const lethe_json *length = lethe_json_get(out, "items_per_record"),
                     *per_person = lethe_json_get(out, "items_per_person");
    is("longest", number(length, "max"), (double)longest);
    is("mean length", number(length, "mean"), (double)all / (double)d->n_records);
    is("mean per person", number(per_person, "mean"), (double)of_persons / (double)persons);
    check_singled(d, out, persons);
    check_survival(d, out, all);
}

static void equals_brute_force(void **state)
{
    (void)state;
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    lethe_secret *key;
    assert_int_equal(lethe_secret_from_seed(4, &key), LETHE_OK);
    for (uint64_t i = 0; i < seeds(N_CASES); i++) {
        lethe_rng rng = lethe_rng_stream(key, "records", i);
        drawn d = draw(&rng);
        lethe_records *in = build(&d);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(lethe_profile_records(ctx, in, LETHE_PROFILE_WORK, doc, out), LETHE_OK);
        shown_case = i;
        check(&d, out);
        lethe_json_doc_free(doc);
        lethe_records_free(in);
    }
    lethe_secret_free(key);
    lethe_ctx_free(ctx);
}

/* With too little work shares are those of a sample, or too small, and it is said which. */
static void little_work(void **state)
{
    (void)state;
    lethe_ctx *ctx = NULL;
    size_t sampled = 0, undecided = 0;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    lethe_secret *key;
    assert_int_equal(lethe_secret_from_seed(6, &key), LETHE_OK);
    for (uint64_t i = 0; i < seeds(N_CASES); i++) {
        lethe_rng rng = lethe_rng_stream(key, "work", i);
        drawn d = draw(&rng);
        lethe_records *in = build(&d);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        uint64_t work = lethe_rng_below(&rng, 300);
        assert_int_equal(lethe_profile_records(ctx, in, work, doc, out), LETHE_OK);
        shown_case = i;
        double before = number(out, "unique_person_share"), persons = number(out, "persons");
        bool all = number(out, "singled_tried") == number(out, "singled_others"),
             decided = number(out, "singled_undecided") == 0;
        sampled += !all;
        undecided += !decided;
        for (int m = 1; m <= 3; m++) {
            const lethe_json *o = lethe_json_at(lethe_json_get(out, "singled_out"), (size_t)m - 1);
            double share = number(o, "share"), n = 0;
            for (size_t p = 0; p < d.n_persons; p++)
                n += is_there(&d, p) && is_singled(&d, p, m);
            assert_true(share >= before - 1e-12 && share <= 1 + 1e-12);
            if (m == 1 || (all && decided)) is("all decided", share, n / persons);
            if (all) assert_true(share <= n / persons + 1e-12);
            before = share;
        }
        lethe_json_doc_free(doc);
        lethe_records_free(in);
    }
    assert_true(sampled > 0 && undecided > 0);
    lethe_secret_free(key);
    lethe_ctx_free(ctx);
}

/* --- persons with more items than a word has bits --- */

enum { MANY = 150, FEW = 6 };

typedef struct wide {
    size_t n_persons, n_items;
    bool has[FEW][MANY];
} wide;

/* Persons who lack only a few items, so that it takes several to tell them apart. */
static wide wide_draw(lethe_rng *r)
{
    wide d = {.n_persons = 2 + lethe_rng_below(r, FEW - 1), .n_items = 60 + lethe_rng_below(r, 90)};
    size_t lacks = 1 + lethe_rng_below(r, 4);
    for (size_t p = 0; p < d.n_persons; p++) {
        memset(d.has[p], true, d.n_items);
        for (size_t k = 0; k < lacks; k++)
            d.has[p][lethe_rng_below(r, d.n_items)] = false;
    }
    return d;
}

static bool is_alone(const wide *d, size_t person, size_t a, size_t b, size_t c)
{
    for (size_t q = 0; q < d->n_persons; q++)
        if (q != person && d->has[q][a] && d->has[q][b] && d->has[q][c]) return false;
    return d->has[person][a] && d->has[person][b] && d->has[person][c];
}

/* a <= b <= c: sets of up to three. */
static int wide_singled(const wide *d, size_t person)
{
    int least = 4;
    for (size_t a = 0; a < d->n_items; a++)
        for (size_t b = a; b < d->n_items; b++)
            for (size_t c = b; c < d->n_items; c++) {
                int n = 1 + (b != a) + (c != b);
                if (n < least && is_alone(d, person, a, b, c)) least = n;
            }
    return least;
}

static void many_items(void **state)
{
    (void)state;
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    lethe_secret *key;
    assert_int_equal(lethe_secret_from_seed(5, &key), LETHE_OK);
    for (uint64_t i = 0; i < seeds(40); i++) {
        lethe_rng rng = lethe_rng_stream(key, "wide", i);
        wide d = wide_draw(&rng);
        lethe_records_builder *b = lethe_records_builder_new();
        lethe_records *in = NULL;
        size_t by[5] = {0};
        for (size_t p = 0; p < d.n_persons; p++) {
            assert_int_equal(lethe_records_begin(b, NULL, p), LETHE_OK);
            for (size_t k = 0; k < d.n_items; k++) {
                char name[16];
                snprintf(name, sizeof name, "i%zu", k);
                if (d.has[p][k])
                    assert_int_equal(lethe_records_item(b, (lethe_str){name, strlen(name)}),
                                     LETHE_OK);
            }
            by[wide_singled(&d, p)]++;
        }
        assert_int_equal(lethe_records_build(b, &in), LETHE_OK);
        lethe_records_builder_free(b);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(lethe_profile_records(ctx, in, LETHE_PROFILE_WORK, doc, out), LETHE_OK);
        shown_case = i;
        for (size_t m = 1, n = 0; m <= 3; m++) {
            n += by[m];
            is("singled out of many",
               number(lethe_json_at(lethe_json_get(out, "singled_out"), m - 1), "share"),
               (double)n / (double)d.n_persons);
        }
        lethe_json_doc_free(doc);
        lethe_records_free(in);
    }
    lethe_secret_free(key);
    lethe_ctx_free(ctx);
}

/* The n-th allocation fails, for all n: that is reported, and nothing is lost. */
static void memory_may_lack(void **state)
{
    (void)state;
    lethe_ctx *ctx = NULL;
    lethe_err e = LETHE_ENOMEM;
    lethe_secret *key;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    assert_int_equal(lethe_secret_from_seed(7, &key), LETHE_OK);
    lethe_rng rng = lethe_rng_stream(key, "memory", 0);
    drawn d = draw(&rng);
    lethe_records *in = build(&d);
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(++n);
        e = lethe_profile_records(ctx, in, LETHE_PROFILE_WORK, doc, out);
        lethe_alloc_fail_at(0);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 3);
    lethe_records_free(in);
    lethe_secret_free(key);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_brute_force),
                                       cmocka_unit_test(little_work), cmocka_unit_test(many_items),
                                       cmocka_unit_test(memory_may_lack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
