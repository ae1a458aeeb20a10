/* threshold and the checker of query-threshold, each against counting every pair of rows. */
#include "threshold_harness.h"
#include "core/ctx.h"

#define N_LOGS 1000

static const char *const by_names[] = {"users", "queries", "rows"};
static const char *const counts[] = {"1", "2", "3", "4", "5", "8"};

static int64_t cut(int64_t t, lethe_time_unit unit)
{
    if (unit == LETHE_TIME_DROP) return LETHE_NO_TIME;
    return unit == LETHE_TIME_HOUR ? t - t % 3600 : unit == LETHE_TIME_DAY ? t - t % 86400 : t;
}

static olog copy_cut(const olog *log, lethe_time_unit unit)
{
    olog out = {calloc(log->n + 1, sizeof(orow)), log->n};
    for (size_t i = 0; i < log->n; i++) {
        out.at[i] = log->at[i];
        out.at[i].time = cut(log->at[i].time, unit);
    }
    return out;
}

static size_t pick(ocount c, size_t by) { return by == 0 ? c.users : by == 1 ? c.queries : c.rows; }

static void with_personas(olog *log, uint64_t *seed)
{
    for (size_t i = 0; i < log->n; i++)
        snprintf(log->at[i].user, sizeof log->at[i].user, "%.40s/%zu", log->at[i].owner,
                 o_below(seed, 3));
}

static void shuffle(olog *log, uint64_t *seed)
{
    for (size_t i = log->n; i > 1; i--) {
        size_t j = o_below(seed, i);
        orow t = log->at[i - 1];
        log->at[i - 1] = log->at[j];
        log->at[j] = t;
    }
}

static int by_all(const void *a, const void *b)
{
    const orow *x = a, *y = b;
    int c = strcmp(x->query, y->query);
    if (!c) c = strcmp(x->user, y->user);
    if (!c) c = strcmp(x->owner, y->owner);
    if (!c) c = strcmp(x->url, y->url);
    if (!c) c = (x->time > y->time) - (x->time < y->time);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static bool same_rows(olog *a, olog *b)
{
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    qsort(a->at, a->n, sizeof(orow), by_all);
    qsort(b->at, b->n, sizeof(orow), by_all);
    for (size_t i = 0; i < a->n; i++)
        if (by_all(&a->at[i], &b->at[i]) != 0) return false;
    return true;
}

/* --- the method --- */

typedef struct trial {
    setting how;
    size_t t, by;
    bool hash;
} trial;

static trial draw(uint64_t *seed)
{
    trial x = {.by = o_below(seed, 3), .hash = o_below(seed, 3) == 0};
    size_t i = o_below(seed, 6);
    x.t = (size_t)atoi(counts[i]);
    x.how = (setting){.t = counts[i],
                      .by = by_names[x.by],
                      .rare = x.hash ? "hash" : "drop",
                      .times = (lethe_time_unit)o_below(seed, 4),
                      .memory_bytes = 1 << 20};
    return x;
}

static void mask(orow *r)
{
    strcpy(r->query, "#");
    r->url[0] = '\0';
    r->rank = LETHE_NO_RANK;
}

/* What should come out; rows of rare texts masked, or left out. */
static olog expect(const olog *log, const trial *x, size_t *kept, size_t *texts)
{
    olog counted = copy_cut(log, x->how.times), out = {calloc(log->n + 1, sizeof(orow)), 0};
    *kept = *texts = 0;
    for (size_t i = 0; i < log->n; i++) {
        bool common = pick(o_count(&counted, log->at[i].query, true), x->by) >= x->t;
        *kept += common;
        *texts += common && o_first_text(log, i);
        if (!common && !x->hash) continue;
        out.at[out.n] = log->at[i];
        if (!common) mask(&out.at[out.n]);
        out.n++;
    }
    o_free(&counted);
    return out;
}

static bool has_text(const olog *log, const char *query)
{
    for (size_t i = 0; i < log->n; i++)
        if (strcmp(log->at[i].query, query) == 0) return true;
    return false;
}

/* Hashes become "#", as in what is expected; false where something that is no hash stands for a
 * rare text, or a hash still carries a click. */
static bool mask_hashes(olog *got, const olog *want)
{
    for (size_t i = 0; i < got->n; i++) {
        orow *r = &got->at[i];
        if (has_text(want, r->query)) continue;
        if (!h_is_hash(r->query) || r->url[0] || r->rank != LETHE_NO_RANK) return false;
        mask(r);
    }
    return true;
}

static bool run_agrees(lethe_ctx *ctx, const olog *log, const trial *x)
{
    harness h;
    size_t kept, texts;
    olog want = expect(log, x, &kept, &texts);
    bool holds = true, ok;
    lethe_json *why = NULL;
    h_begin(&h, ctx);
    lethe_err err = h_run_rows(&h, log, &x->how);
    ok = err == (want.n ? LETHE_OK : LETHE_ENO) && h.dropped == log->n - want.n &&
         h_figure(&h, "rows_kept") == (int64_t)kept &&
         h_figure(&h, "queries_kept") == (int64_t)texts &&
         h_figure(&h, "rows_hashed") == (int64_t)(want.n - kept) &&
         h_figure(&h, "rows_suppressed") == (int64_t)(log->n - want.n);
    if (ok && h.rows.n > 0) {
        err = h_check(ctx, &h.rows, x->how.times, lethe_json_at(h.claims, 0), h.doc, &holds, &why);
        ok = err == LETHE_OK && holds && !why;
    }
    ok = ok && mask_hashes(&h.rows, &want) && same_rows(&h.rows, &want);
    h_end(&h);
    o_free(&want);
    return ok;
}

static void method_agrees_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < N_LOGS; i++) {
        uint64_t seed = i * 77 + 1;
        olog log = o_log(&seed, o_small_shape(&seed));
        if (o_below(&seed, 2)) with_personas(&log, &seed);
        if (o_below(&seed, 2)) shuffle(&log, &seed);
        trial x = draw(&seed);
        if (!run_agrees(ctx[i % 3], &log, &x)) {
            size_t n;
            char *text = o_tsv(&log, "%Y-%m-%d %H:%M:%S", &n);
            fail_msg("trial %d: t=%zu by %s, %s, times %d\n%s", (int)i, x.t, x.how.by, x.how.rare,
                     x.how.times, text);
        }
        o_free(&log);
    }
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* --- the checker --- */

/* The least text that breaks the promise, or NULL. */
static const char *expect_broken(const olog *log, const trial *x, size_t *count)
{
    const char *least = NULL;
    for (size_t i = 0; i < log->n; i++) {
        const char *text = log->at[i].query;
        if ((x->hash && h_is_hash(text)) || (least && strcmp(text, least) >= 0)) continue;
        size_t n = pick(o_count(log, text, false), x->by);
        if (n >= x->t) continue;
        least = text;
        *count = n;
    }
    return least;
}

/* A valid release with something done to it. */
static void tamper(olog *log, uint64_t *seed)
{
    orow *r = &log->at[o_below(seed, log->n)], *q = &log->at[o_below(seed, log->n)];
    orow copy = *r, other = *q;
    switch (o_below(seed, 6)) {
    case 0: /* a user's rows of one text are lost */
        for (size_t i = log->n; i-- > 0;) {
            if (strcmp(log->at[i].query, copy.query) == 0 &&
                strcmp(log->at[i].user, copy.user) == 0)
                log->at[i] = log->at[--log->n];
        }
        break;
    case 1: /* a user takes the name of another */
        for (size_t i = 0, n = log->n; i < n; i++) {
            if (strcmp(log->at[i].user, copy.user) == 0) strcpy(log->at[i].user, other.user);
        }
        break;
    case 2:
        strcpy(r->query, "nobody else asked this");
        break;
    case 3:
        strcat(r->query, "z");
        break;
    case 4:
        r->time = q->time;
        break;
    default:
        break;
    }
}

static lethe_json *claim_of(lethe_json_doc *doc, const trial *x)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_json_set(doc, c, "notion", lethe_json_new_text(doc, LETHE_LIT("query-threshold")));
    lethe_json_set(doc, c, "t", lethe_json_new_int(doc, (int64_t)x->t));
    lethe_json_set(doc, c, "by", lethe_json_new_text(doc, lethe_str_of(x->how.by)));
    if (x->hash) lethe_json_set(doc, c, "rare", lethe_json_new_text(doc, LETHE_LIT("hash")));
    return c;
}

static bool check_agrees(lethe_ctx *ctx, const olog *log, const trial *x, size_t *broken)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    bool holds = false;
    size_t count = 0;
    const char *least = expect_broken(log, x, &count);
    lethe_err err = h_check(ctx, log, x->how.times, claim_of(doc, x), doc, &holds, &why);
    bool ok = err == LETHE_OK && holds == !least;
    *broken += least != NULL;
    if (ok && least) {
        ok = lethe_str_eq(lethe_json_text(lethe_json_get(why, "query")), lethe_str_of(least)) &&
             lethe_json_int(lethe_json_get(why, by_names[x->by])) == (int64_t)count &&
             lethe_json_int(lethe_json_get(why, "needed")) == (int64_t)x->t;
    }
    lethe_json_doc_free(doc);
    return ok;
}

static void checker_agrees_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    size_t broken = 0, checked = 0;
    for (uint64_t i = 0; i < N_LOGS; i++) {
        uint64_t seed = i * 91 + 5;
        olog log = o_log(&seed, o_small_shape(&seed));
        trial x = draw(&seed);
        harness h;
        h_begin(&h, ctx[i % 3]);
        lethe_err err = h_run_rows(&h, &log, &x.how);
        if (err == LETHE_OK) {
            for (size_t k = o_below(&seed, 3); k > 0 && h.rows.n > 0; k--)
                tamper(&h.rows, &seed);
            olog published = copy_cut(&h.rows, x.how.times);
            if (published.n > 0 && !check_agrees(ctx[i % 3], &published, &x, &broken))
                fail_msg("trial %d: t=%zu by %s, %s", (int)i, x.t, x.how.by, x.how.rare);
            checked += published.n > 0;
            o_free(&published);
        }
        h_end(&h);
        o_free(&log);
    }
    assert_true(broken > N_LOGS / 20 &&
                checked - broken > N_LOGS / 20); /* both answers are tried */
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* --- more than memory holds --- */

static void nothing_depends_on_threads_or_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        uint64_t memory;
    } how[] = {{1, 0}, {2, 1 << 20}, {7, 1 << 20}, {1, 1 << 20}};
    uint64_t seed = 99;
    olog log = o_log(&seed, (oshape){20000, 3000, 7000, 4000, 30, 40});
    for (size_t r = 0; r < 2; r++) {
        olog first = {0};
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            harness h;
            bool holds = false;
            lethe_json *why = NULL;
            setting s = {.t = "3", .rare = r ? "hash" : "drop", .memory_bytes = how[i].memory};
            h_begin(&h, o_ctx(how[i].threads, how[i].memory));
            assert_int_equal(h_run_rows(&h, &log, &s), LETHE_OK);
            assert_int_equal(
                h_check(h.ctx, &h.rows, s.times, lethe_json_at(h.claims, 0), h.doc, &holds, &why),
                LETHE_OK);
            assert_true(holds);
            assert_int_equal(h.rows.n + h.dropped, log.n);
            if (i == 0) {
                first = h.rows;
                h.rows = (olog){0};
            } else {
                assert_true(same_rows(&h.rows, &first));
            }
            lethe_ctx_free(h.ctx);
            h_end(&h);
        }
        o_free(&first);
    }
    o_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(method_agrees_with_counting_pairs),
        cmocka_unit_test(checker_agrees_with_counting_pairs),
        cmocka_unit_test(nothing_depends_on_threads_or_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
