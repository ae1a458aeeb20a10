/* SPDX-License-Identifier: Apache-2.0 */
/* threshold and the checker of query-threshold, each against counting every pair of rows. */
/* suite: threads */
#include "threshold_harness.h"
#include "seeds.h"
#include "core/ctx.h"
#include "lexicon/wordnet/wordnet.h"
#include <ctype.h>

#define N_LOGS seeds(1500)

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

/* --- texts with the same words --- */

/* One of the ways to say text `number`: its words in turned order, in singular or plural, with
 * signs between them. */
static void say(char *out, size_t number, size_t way)
{
    static const char *const words[][2] = {{"car", "cars"},
                                           {"red", "red"},
                                           {"box", "boxes"},
                                           {"man", "men"},
                                           {"a", "a"},
                                           {"goose", "geese"},
                                           {"[email]", "[email]"},
                                           {"email", "email"},
                                           {"at&t", "at&t"},
                                           {"x-ray", "x-ray"},
                                           {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"}};
    static const char *const between[] = {" ", ", ", " + ", " "};
    uint64_t seed = number * 7919;
    size_t n = 1 + o_below(&seed, 3), at[3], len = 0;
    for (size_t i = 0; i < n; i++)
        at[i] = o_below(&seed, sizeof words / sizeof *words);
    for (size_t i = 0; i < n; i++)
        len += (size_t)sprintf(out + len, "%s%s", i ? between[way % 4] : "",
                               words[at[(i + way) % n]][way >> i & 1]);
    if (way == 6) strcpy(out + len, "!");
}

static void say_all(olog *log, uint64_t *seed)
{
    size_t n_texts = 1 + o_below(seed, 12), n_ways = 1 + o_below(seed, 8);
    for (size_t i = 0; i < log->n; i++) {
        if (i > 0 && o_below(seed, 4) == 0) continue; /* some stay as they are */
        say(log->at[i].query, o_below(seed, n_texts), o_below(seed, n_ways));
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_part(const char *p) { return isalnum((unsigned char)*p) || (*p & 0x80); }

/* The class of a text: tokenised here, in these logs' few characters; reduced by the dictionary. */
static void class_of(const lethe_wordnet *wn, const char *text, char out[64])
{
    char words[16][64], *order[16];
    size_t n = 0;
    for (const char *p = text; *p;) {
        size_t len = 0;
        if (strncmp(p, "[email]", 7) == 0) {
            strcpy(words[n++], "[email]");
            p += 7;
            continue;
        }
        while (is_part(p + len) ||
               (len > 0 && p[len] && strchr("'-.&_", p[len]) && is_part(p + len + 1)))
            len++;
        if (len == 0) {
            p++;
            continue;
        }
        uint32_t noun = lethe_wordnet_reduce(wn, (lethe_str){p, len});
        lethe_str word = noun == LETHE_NONE ? (lethe_str){p, len} : lethe_wordnet_noun(wn, noun);
        snprintf(words[n++], 64, "%.*s", (int)word.n, word.at);
        p += len;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = words[i];
    qsort(order, n, sizeof *order, by_text);
    strcpy(out, n ? order[0] : text);
    for (size_t i = 1; i < n; i++)
        sprintf(out + strlen(out), " %s", order[i]);
}

/* The log with classes for texts, and times as published. */
static olog classes_of(const olog *log, const lethe_wordnet *wn, lethe_time_unit unit)
{
    olog out = copy_cut(log, unit);
    for (size_t i = 0; wn && i < out.n; i++)
        class_of(wn, log->at[i].query, out.at[i].query);
    return out;
}

/* The commonest text of row i's class. */
static const char *commonest(const olog *log, const olog *classes, size_t i)
{
    const char *best = NULL;
    ocount most = {0};
    for (size_t j = 0; j < log->n; j++) {
        const char *text = log->at[j].query;
        if (strcmp(classes->at[j].query, classes->at[i].query) != 0) continue;
        ocount c = o_count(log, text, true);
        bool better =
            !best || c.users > most.users ||
            (c.users == most.users && strlen(text) < strlen(best)) ||
            (c.users == most.users && strlen(text) == strlen(best) && strcmp(text, best) < 0);
        if (!better) continue;
        best = text;
        most = c;
    }
    return best;
}

/* --- the method --- */

typedef struct trial {
    setting how;
    size_t t, by;
    bool hash, words, clicks;
} trial;

static trial draw(uint64_t *seed)
{
    trial x = {.by = o_below(seed, 3), .hash = o_below(seed, 3) == 0, .words = o_below(seed, 3)};
    size_t i = o_below(seed, 6);
    x.t = (size_t)atoi(counts[i]);
    x.how = (setting){.t = counts[i],
                      .by = by_names[x.by],
                      .rare = x.hash ? "hash" : "drop",
                      .same = x.words ? "words" : "exact",
                      .times = (lethe_time_unit)o_below(seed, 4),
                      .memory_bytes = 1 << 20};
    x.clicks = o_below(seed, 3);
    x.how.clicks = x.clicks ? "threshold" : "all";
    x.how.urls = (lethe_url_form)o_below(seed, 4);
    return x;
}

static void mask(orow *r)
{
    strcpy(r->query, "#");
    r->url[0] = '\0';
    r->rank = LETHE_NO_RANK;
}

/* Of the texts of these logs the one that looks like a hash. */
static bool is_hash_form(const char *text) { return text[0] == '#' && strlen(text) == 33; }

typedef struct expected {
    olog rows;
    size_t kept, texts, hashes, clicks_dropped;
} expected;

/* The part of these logs' URLs that a release shows. */
static const char *shown_of(const char *url, lethe_url_form form)
{
    const char *host = strstr(url, "://");
    return form == LETHE_URL_HOST && host ? host + 3 : url;
}

static void shown_put(char *out, const char *url, lethe_url_form form)
{
    strcpy(out, shown_of(url, form));
    if (form == LETHE_URL_HOST) out[strcspn(out, "/")] = '\0';
}

/* Users, queries or rows that clicked what row i did, among the first n: every pair is compared. */
static size_t clickers(const olog *rows, size_t i, const trial *x, bool owners)
{
    char mine[64], other[64];
    size_t count = 0;
    shown_put(mine, rows->at[i].url, x->how.urls);
    for (size_t j = 0; j < rows->n; j++) {
        const orow *r = &rows->at[j];
        shown_put(other, r->url, x->how.urls);
        if (!r->url[0] || strcmp(mine, other) != 0) continue;
        bool again = false;
        for (size_t k = 0; k < j && x->by < 2; k++) {
            const orow *q = &rows->at[k];
            shown_put(other, q->url, x->how.urls);
            if (!q->url[0] || strcmp(mine, other) != 0) continue;
            bool user = owners && x->by == 0 ? strcmp(r->owner, q->owner) == 0
                                             : strcmp(r->user, q->user) == 0;
            again = again || (user && (x->by == 0 ||
                                       (strcmp(r->query, q->query) == 0 &&
                                        cut(r->time, x->how.times) == cut(q->time, x->how.times))));
        }
        count += !again;
    }
    return count;
}

/* Takes the clicks that too few made from rows that are published with their text. */
static void clicks_thin(expected *e, const trial *x)
{
    bool *rare = calloc(e->rows.n + 1, sizeof *rare);
    for (size_t i = 0; i < e->rows.n; i++)
        rare[i] = e->rows.at[i].url[0] && clickers(&e->rows, i, x, true) < x->t;
    for (size_t i = 0; i < e->rows.n; i++) {
        if (!rare[i]) continue;
        e->clicks_dropped++;
        e->rows.at[i].url[0] = '\0';
        e->rows.at[i].rank = LETHE_NO_RANK;
    }
    free(rare);
}

/* What should come out; rows of rare texts masked, or left out. */
static expected expect(const olog *log, const lethe_wordnet *wn, const trial *x)
{
    olog classes = classes_of(log, x->words ? wn : NULL, x->how.times);
    expected e = {.rows = {calloc(log->n + 1, sizeof(orow)), 0}};
    for (size_t i = 0; i < log->n; i++) {
        bool common = pick(o_count(&classes, classes.at[i].query, true), x->by) >= x->t &&
                      !(x->hash && is_hash_form(commonest(log, &classes, i)));
        bool first = o_first_text(&classes, i);
        e.kept += common;
        e.texts += common && first;
        e.hashes += !common && first && x->hash;
        if (!common && !x->hash) continue;
        orow *r = &e.rows.at[e.rows.n++];
        *r = log->at[i];
        if (common)
            strcpy(r->query, commonest(log, &classes, i));
        else
            mask(r);
    }
    o_free(&classes);
    if (x->clicks && x->how.urls != LETHE_URL_NONE && !x->how.as) clicks_thin(&e, x);
    return e;
}

static bool has_text(const olog *log, const char *query)
{
    for (size_t i = 0; i < log->n; i++)
        if (strcmp(log->at[i].query, query) == 0) return true;
    return false;
}

/* Hashes become "#", as in what is expected; false where something that is no hash stands for a
 * rare text, a hash still carries a click, or there are not as many as rare classes. */
static bool mask_hashes(olog *got, const expected *want)
{
    size_t n = 0;
    for (size_t i = 0; i < got->n; i++)
        n += !has_text(&want->rows, got->at[i].query) && o_first_text(got, i);
    if (n != want->hashes) return false;
    for (size_t i = 0; i < got->n; i++) {
        orow *r = &got->at[i];
        if (has_text(&want->rows, r->query)) continue;
        if (!h_is_hash(r->query) || r->url[0] || r->rank != LETHE_NO_RANK) return false;
        mask(r);
    }
    return true;
}

/* As they are published. */
static void urls_show(olog *rows, lethe_url_form form)
{
    for (size_t i = 0; i < rows->n; i++) {
        char shown[64];
        shown_put(shown, rows->at[i].url, form);
        strcpy(rows->at[i].url, shown);
    }
}

static bool run_agrees(lethe_ctx *ctx, const olog *log, const lethe_wordnet *wn, const trial *x)
{
    harness h;
    expected want = expect(log, wn, x);
    size_t n = want.rows.n;
    bool holds = true, ok;
    lethe_json *why = NULL;
    h_begin(&h, ctx);
    lethe_err err = h_run_rows(&h, log, &x->how);
    ok = err == (n ? LETHE_OK : LETHE_ANSWER_NO) && h.dropped == log->n - n &&
         h_figure(&h, "rows_kept") == (int64_t)want.kept &&
         h_figure(&h, "queries_kept") == (int64_t)want.texts &&
         h_figure(&h, "rows_hashed") == (int64_t)(n - want.kept) &&
         h_figure(&h, "rows_suppressed") == (int64_t)(log->n - n) &&
         h_figure(&h, "clicks_dropped") == (int64_t)want.clicks_dropped;
    if (ok && h.rows.n > 0 && x->how.urls != LETHE_URL_NONE) {
        urls_show(&h.rows, x->how.urls);
        urls_show(&want.rows, x->how.urls);
        err = h_check(ctx, &h.rows, x->how.times, lethe_json_at(h.claims, 0), h.doc, &holds, &why);
        ok = err == LETHE_OK && holds && !why;
    }
    ok = ok && mask_hashes(&h.rows, &want) && same_rows(&h.rows, &want.rows);
    h_end(&h);
    o_free(&want.rows);
    return ok;
}

static void method_agrees_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    lethe_wordnet *wn = NULL;
    small_wordnet();
    assert_int_equal(lethe_wordnet_open(ctx[0], NULL, &wn), LETHE_OK);
    for (uint64_t i = 0; i < N_LOGS; i++) {
        uint64_t seed = i * 77 + 1;
        olog log = o_log(&seed, o_small_shape(&seed));
        if (o_below(&seed, 4)) say_all(&log, &seed);
        if (o_below(&seed, 2)) with_personas(&log, &seed);
        if (o_below(&seed, 2)) shuffle(&log, &seed);
        trial x = draw(&seed);
        if (!run_agrees(ctx[i % 3], &log, wn, &x)) {
            size_t n;
            char *text = o_tsv(&log, "%Y-%m-%d %H:%M:%S", &n);
            fail_msg("trial %d: t=%zu by %s, %s, %s, times %d\n%s", (int)i, x.t, x.how.by,
                     x.how.rare, x.how.same, x.how.times, text);
        }
        o_free(&log);
    }
    lethe_wordnet_free(wn);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* --- counts --- */

/* The published count of an item; 0: none, or another one after it. */
static uint64_t counted_once(const harness *h, const char *item)
{
    uint64_t count = 0;
    for (size_t i = 0; i < h->n_counts; i++)
        if (strcmp(h->counts[i].item, item) == 0) count = count ? UINT64_MAX : h->counts[i].count;
    return count;
}

/* Every common class has its count, by exact times, under its commonest text; its rows are given
 * too, and nothing else is. */
static bool counts_agree(lethe_ctx *ctx, const olog *log, const lethe_wordnet *wn, const trial *x)
{
    harness h;
    trial exact = *x;
    exact.how.times = LETHE_TIME_EXACT;
    expected want = expect(log, wn, &exact);
    olog classes = classes_of(log, x->words ? wn : NULL, LETHE_TIME_EXACT);
    h_begin(&h, ctx);
    lethe_err err = h_run_rows(&h, log, &x->how);
    bool ok = err == (want.rows.n ? LETHE_OK : LETHE_ANSWER_NO) && h.n_counts == want.texts &&
              h.dropped == log->n - want.rows.n;
    for (size_t i = 0; i < log->n && ok; i++) {
        size_t n = pick(o_count(&classes, classes.at[i].query, true), x->by);
        ok = n < x->t || counted_once(&h, commonest(log, &classes, i)) == n;
    }
    ok = ok && same_rows(&h.rows, &want.rows);
    h_end(&h);
    o_free(&want.rows);
    o_free(&classes);
    return ok;
}

static void counts_agree_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    lethe_wordnet *wn = NULL;
    small_wordnet();
    assert_int_equal(lethe_wordnet_open(ctx[0], NULL, &wn), LETHE_OK);
    for (uint64_t i = 0; i < N_LOGS; i++) {
        uint64_t seed = i * 113 + 3;
        olog log = o_log(&seed, o_small_shape(&seed));
        if (o_below(&seed, 4)) say_all(&log, &seed);
        if (o_below(&seed, 2)) shuffle(&log, &seed);
        trial x = draw(&seed);
        x.hash = false;
        x.how.rare = "drop";
        x.how.as = "counts";
        if (!counts_agree(ctx[i % 3], &log, wn, &x))
            fail_msg("trial %d: t=%zu by %s, %s", (int)i, x.t, x.how.by, x.how.same);
        o_free(&log);
    }
    lethe_wordnet_free(wn);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* --- the checker --- */

/* The least URL that breaks it, or NULL. */
static const char *expect_broken_url(const olog *log, const trial *x, size_t *count)
{
    const char *least = NULL;
    trial as_shown = *x;
    as_shown.how.urls = LETHE_URL_ANY;
    for (size_t i = 0; i < log->n && x->clicks; i++) {
        const char *url = log->at[i].url;
        if (!url[0] || (least && strcmp(url, least) >= 0)) continue;
        size_t n = clickers(log, i, &as_shown, false);
        if (n >= x->t) continue;
        least = url;
        *count = n;
    }
    return least;
}

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
    switch (o_below(seed, 7)) {
    case 5: /* a click more */
        if (!h_is_hash(r->query)) strcpy(r->url, q->url[0] ? q->url : "http://www.own.com");
        break;
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
    if (x->clicks)
        lethe_json_set(doc, c, "clicked", lethe_json_new_text(doc, LETHE_LIT("threshold")));
    return c;
}

static bool check_agrees(lethe_ctx *ctx, const olog *log, const trial *x, size_t *broken)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    bool holds = false;
    size_t count = 0;
    const char *least = expect_broken(log, x, &count), *what = least ? "query" : "url";
    if (!least) least = expect_broken_url(log, x, &count);
    lethe_err err = h_check(ctx, log, x->how.times, claim_of(doc, x), doc, &holds, &why);
    bool ok = err == LETHE_OK && holds == !least;
    *broken += least != NULL;
    if (ok && least) {
        ok = lethe_str_eq(lethe_json_text(lethe_json_get(why, what)), lethe_str_of(least)) &&
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
        if (o_below(&seed, 2)) say_all(&log, &seed);
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
    for (size_t i = 0; i < log.n; i += 3) { /* a third of the rows: many ways to say few things */
        size_t a = o_below(&seed, 3000), b = o_below(&seed, 3000);
        say(log.at[i].query, a < b ? a : b, o_below(&seed, 8));
    }
    for (size_t r = 0; r < 4; r++) {
        olog first = {0};
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            harness h;
            bool holds = false;
            lethe_json *why = NULL;
            setting s = {.t = "3",
                         .rare = r & 1 ? "hash" : "drop",
                         .same = r & 2 ? "exact" : "words",
                         .by = r == 0 ? "queries" : "users",
                         .memory_bytes = how[i].memory};
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
        cmocka_unit_test(counts_agree_with_counting_pairs),
        cmocka_unit_test(checker_agrees_with_counting_pairs),
        cmocka_unit_test(nothing_depends_on_threads_or_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
