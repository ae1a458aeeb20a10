/* SPDX-License-Identifier: Apache-2.0 */
/* microagg against a literal implementation over texts and a matrix; and its parts. */
/* suite: threads */
#include "microagg_harness.h"
#include "microagg_oracle.h"
#include "seeds.h"
#include "method/microagg/centroid.h"
#include "core/ctx.h"
#include <inttypes.h>
#include <math.h>

#define N_WORLDS seeds(2500)
enum { LIST_MAX = 512 };

/* --- worlds --- */

static void draw_directory(m_world *w, uint64_t *seed, char *lines)
{
    size_t deepest = 1 + o_below(seed, 5), fan = 1 + o_below(seed, 3);
    w->n = o_below(seed, 3) ? 4 + o_below(seed, 6) : 1 + o_below(seed, 2);
    lines[0] = '\0';
    for (size_t i = 0; i < w->n; i++) {
        m_term *t = &w->term[i];
        snprintf(t->word, sizeof t->word, "w%u", (unsigned)i);
        size_t n = 1 + o_below(seed, M_PATHS);
        t->n = 0;
        for (size_t p = 0; p < n; p++) {
            char *path = t->path[t->n];
            bool again = false;
            path[0] = '\0';
            for (size_t l = 0, depth = 1 + o_below(seed, deepest); l < depth; l++)
                sprintf(path + strlen(path), "%sc%zu", l ? "/" : "", o_below(seed, fan));
            for (size_t q = 0; q < t->n; q++)
                again |= strcmp(t->path[q], path) == 0;
            t->n += !again;
        }
        for (size_t p = 0; p < t->n; p++)
            sprintf(lines + strlen(lines), "%s\t%s\n", t->word, t->path[p]);
    }
}

/* A text as typed, and as it is when personal data is masked. */
static void draw_text(uint64_t *seed, size_t n_terms, char typed[64], char masked[64])
{
    static const char *const odd[][2] = {{"w1 212-555-0187", "w1 [phone]"},
                                         {"joe.doe@aol.com w0 w0", "[email] w0 w0"},
                                         {"joe.doe@aol.com", "[email]"},
                                         {"zz", "zz"},
                                         {"!", "!"}};
    typed[0] = '\0';
    if (o_below(seed, 8) == 0) {
        size_t i = o_below(seed, sizeof odd / sizeof *odd);
        strcpy(typed, odd[i][0]);
        strcpy(masked, odd[i][1]);
        return;
    }
    for (size_t i = 0, n = 1 + o_below(seed, 3); i < n; i++)
        sprintf(typed + strlen(typed), "%sw%zu", i ? " " : "", o_below(seed, n_terms + 2));
    strcpy(masked, typed);
}

/* `seen` is what the oracle is given: masked. */
static void draw_log(uint64_t *seed, size_t n_terms, bool masks, olog *typed, olog *seen)
{
    size_t n = 1 + o_below(seed, 50), n_users = 1 + o_below(seed, 10),
           n_texts = 2 + o_below(seed, 9);
    size_t n_times = 1 + o_below(seed, 12);
    char text[16][2][64];
    for (size_t i = 0; i < n_texts; i++)
        draw_text(seed, n_terms, text[i][0], text[i][1]);
    *typed = (olog){calloc(n, sizeof(orow)), n};
    *seen = (olog){calloc(n, sizeof(orow)), n};
    for (size_t i = 0; i < n; i++) {
        orow *r = &typed->at[i];
        size_t t = o_below(seed, n_texts), second = o_below(seed, n_times);
        snprintf(r->user, sizeof r->user, "%zu", o_below(seed, n_users));
        strcpy(r->owner, r->user);
        strcpy(r->query, text[t][0]);
        r->time = second ? 1141171200 + (int64_t)second : LETHE_NO_TIME;
        r->rank = o_below(seed, 2) ? LETHE_NO_RANK : 3;
        if (r->rank == 3) strcpy(r->url, "http://www.a.com");
        seen->at[i] = *r;
        if (masks) strcpy(seen->at[i].query, text[t][1]);
    }
}

/* The method, with these threads. */
static lethe_err run(harness *h, unsigned threads, const olog *log, const h_how *how)
{
    h_begin(h, o_ctx(threads, 0));
    lethe_err err = h_run_rows(h, log, how);
    h_sort(&h->rows);
    return err;
}

static void end(harness *h)
{
    lethe_ctx *ctx = h->ctx;
    h_end(h);
    lethe_ctx_free(ctx);
}

/* --- what is expected --- */

typedef struct expected {
    m_user user[M_USERS];
    size_t n, n_groups, n_kept;
    olog rows;
    size_t reach[M_LEVELS + 1], terms; /* of levels 1 on */
    size_t query_reach[M_LEVELS + 1], queries;
    uint64_t common[M_LEVELS + 1], original[M_LEVELS + 1]; /* of all users */
    double srp[M_LEVELS + 1], so_far[M_LEVELS + 1];
    size_t users[M_LEVELS + 1], users_so_far[M_LEVELS + 1];
} expected;

static void expect_reach(expected *e, const m_world *w)
{
    for (size_t u = 0; u < e->n; u++)
        for (size_t q = 0; q < e->user[u].n; q++) {
            bool found[M_LEVELS + 1] = {false};
            M_EACH_WORD(e->user[u].query[q].text, word)
            {
                const m_term *t = m_find(w, word);
                char prefix[64];
                e->terms++;
                for (size_t l = 1; l <= M_LEVELS; l++) {
                    bool reaches = false;
                    for (size_t i = 0; t && i < t->n && i < w->categories; i++)
                        reaches |= m_prefix(t->path[i], l, prefix);
                    e->reach[l] += reaches;
                    found[l] |= reaches;
                }
            }
            e->queries++;
            for (size_t l = 1; l <= M_LEVELS; l++)
                e->query_reach[l] += found[l];
        }
}

static void expect_srp(expected *e, const m_world *w, size_t u, const m_counts *published)
{
    static m_counts own;
    uint64_t common_so_far = 0, all_so_far = 0;
    m_count_user(w, &e->user[u], &own);
    for (size_t l = 1; l <= w->levels; l++) {
        uint64_t common = 0, all = 0;
        for (size_t i = 0; i < own.n_prefixes; i++) {
            uint64_t there = m_counted(published, own.prefix[i]);
            if (own.level[i] != l) continue;
            all += own.n[i];
            common += own.n[i] < there ? own.n[i] : there;
        }
        e->common[l] += common;
        e->original[l] += all;
        common_so_far += common;
        all_so_far += all;
        if (all) e->srp[l] += (double)common / (double)all, e->users[l]++;
        if (all_so_far)
            e->so_far[l] += (double)common_so_far / (double)all_so_far, e->users_so_far[l]++;
    }
}

/* The most that any `length` copies of these texts are worth. */
static uint64_t worth_of_best(const expected *e, const m_world *w, size_t g, m_cover *covers,
                              size_t n, size_t first, uint64_t length)
{
    uint64_t most = m_worth(w, e->user, e->n, g, covers, n);
    for (size_t i = first; i < n && length > 0; i++) {
        covers[i].copies++;
        uint64_t worth = worth_of_best(e, w, g, covers, n, i, length - 1);
        covers[i].copies--;
        most = worth > most ? worth : most;
    }
    return most;
}

/* Nemhauser and others: what covers a group is worth 1 - 1/e of the best list as long, at least. */
static void check_coverage(const expected *e, const m_world *w, size_t g, const m_item *list,
                           size_t n_list)
{
    static m_cover covers[M_USERS * M_QUERIES];
    size_t n = m_covers(w, e->user, e->n, g, covers), length = 0;
    for (size_t i = 0; i < n_list; i++)
        for (size_t k = 0; k < n; k++)
            if (covers[k].classified && strcmp(covers[k].item.shown, list[i].shown) == 0)
                covers[k].copies++, length++;
    if (n > 4 || length > 5) return;
    uint64_t worth = m_worth(w, e->user, e->n, g, covers, n);
    for (size_t i = 0; i < n; i++)
        covers[i].copies = 0;
    uint64_t best = worth_of_best(e, w, g, covers, n, 0, length);
    if ((double)worth < (1 - exp(-1)) * (double)best)
        fail_msg("group %zu: worth %" PRIu64 " of %" PRIu64, g, worth, best);
}

/* Rows of the members of a group, and how many lines stand behind them. */
static void expect_group(expected *e, const m_world *w, size_t g, const lethe_secret *key)
{
    static m_item list[LIST_MAX];
    static m_counts published;
    lethe_rng r = lethe_rng_stream(key, "microagg", g);
    size_t n = w->paper ? m_centroid(w, e->user, e->n, g, &r, list, LIST_MAX)
                        : m_coverage(w, e->user, e->n, g, list, LIST_MAX);
    if (!w->paper) check_coverage(e, w, g, list, n);
    published.n_prefixes = 0;
    for (size_t i = 0; i < n; i++)
        m_count_text(w, &published, list[i].source, 1, w->synthetic);
    for (size_t u = 0; u < e->n; u++) {
        if (e->user[u].group != g) continue;
        for (size_t i = 0; i < n; i++) {
            e->rows.at = realloc(e->rows.at, (e->rows.n + 1) * sizeof(orow));
            orow *row = &e->rows.at[e->rows.n++];
            *row = (orow){.time = LETHE_NO_TIME, .rank = LETHE_NO_RANK};
            strcpy(row->user, e->user[u].name);
            strcpy(row->owner, e->user[u].name);
            strcpy(row->query, list[i].shown);
        }
        for (size_t q = 0; q < e->user[u].n; q++) {
            char shown[256];
            bool there = false, any = m_shown(w, e->user[u].query[q].text, shown);
            for (size_t i = 0; any && i < n; i++)
                there |= strcmp(list[i].shown, shown) == 0;
            if (there) e->n_kept += e->user[u].query[q].rows;
        }
        expect_srp(e, w, u, &published);
    }
}

/* --- one world --- */

static bool near(const lethe_json *v, double sum, size_t n)
{
    if (n == 0) return lethe_json_kind(v) == LETHE_JSON_NULL;
    double d = lethe_json_real(v) - sum / (double)n;
    return lethe_json_kind(v) == LETHE_JSON_REAL && d < 1e-12 && d > -1e-12;
}

static bool figures_agree(const harness *h, const expected *e, const m_world *w)
{
    const lethe_json *classified = lethe_json_get(h->metrics, "classified");
    const lethe_json *srp = lethe_json_get(h->metrics, "srp"),
                     *so_far = lethe_json_get(h->metrics, "srp_cumulative"),
                     *volume = lethe_json_get(h->metrics, "srp_volume"),
                     *queries = lethe_json_get(h->metrics, "classified_queries");
    if (lethe_json_count(volume) != w->levels || lethe_json_count(queries) != w->levels ||
        lethe_json_count(classified) != w->levels || lethe_json_count(srp) != w->levels ||
        lethe_json_count(so_far) != w->levels)
        return false;
    for (size_t l = 1; l <= w->levels; l++) {
        double share = e->terms ? (double)e->reach[l] / (double)e->terms : 0;
        double of_queries = e->queries ? (double)e->query_reach[l] / (double)e->queries : 0;
        if (!near(lethe_json_at(classified, l - 1), share, 1) ||
            !near(lethe_json_at(queries, l - 1), of_queries, 1) ||
            !near(lethe_json_at(volume, l - 1), (double)e->common[l], e->original[l]) ||
            !near(lethe_json_at(srp, l - 1), e->srp[l], e->users[l]) ||
            !near(lethe_json_at(so_far, l - 1), e->so_far[l], e->users_so_far[l]))
            return false;
    }
    return h_figure(h, "clusters") == (int64_t)e->n_groups &&
           h_figure(h, "rows_out") == (int64_t)e->rows.n;
}

static bool same_rows(const olog *a, const olog *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (h_by_all(&a->at[i], &b->at[i]) != 0) return false;
    return true;
}

/* By chance, who is with whom is seen in the lists alone: groups are taken from a run of which the
 * lists are known, so only what must hold for any groups is checked. */
static void check_by_chance(uint64_t number, const harness *h, const olog *log, size_t k)
{
    if (h->kept + h->dropped != log->n) fail_msg("world %" PRIu64 ": rows are lost", number);
    if (h->rows.n > 0 && !h_holds(h, 0)) fail_msg("world %" PRIu64 ": not %zu alike", number, k);
}

/* One text of one user that nobody else has: the promise is broken. */
static bool broken_is_noticed(harness *h)
{
    char *text = h->rows.at[h->rows.n / 2].query, kept[64];
    snprintf(kept, sizeof kept, "%s", text);
    strcpy(text, "nobody's");
    bool holds = h_holds(h, 0);
    strcpy(text, kept);
    return !holds;
}

static void check_world(uint64_t number, const m_world *w, harness *h, lethe_err err,
                        const olog *log, expected *e, uint64_t key_seed)
{
    lethe_secret *key = NULL;
    lethe_err want = e->n < w->k || e->reach[1] == 0 ? LETHE_ANSWER_NO : LETHE_OK;
    if (want == LETHE_OK) {
        assert_int_equal(lethe_secret_from_seed(key_seed, &key), LETHE_OK);
        e->n_groups = m_group(w, e->user, e->n);
        for (size_t g = 0; g < e->n_groups; g++)
            expect_group(e, w, g, key);
        lethe_secret_free(key);
        h_sort(&e->rows);
        if (e->rows.n == 0) want = LETHE_ANSWER_NO;
        if (!same_rows(&h->rows, &e->rows)) fail_msg("world %" PRIu64 ": other rows", number);
        if (h->kept != e->n_kept || h->kept + h->dropped != log->n)
            fail_msg("world %" PRIu64 ": %" PRIu64 " kept, not %zu; %" PRIu64 " dropped of %zu",
                     number, h->kept, e->n_kept, h->dropped, log->n);
        if (!figures_agree(h, e, w)) fail_msg("world %" PRIu64 ": other figures", number);
        for (size_t i = 0; want == LETHE_OK && i < lethe_json_count(h->claims); i++)
            if (!h_holds(h, i)) fail_msg("world %" PRIu64 ": claim %zu is broken", number, i);
        if (want == LETHE_OK && !broken_is_noticed(h))
            fail_msg("world %" PRIu64 ": another list passes", number);
    }
    if (err != want)
        fail_msg("world %" PRIu64 ": %s, not %s", number, lethe_err_name(err),
                 lethe_err_name(want));
}

static void settle_levels(m_world *w, const expected *e, bool automatic)
{
    if (!automatic) return;
    for (w->levels = 1; w->levels < M_LEVELS && 2 * e->query_reach[w->levels + 1] >= e->queries &&
                        e->query_reach[w->levels + 1] > 0;)
        w->levels++;
}

static void one_world(uint64_t number)
{
    static expected e;
    uint64_t seed = number * 0x9e3779b97f4a7c15u + 1;
    char lines[8192], path[64], options[256], levels[16], categories[16];
    m_world w = {0};
    olog typed, seen;
    bool automatic = o_below(&seed, 4) == 0, all = o_below(&seed, 4) == 0;
    bool masks = o_below(&seed, 4) > 0;
    draw_directory(&w, &seed, lines);
    h_directory(lines, path);
    draw_log(&seed, w.n, masks, &typed, &seen);
    w.levels = 1 + o_below(&seed, M_LEVELS - 1);
    w.categories = all ? M_PATHS : 1 + o_below(&seed, 3);
    w.k = 2 + o_below(&seed, 3);
    w.min_users = 1 + o_below(&seed, 3);
    w.synthetic = o_below(&seed, 3) == 0;
    w.by_chance = o_below(&seed, 6) == 0;
    w.paper = o_below(&seed, 3) == 0;
    snprintf(levels, sizeof levels, automatic ? "auto" : "%zu", w.levels);
    snprintf(categories, sizeof categories, all ? "all" : "%zu", w.categories);
    snprintf(options, sizeof options,
             "k=%zu levels=%s categories=%s min-users=%zu cluster=%s list=%s%s%s", w.k, levels,
             categories, w.min_users, w.by_chance ? "random" : "similarity",
             w.paper ? "paper" : "coverage", w.synthetic ? " synthetic=1" : "",
             masks ? "" : " no-scrub=1");
    h_how how = {.options = options, .directory = path, .seed = number};
    harness h, other;
    lethe_err err = run(&h, 1, &typed, &how);
    e = (expected){.rows = {NULL, 0}};
    e.n = m_users(&seen, e.user);
    expect_reach(&e, &w);
    settle_levels(&w, &e, automatic);
    if (!w.by_chance)
        check_world(number, &w, &h, err, &typed, &e, number);
    else if (e.n >= w.k)
        check_by_chance(number, &h, &typed, w.k);
    else
        assert_int_equal(err, LETHE_ANSWER_NO);
    if (number % 8 == 0) {
        assert_int_equal(run(&other, number % 16 ? 2 : 7, &typed, &how), err);
        if (!same_rows(&h.rows, &other.rows)) fail_msg("world %" PRIu64 ": threads count", number);
        char *a = lethe_json_write(h.metrics, 0, NULL),
             *b = lethe_json_write(other.metrics, 0, NULL);
        assert_string_equal(a, b);
        lethe_json_text_free(a);
        lethe_json_text_free(b);
        end(&other);
    }
    free(e.rows.at);
    end(&h);
    unlink(path);
    o_free(&typed);
    o_free(&seen);
}

static void worlds_agree_with_the_literal_method(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < N_WORLDS; i++)
        one_world(i);
}

/* --- Algorithm 5 by itself --- */

typedef struct coins {
    uint64_t bits;
    size_t thrown;
    double chance; /* of these throws, all together */
} coins;

static bool throw_coin(void *arg, uint64_t more, uint64_t of)
{
    coins *c = arg;
    bool head = c->bits >> c->thrown++ & 1;
    assert_true(more > 0 && more < of && c->thrown < 64);
    c->chance *= (double)(head ? more : of - more) / (double)of;
    return head;
}

/* With every way that the coins can fall: what is taken is what the text says, and what is expected
 * of the first query is Contrib times its repetitions, unless the quota cuts it. */
static void every_fall_of_the_coins_is_as_the_paper_says(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 3000; number++) {
        uint64_t seed = number, times[6], copies[6], queries = 0;
        size_t n = 1 + o_below(&seed, 6), members = 1 + o_below(&seed, 5);
        for (size_t i = 0; i < n; i++)
            queries += times[i] = 1 + o_below(&seed, i ? times[i - 1] : 6);
        uint64_t of = queries + o_below(&seed, 12), quota = (2 * queries + members) / (2 * members);
        double mean = 0, total = 0;
        assert_int_equal(lethe_centroid_quota(queries, members), quota);
        for (uint64_t bits = 0; bits < 64; bits++) {
            coins c = {.bits = bits, .chance = 1};
            uint64_t taken = lethe_centroid_take(times, n, members, of, throw_coin, &c, copies);
            uint64_t sum = 0, reached = 0;
            size_t coin = 0;
            for (size_t i = 0; i < n; i++) {
                uint64_t p = queries * times[i], whole = p / of, want = 0;
                lethe_centroid_copies e = lethe_centroid_expect(queries, times[i], of);
                assert_true(e.copies == whole && e.more == p % of && e.of == of);
                if (reached < quota) {
                    want = whole;
                    if (p % of) want += bits >> coin++ & 1;
                    if (reached + want > quota) want = quota - reached;
                }
                reached += want;
                if (copies[i] != want) fail_msg("case %" PRIu64 ", item %zu", number, i);
                sum += copies[i];
            }
            assert_int_equal(sum, taken);
            assert_int_equal(coin, c.thrown);
            assert_true(taken <= quota);
            if (bits >> c.thrown) continue; /* a fall is counted once */
            total += c.chance;
            mean += c.chance * (double)copies[0];
        }
        double want = (double)(queries * times[0]) / (double)of;
        assert_true(total > 1 - 1e-9 && total < 1 + 1e-9);
        if ((queries * times[0] + of - 1) / of <= quota)
            assert_true(mean > want - 1e-9 && mean < want + 1e-9);
    }
}

static void great_numbers_do_not_overflow(void **state)
{
    (void)state;
    uint64_t big = UINT64_C(1) << 62;
    lethe_centroid_copies e = lethe_centroid_expect(big, big, 2 * big);
    assert_true(e.copies == big / 2 && e.more == 0);
    e = lethe_centroid_expect(big + 1, big + 1, 2 * big + 3);
    assert_true(e.copies == big / 2 && e.more == big / 2 + 1); /* (b+1)^2 = (2b+3) b/2 + b/2 + 1 */
    assert_true(lethe_centroid_quota(UINT64_MAX, 2) == (UINT64_C(1) << 63));
    assert_true(lethe_centroid_quota(UINT64_MAX, UINT64_MAX) == 1);
    assert_true(lethe_centroid_quota(3, 2) == 2 && lethe_centroid_quota(1, 2) == 1);
    assert_true(lethe_centroid_quota(1, 3) == 0 && lethe_centroid_quota(0, 3) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_agree_with_the_literal_method),
        cmocka_unit_test(every_fall_of_the_coins_is_as_the_paper_says),
        cmocka_unit_test(great_numbers_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
