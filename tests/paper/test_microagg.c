/* SPDX-License-Identifier: Apache-2.0 */
/* Erola and others, "Semantic microaggregation for the anonymization of query logs using the Open
 * Directory Project": a worked example of seven users with coins that all fall one way (golden
 * odp-05 to odp-10, odp-12 to odp-15), the example of section 3.3 (odp-16) and that of section 2.3
 * (odp-17). */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/microagg/centroid.h"
#include "method/microagg/srp.h"
#include "golden.h"
#include "log_oracle.h"

enum { LEVELS = 3 };

/* --- a vector's users, texts and directory --- */

typedef struct example {
    lethe_ctx *ctx;
    lethe_directory *dir;
    lethe_user_texts *users;
    lethe_classes *classes;
    lethe_user_interests interests;
} example;

static lethe_directory *directory_of(const lethe_json *v)
{
    const lethe_json *terms = golden_object(v, "input.categories");
    char *text = NULL;
    size_t n = 0;
    lethe_directory *dir = NULL;
    lethe_ctx *ctx = o_ctx(1, 0);
    FILE *f = open_memstream(&text, &n);
    for (size_t i = 0; i < lethe_json_count(terms); i++) {
        lethe_str term = lethe_json_name(terms, i);
        const lethe_json *paths = lethe_json_at(terms, i);
        for (size_t p = 0; p < lethe_json_count(paths); p++) {
            const lethe_json *parts = lethe_json_at(paths, p);
            fprintf(f, "%.*s\t", (int)term.n, term.at);
            for (size_t k = 0; k < lethe_json_count(parts); k++) {
                lethe_str part = lethe_json_text(lethe_json_at(parts, k));
                fprintf(f, "%s%.*s", k ? "/" : "", (int)part.n, part.at);
            }
            fputc('\n', f);
        }
    }
    fclose(f);
    assert_int_equal(lethe_directory_memory(ctx, (lethe_str){text, n}, &dir), LETHE_OK);
    free(text);
    lethe_ctx_free(ctx);
    return dir;
}

/* The users' queries one after the other, a second apart. */
static lethe_user_texts *users_of(lethe_ctx *ctx, const lethe_json *v)
{
    const lethe_json *users = golden_object(v, "input.users");
    lethe_user_texts *out = NULL;
    lethe_log *log = NULL;
    uint64_t line = 0;
    assert_int_equal(lethe_log_store(ctx, (uint64_t)1 << 20, &log), LETHE_OK);
    for (size_t u = 0; u < lethe_json_count(users); u++) {
        const lethe_json *queries = lethe_json_at(users, u);
        for (size_t q = 0; q < lethe_json_count(queries); q++) {
            lethe_str name = lethe_json_name(users, u);
            lethe_row row = {.origin = line++,
                             .owner = name,
                             .user = name,
                             .query = lethe_json_text(lethe_json_at(queries, q)),
                             .url = {"", 0},
                             .time = (int64_t)q,
                             .rank = LETHE_NO_RANK};
            assert_int_equal(lethe_log_append(log, 0, &row), LETHE_OK);
        }
    }
    assert_int_equal(lethe_user_texts_read(ctx, log, NULL, NULL, 1 << 20, &out), LETHE_OK);
    lethe_log_free(log);
    assert_int_equal(out->n, lethe_json_count(users));
    return out;
}

static example example_open(const lethe_json *v)
{
    example x = {.ctx = o_ctx(2, 0), .dir = directory_of(v)};
    x.users = users_of(x.ctx, v);
    assert_int_equal(lethe_classes_new(x.ctx, x.dir, x.users->texts, 0, &x.classes), LETHE_OK);
    lethe_classes_cut(x.classes, LEVELS);
    assert_int_equal(lethe_user_interests_new(x.ctx, x.classes, x.users, &x.interests), LETHE_OK);
    return x;
}

static void example_close(example *x)
{
    lethe_user_interests_free(&x->interests);
    lethe_classes_free(x->classes);
    lethe_user_texts_free(x->users);
    lethe_directory_free(x->dir);
    lethe_ctx_free(x->ctx);
}

static uint32_t user_of(const example *x, lethe_str name)
{
    for (uint32_t u = 0; u < x->users->n; u++)
        if (lethe_str_eq(x->users->name[u], name)) return u;
    fail_msg("no user '%.*s'", (int)name.n, name.at);
    return 0;
}

/* --- lists --- */

static bool all_succeed(void *arg, uint64_t more, uint64_t of)
{
    (void)arg, (void)more, (void)of;
    return true;
}
static bool all_fail(void *arg, uint64_t more, uint64_t of)
{
    (void)arg, (void)more, (void)of;
    return false;
}

static uint64_t queries_of(const example *x, uint32_t user)
{
    uint64_t n = 0;
    for (uint64_t i = x->users->start[user]; i < x->users->start[user + 1]; i++)
        n += x->users->queries[i];
    return n;
}

/* In the vector's order: member by member, each as sorted. */
static void list_is(const lethe_json *v, const example *x, const lethe_centroid *c)
{
    const lethe_json *want = golden_array(v, "expected.centroid");
    size_t n, at = 0;
    const lethe_centroid_query *d = lethe_centroid_list(c, &n);
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < d[i].copies; k++, at++) {
            lethe_str text = lethe_dict_at(x->users->texts, d[i].published);
            if (at >= lethe_json_count(want) ||
                !lethe_str_eq(lethe_json_text(lethe_json_at(want, at)), text))
                fail_msg("%.*s: item %zu is '%.*s'", GOLDEN_ID(v), at, (int)text.n, text.at);
            assert_true(lethe_centroid_has(c, d[i].published));
        }
    if (at != lethe_json_count(want)) fail_msg("%.*s: %zu items", GOLDEN_ID(v), at);
}

static void shares_are(const lethe_json *v, const example *x, const uint32_t *member, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += queries_of(x, member[i]);
    for (size_t i = 0; i < n; i++) {
        char path[64];
        lethe_str name = x->users->name[member[i]];
        uint64_t mine = queries_of(x, member[i]);
        snprintf(path, sizeof path, "expected.quota.%.*s", (int)name.n, name.at);
        assert_int_equal(lethe_centroid_quota(mine, n), golden_int(v, path));
        snprintf(path, sizeof path, "expected.contrib.%.*s", (int)name.n, name.at);
        golden_expect(v, path, golden_fraction(v, path), fraction_of((int64_t)mine, (int64_t)all));
    }
}

/* SRP by level, as an exact fraction: what is added up over one user is that user's. */
static void remains_are(const lethe_json *v, const example *x, const lethe_centroid *c,
                        uint32_t user)
{
    lethe_microagg_tally published;
    lethe_srp r;
    size_t n;
    lethe_str name = x->users->name[user];
    const lethe_centroid_query *d = lethe_centroid_list(c, &n);
    assert_int_equal(lethe_microagg_tally_new(x->dir, &published), LETHE_OK);
    assert_int_equal(lethe_srp_new(LEVELS, &r), LETHE_OK);
    for (size_t i = 0; i < n; i++)
        lethe_microagg_tally_add(&published, x->classes, d[i].source, d[i].copies, false);
    lethe_srp_add(&r, &x->interests.of, user, &published);
    for (uint32_t l = 0; l < LEVELS; l++) {
        char path[64];
        snprintf(path, sizeof path, "expected.SRP.%.*s.%u", (int)name.n, name.at, l + 1);
        fraction want = golden_fraction(v, path);
        golden_expect(v, path, want, fraction_of((int64_t)r.common[l], (int64_t)r.original[l]));
        assert_int_equal(r.users[l], 1);
        assert_true(r.level[l] == (double)r.common[l] / (double)r.original[l]);
    }
    lethe_srp_free(&r);
    lethe_microagg_tally_free(&published);
}

static void one_group(const lethe_json *v)
{
    example x = example_open(v);
    const lethe_json *names = golden_array(v, "input.cluster");
    uint32_t member[8];
    size_t n = lethe_json_count(names);
    lethe_centroid c = {0};
    uint8_t *barred = calloc(lethe_dict_count(x.users->texts), 1);
    bool heads = lethe_str_eq(golden_text(v, "parameters.coin"), LETHE_LIT("all coins succeed"));
    for (size_t i = 0; i < n; i++)
        member[i] = user_of(&x, lethe_json_text(lethe_json_at(names, i)));
    lethe_centroid_texts lists = {.of = x.users, .barred = barred};
    assert_int_equal(
        lethe_centroid_draw(&c, &lists, member, n, heads ? all_succeed : all_fail, NULL), LETHE_OK);
    list_is(v, &x, &c);
    shares_are(v, &x, member, n);
    for (size_t i = 0; i < n; i++)
        remains_are(v, &x, &c, member[i]);
    lethe_centroid_free(&c);
    free(barred);
    example_close(&x);
}

static void groups_have_the_lists_worked_out_by_hand(void **state)
{
    (void)state;
    golden g = golden_open("odp");
    for (int i = 5; i <= 15; i++) {
        char id[16];
        if (i == 11) continue; /* groups, not lists */
        snprintf(id, sizeof id, "odp-%02d", i);
        one_group(golden_vector(&g, id));
    }
    golden_close(&g);
}

/* "3 * 0.4 = 1.2: the method adds one query and then randomly chooses to add it again or not
 * according to the presence probability 0.2" (section 3.3). */
static void the_papers_query_is_added_once_and_perhaps_again(void **state)
{
    (void)state;
    golden g = golden_open("odp");
    const lethe_json *v = golden_vector(&g, "odp-16");
    fraction contrib = golden_fraction(v, "input.contrib");
    uint64_t times = (uint64_t)golden_int(v, "input.repetitions");
    for (uint64_t scale = 2; scale < 9; scale++) { /* a member needs the 3 queries at least */
        lethe_centroid_copies e = lethe_centroid_expect((uint64_t)contrib.num * scale, times,
                                                        (uint64_t)contrib.den * scale);
        assert_int_equal(e.copies, golden_int(v, "expected.certain_copies"));
        golden_expect(v, "chance", golden_fraction(v, "expected.probability_of_one_more"),
                      fraction_of((int64_t)e.more, (int64_t)e.of));
    }
    golden_close(&g);
}

/* Sports: Soccer: UEFA: ...: `with l = 1 we only work with Sports, with l = 2 with Sports: Soccer`
 * (section 2.3). */
static void a_path_counts_down_to_its_level(void **state)
{
    (void)state;
    golden g = golden_open("odp");
    const lethe_json *v = golden_vector(&g, "odp-17");
    lethe_str path = golden_text(v, "input.path");
    lethe_ctx *ctx = o_ctx(1, 0);
    char line[256];
    int n = snprintf(line, sizeof line, "barcelona\t%.*s\n", (int)path.n, path.at);
    assert_true(n > 0 && (size_t)n < sizeof line);
    for (char *colon; (colon = strchr(line, ':'));)
        *colon = '/';
    for (uint32_t levels = 1; levels <= 2; levels++) {
        lethe_directory *dir = NULL;
        lethe_classes *c = NULL;
        lethe_dict *texts = lethe_dict_new();
        uint32_t text;
        char got[256] = "", id[8];
        lethe_microagg_tally t;
        assert_int_equal(lethe_directory_memory(ctx, lethe_str_of(line), &dir), LETHE_OK);
        assert_int_equal(lethe_dict_add(texts, LETHE_LIT("barcelona"), &text), LETHE_OK);
        assert_int_equal(lethe_classes_new(ctx, dir, texts, 1, &c), LETHE_OK);
        lethe_classes_cut(c, levels);
        assert_int_equal(lethe_microagg_tally_new(dir, &t), LETHE_OK);
        lethe_microagg_tally_add(&t, c, text, 1, false);
        lethe_microagg_tally_sort(&t); /* parents come first */
        assert_int_equal(t.n, levels);
        for (uint32_t i = 0; i < t.n; i++) {
            lethe_str name = lethe_directory_name(dir, t.touched[i]);
            assert_int_equal(t.count[t.touched[i]], 1);
            sprintf(got + strlen(got), "%s%.*s", i ? ":" : "", (int)name.n, name.at);
        }
        snprintf(id, sizeof id, "l=%u", levels);
        lethe_str want = lethe_json_text(lethe_json_get(golden_object(v, "expected"), id));
        assert_true(lethe_str_eq(want, lethe_str_of(got)));
        lethe_microagg_tally_free(&t);
        lethe_classes_free(c);
        lethe_dict_free(texts);
        lethe_directory_free(dir);
    }
    lethe_ctx_free(ctx);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_have_the_lists_worked_out_by_hand),
        cmocka_unit_test(the_papers_query_is_added_once_and_perhaps_again),
        cmocka_unit_test(a_path_counts_down_to_its_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
