/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of personas by day, gap and query against brute force: small logs with and without
 * times, each verdict and each number of undecided rows found by trying everything. */
/* suite: threads */
#include "split_harness.h"
#include "seeds.h"

#define N_LOGS seeds(4000)
#define DAY_S INT64_C(86400)
#define ROWS_MAX 6

enum by { BY_DAY, BY_GAP, BY_QUERY };

/* A published log, its times as they are written. */
typedef struct trial {
    enum by by;
    int64_t gap_s, span_s; /* span_s: of a published time; 0: times are not published */
    bool last;             /* no later step */
    size_t n;
    orow row[ROWS_MAX];
} trial;

typedef struct verdict {
    bool holds;
    int64_t undecided, timeless;
} verdict;

/* --- what is true --- */

/* The rows of one user, by number; those without a time are in no span. */
typedef struct persona {
    const trial *t;
    size_t n, row[ROWS_MAX];
} persona;

static int64_t begin_of(const persona *p, size_t i) { return p->t->row[p->row[i]].time; }
static int64_t end_of(const persona *p, size_t i) { return begin_of(p, i) + p->t->span_s - 1; }

/* Is there a stretch of 24 hours that every span meets?  One that begins where a span does, or ends
 * where one ends, is as good as any. */
static bool fits_a_day(const persona *p)
{
    for (size_t k = 0; k < 4 * p->n; k++) {
        const int64_t from[] = {begin_of(p, k / 4), end_of(p, k / 4),
                                begin_of(p, k / 4) - DAY_S + 1, end_of(p, k / 4) - DAY_S + 1};
        bool all = true;
        for (size_t i = 0; i < p->n; i++)
            all = all && begin_of(p, i) < from[k % 4] + DAY_S && end_of(p, i) >= from[k % 4];
        if (all) return true;
    }
    return p->n == 0;
}

/* Can the rows of `left` follow each other in some order, the last one before them at an instant of
 * [lo, hi], with no pause longer than the gap? */
static bool follow(const persona *p, unsigned left, int64_t lo, int64_t hi)
{
    if (left == 0) return true;
    for (size_t i = 0; i < p->n; i++) {
        if (!(left >> i & 1)) continue;
        int64_t from = LETHE_MAX(lo, begin_of(p, i));
        int64_t to = LETHE_MIN(hi + p->t->gap_s, end_of(p, i));
        if (from <= to && follow(p, left & ~(1u << i), from, to)) return true;
    }
    return false;
}

static bool has_no_pause(const persona *p, unsigned rows)
{
    for (size_t i = 0; i < p->n; i++)
        if (rows >> i & 1 && follow(p, rows & ~(1u << i), begin_of(p, i), end_of(p, i)))
            return true;
    return rows == 0;
}

/* The least number of pauses: rows are cut into as few groups without one as there can be. */
static int64_t pauses(const persona *p, unsigned rows)
{
    int64_t least = ROWS_MAX;
    if (rows == 0) return -1;
    for (unsigned some = rows; some > 0; some = (some - 1) & rows)
        if (has_no_pause(p, some)) least = LETHE_MIN(least, 1 + pauses(p, rows & ~some));
    return least;
}

static bool is_one_query(const trial *t, const persona *all)
{
    for (size_t i = 1; i < all->n; i++) {
        const orow *a = &t->row[all->row[0]], *b = &t->row[all->row[i]];
        if (strcmp(a->query, b->query) != 0 || a->time != b->time) return false;
    }
    return true;
}

static void judge_user(const trial *t, const char *user, verdict *v)
{
    persona all = {.t = t}, timed = {.t = t};
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->row[i].user, user) != 0) continue;
        all.row[all.n++] = i;
        if (t->row[i].time != LETHE_NO_TIME) timed.row[timed.n++] = i;
    }
    size_t timeless = all.n - timed.n;
    v->timeless += (int64_t)timeless;
    if (timeless > 0 && all.n > 1 && t->span_s > 0) v->holds = false;
    if (timeless > 0 && all.n > 1 && t->span_s == 0) v->undecided += (int64_t)timeless;
    if (t->by == BY_QUERY && !is_one_query(t, &all)) v->holds = false;
    if (t->by == BY_DAY && !fits_a_day(&timed)) v->holds = false;
    if (t->by != BY_GAP || timed.n == 0) return;
    int64_t n = pauses(&timed, (1u << timed.n) - 1);
    if (n > 0 && t->last) v->holds = false;
    if (!t->last) v->undecided += n;
}

static verdict judge(const trial *t)
{
    verdict v = {.holds = true};
    olog log = {(orow *)(uintptr_t)t->row, t->n};
    for (size_t i = 0; i < t->n; i++)
        if (o_first_user(&log, i)) judge_user(t, t->row[i].user, &v);
    return v;
}

/* --- what the checker says --- */

static const char *const formats[] = {[LETHE_TIME_DAY] = "%Y-%m-%d",
                                      [LETHE_TIME_HOUR] = "%Y-%m-%d %H",
                                      [LETHE_TIME_EXACT] = "%Y-%m-%d %H:%M:%S",
                                      [LETHE_TIME_DROP] = ""};
static const int64_t spans[] = {[LETHE_TIME_DAY] = DAY_S,
                                [LETHE_TIME_HOUR] = 3600,
                                [LETHE_TIME_EXACT] = 1,
                                [LETHE_TIME_DROP] = 0};

/* `as_manifest`: how coarse times are is told by a manifest, not by a form. */
static verdict ask(lethe_ctx *ctx, int dirfd, const trial *t, lethe_time_unit unit,
                   bool as_manifest)
{
    static const char *const units[] = {[LETHE_TIME_DAY] = "day",
                                        [LETHE_TIME_HOUR] = "hour",
                                        [LETHE_TIME_EXACT] = "exact",
                                        [LETHE_TIME_DROP] = "drop"};
    static const char *const bys[] = {"day", "gap", "query"};
    char text[512], gap[32] = "";
    size_t n;
    olog log = {(orow *)(uintptr_t)t->row, t->n};
    char *rows = o_tsv(&log, formats[unit], &n);
    o_write_published(dirfd, rows, n);
    free(rows);
    if (t->by == BY_GAP) snprintf(gap, sizeof gap, ",\"gap\":%lld", (long long)t->gap_s);
    snprintf(text, sizeof text,
             "{\"claims\":[{\"notion\":\"personas\",\"by\":\"%s\"%s}%s],"
             "\"steps\":[{\"parameters\":{\"time\":\"%s\"}}]}",
             bys[t->by], gap, t->last ? "" : ",{\"notion\":\"query-threshold\"}", units[unit]);
    lethe_json_doc *read = NULL, *doc = lethe_json_doc_new();
    lethe_json *manifest = NULL, *why = NULL, *figures = lethe_json_object(doc);
    assert_int_equal(lethe_json_parse(NULL, "m", lethe_str_of(text), &read, &manifest), LETHE_OK);
    const lethe_json *claims = lethe_json_get(manifest, "claims");
    lethe_log_form form = {.any_user = true, .times = unit, .urls = LETHE_URL_ANY};
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_LOG,
                         .form = as_manifest ? NULL : &form,
                         .manifest = as_manifest ? manifest : NULL,
                         .claims = claims,
                         .figures = figures};
    verdict v = {0};
    assert_int_equal(lethe_notion_personas.check(&p, lethe_json_at(claims, 0), doc, &v.holds, &why),
                     LETHE_OK);
    assert_true(v.holds == (why == NULL));
    v.undecided = lethe_json_int(lethe_json_get(figures, "undecided"));
    v.timeless = lethe_json_int(lethe_json_get(figures, "rows_without_time"));
    lethe_json_doc_free(read);
    lethe_json_doc_free(doc);
    return v;
}

static trial random_trial(uint64_t *seed, lethe_time_unit unit)
{
    static const int64_t gaps[] = {1, 1800, 5400, 90000};
    trial t = {.by = (enum by)o_below(seed, 3),
               .gap_s = gaps[o_below(seed, 4)],
               .span_s = spans[unit],
               .last = o_below(seed, 3) > 0,
               .n = 1 + o_below(seed, ROWS_MAX)};
    size_t n_users = 1 + o_below(seed, 3), n_texts = 1 + o_below(seed, 2);
    int64_t step = (int64_t[]){1, 1800, 3600, 43200}[o_below(seed, 4)];
    size_t lacks = (size_t[]){0, 3, 10}[o_below(seed, 3)]; // in ten rows
    for (size_t i = 0; i < t.n; i++) {
        orow *r = &t.row[i];
        snprintf(r->user, sizeof r->user, "%zu", o_below(seed, n_users));
        snprintf(r->query, sizeof r->query, "text %zu", o_below(seed, n_texts));
        r->rank = LETHE_NO_RANK;
        r->time = 1141171200 + (int64_t)o_below(seed, 7) * step;
        if (t.span_s > 0) r->time -= r->time % t.span_s;
        if (t.span_s == 0 || o_below(seed, 10) < lacks) r->time = LETHE_NO_TIME;
    }
    return t;
}

static void verdicts_are_those_of_brute_force(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    size_t broken = 0, undecided = 0, kept = 0;
    for (uint64_t s = 1; s <= N_LOGS; s++) {
        uint64_t seed = s;
        lethe_time_unit unit = (lethe_time_unit)o_below(&seed, 4);
        trial t = random_trial(&seed, unit);
        verdict want = judge(&t), got = ask(ctx, dirfd, &t, unit, o_below(&seed, 2));
        if (got.holds != want.holds || got.timeless != want.timeless ||
            got.undecided != want.undecided)
            fail_msg("seed %zu: by %d, unit %d, %s: %s, %lld undecided, %lld without a time; found "
                     "%s, %lld, %lld",
                     (size_t)s, t.by, (int)unit, t.last ? "last" : "not last",
                     want.holds ? "holds" : "broken", (long long)want.undecided,
                     (long long)want.timeless, got.holds ? "holds" : "broken",
                     (long long)got.undecided, (long long)got.timeless);
        broken += !want.holds;
        undecided += want.holds && want.undecided > 0;
        kept += want.holds && want.undecided == 0 && t.n > 1;
    }
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
    assert_true(broken > N_LOGS / 10 && undecided > N_LOGS / 10 && kept > N_LOGS / 10);
}

/* A release whose times are emptied and whose users are joined: nothing of it may pass unsaid. */
static void emptied_and_joined_releases_do_not_pass(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    for (uint64_t s = 1; s <= N_LOGS / 8; s++) {
        uint64_t seed = s;
        lethe_time_unit unit = (lethe_time_unit)o_below(&seed, 3);
        trial t = random_trial(&seed, unit);
        if (t.n < 2) continue;
        for (size_t i = 0; i < t.n; i++) {
            strcpy(t.row[i].user, "one");
            strcpy(t.row[i].query, "text");
            t.row[i].time = LETHE_NO_TIME;
        }
        assert_false(ask(ctx, dirfd, &t, unit, true).holds);
        verdict dropped = ask(ctx, dirfd, &t, LETHE_TIME_DROP, true);
        assert_true(dropped.holds);
        assert_int_equal(dropped.undecided, t.n);
        assert_int_equal(dropped.timeless, t.n);
    }
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_those_of_brute_force),
        cmocka_unit_test(emptied_and_joined_releases_do_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
