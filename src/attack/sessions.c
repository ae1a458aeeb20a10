/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.c - see the header.  Texts, clicks and times of a user meet in the sorter: user NUL kind
 * and what it is.  Workers collect the features of whole users, and number them by themselves; then
 * the features of all workers are numbered anew in the order of their bytes. */
#include "attack/sessions.h"
#include "core/sort.h"
#include "io/sort/sorter.h"
#include "text/normalize.h"
#include "text/words.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { TEXT = 1, CLICK, TIME }; /* kinds of records */

/* The first byte of a feature's name says what it is. */
enum { WORD = 1, PAIR, WHOLE, CLICKED, DAY, HOUR_OF_DAY, HOUR, TEN_MINUTES };

enum { DAYS, HOURS, MINUTES }; /* how fine published times are */

/* A session as a worker collected it; its name and features are in the worker's buffers. */
struct piece {
    size_t name, n_name; /* bytes of `names` */
    size_t feature, n_features;
};

struct collector {
    lethe_buf record[TIME + 1]; /* by kind: the last one put */
    lethe_buf host, key;
    lethe_dict *features;
    uint32_t *numbers; /* by feature: its number among all workers' */
    lethe_buf names;
    lethe_buf pieces; /* struct piece each */
    lethe_buf found;  /* uint32_t each: numbers of `features`, session after session */
};

struct session {
    lethe_str name;
    const uint32_t *features; /* the worker's numbers */
    uint32_t n;
    unsigned w;
};

struct session_reader {
    lethe_ctx *ctx;
    lethe_sessions *to;
    unsigned n_workers;
    struct collector *workers;
    lethe_sorter *sorter;
    atomic_int finest; /* DAYS, HOURS or MINUTES */
};

/* --- rows --- */

/* Nothing if the same came just before: another click, most often. */
static lethe_err record_put(struct session_reader *r, unsigned w, int kind, lethe_str user,
                            lethe_str what)
{
    lethe_buf *b = &r->workers[w].record[kind];
    size_t n = user.n + 2 + what.n;
    if (b->n == n && memcmp(b->at, user.at, user.n) == 0 && b->at[user.n] == 0 &&
        memcmp(b->at + user.n + 2, what.at, what.n) == 0)
        return LETHE_OK;
    const char head[2] = {0, (char)kind};
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, head, sizeof head) != LETHE_OK ||
        lethe_buf_str(b, what) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    return lethe_sorter_put(r->sorter, w, b->at, b->n);
}

static lethe_err time_put(struct session_reader *r, unsigned w, const lethe_row *row)
{
    int64_t ten = row->time / 600 - (row->time % 600 < 0); // rounded down
    int fine = row->time % 3600 != 0 ? MINUTES : row->time % 86400 != 0 ? HOURS : DAYS;
    char bytes[8];
    if (fine > atomic_load_explicit(&r->finest, memory_order_relaxed)) {
        int now = atomic_load_explicit(&r->finest, memory_order_relaxed);
        while (fine > now &&
               !atomic_compare_exchange_weak_explicit(&r->finest, &now, fine, memory_order_relaxed,
                                                      memory_order_relaxed))
            continue;
    }
    lethe_be64_put((uint8_t *)bytes, (uint64_t)ten);
    return record_put(r, w, TIME, row->user, (lethe_str){bytes, sizeof bytes});
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct session_reader *r = arg;
    LETHE_TRY(record_put(r, w, TEXT, row->user, row->query));
    if (row->url.n > 0) LETHE_TRY(record_put(r, w, CLICK, row->user, row->url));
    return row->time == LETHE_NO_TIME ? LETHE_OK : time_put(r, w, row);
}

/* --- features --- */

static size_t n_found(const struct collector *k) { return k->found.n / sizeof(uint32_t); }

/* `second`: what follows after a space; at NULL: nothing. */
static lethe_err feature_put(struct collector *k, char kind, lethe_str first, lethe_str second)
{
    uint32_t id;
    k->key.n = 0;
    LETHE_TRY(lethe_buf_put(&k->key, &kind, 1));
    LETHE_TRY(lethe_buf_str(&k->key, first));
    if (second.at) {
        LETHE_TRY(lethe_buf_put(&k->key, " ", 1));
        LETHE_TRY(lethe_buf_str(&k->key, second));
    }
    LETHE_TRY(lethe_dict_add(k->features, (lethe_str){(const char *)k->key.at, k->key.n}, &id));
    return lethe_buf_put(&k->found, &id, sizeof id);
}

/* A mask is no word, and parts its neighbours. */
static lethe_err text_take(struct collector *k, lethe_str text)
{
    lethe_str none = {NULL, 0}, before = none;
    lethe_words words = lethe_words_of(text);
    lethe_word word;
    bool any = false;
    while (lethe_words_next(&words, &word)) {
        if (!word.mask) {
            LETHE_TRY(feature_put(k, WORD, word.text, none));
            if (before.at) LETHE_TRY(feature_put(k, PAIR, before, word.text));
            any = true;
        }
        before = word.mask ? none : word.text;
    }
    return any ? feature_put(k, WHOLE, text, none) : LETHE_OK;
}

static lethe_err click_take(struct collector *k, lethe_str url)
{
    lethe_str host, none = {NULL, 0};
    LETHE_TRY(feature_put(k, CLICKED, url, none));
    if (lethe_is_host(url)) return LETHE_OK;
    LETHE_TRY(lethe_url_host(url, &k->host, &host));
    return host.n > 0 ? feature_put(k, CLICKED, host, none) : LETHE_OK;
}

static lethe_err number_take(struct collector *k, char kind, int64_t number)
{
    char bytes[8];
    lethe_be64_put((uint8_t *)bytes, (uint64_t)number);
    return feature_put(k, kind, (lethe_str){bytes, sizeof bytes}, (lethe_str){NULL, 0});
}

static int64_t divided(int64_t n, int64_t by) { return n / by - (n % by < 0); }

/* The times of a session rise: what is the same as before has been taken. */
static lethe_err time_take(struct collector *k, int finest, int64_t ten, const int64_t *before)
{
    int64_t hour = divided(ten, 6), day = divided(hour, 24);
    if (!before || divided(*before, 144) != day) LETHE_TRY(number_take(k, DAY, day));
    if (finest == DAYS) return LETHE_OK;
    if (!before || divided(*before, 6) != hour) {
        LETHE_TRY(number_take(k, HOUR, hour));
        LETHE_TRY(number_take(k, HOUR_OF_DAY, hour - day * 24)); // as often as there are such hours
    }
    return finest == HOURS ? LETHE_OK : number_take(k, TEN_MINUTES, ten);
}

static lethe_str user_of(lethe_str record)
{
    return (lethe_str){record.at, strnlen(record.at, record.n)};
}

static lethe_err record_take(struct session_reader *r, struct collector *k, lethe_str record,
                             lethe_str before)
{
    size_t n = user_of(record).n + 2;
    lethe_str what = {record.at + n, record.n - n};
    int kind = (unsigned char)record.at[n - 1];
    if (kind == TEXT) return text_take(k, what);
    if (kind == CLICK) return click_take(k, what);
    int64_t ten = (int64_t)lethe_be64_get((const uint8_t *)what.at), last = 0;
    bool again = before.at && before.n == record.n && memcmp(before.at, record.at, n) == 0;
    if (again) last = (int64_t)lethe_be64_get((const uint8_t *)before.at + n);
    return time_take(k, atomic_load_explicit(&r->finest, memory_order_relaxed), ten,
                     again ? &last : NULL);
}

/* Records come user by user, a user's rising. */
static lethe_err users_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct session_reader *r = arg;
    struct collector *k = &r->workers[w];
    lethe_str record, before = {NULL, 0};
    struct piece p = {0};
    lethe_err err = LETHE_OK;
    (void)i;
    for (; err == LETHE_OK && lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        lethe_str user = user_of(record);
        if (!before.at || !lethe_str_eq(user_of(before), user)) {
            if (before.at) err = lethe_buf_put(&k->pieces, &p, sizeof p);
            p = (struct piece){k->names.n, user.n, n_found(k), 0};
            if (err == LETHE_OK) err = lethe_buf_str(&k->names, user);
        }
        if (err == LETHE_OK) err = record_take(r, k, record, before);
        p.n_features = n_found(k) - p.feature;
    }
    if (err == LETHE_OK && before.at) err = lethe_buf_put(&k->pieces, &p, sizeof p);
    return err == LETHE_OK ? lethe_sorted_err(it) : lethe_no_memory(r->ctx);
}

/* --- all workers' together --- */

/* A feature as one worker knows it. */
struct known {
    lethe_str name;
    unsigned w;
    uint32_t id;
};

static int by_feature(const void *a, const void *b)
{
    return lethe_str_cmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static uint8_t layer_of(char kind)
{
    return kind <= WHOLE     ? LETHE_SESSION_TEXTS
           : kind == CLICKED ? LETHE_SESSION_CLICKS
                             : LETHE_SESSION_TIMES;
}

/* Numbers the features of all workers in the order of their bytes: words first. */
static void features_number(struct session_reader *r, const struct known *all, size_t n)
{
    lethe_sessions *s = r->to;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !lethe_str_eq(all[i - 1].name, all[i].name)) {
            s->layer[s->n_features++] = layer_of(all[i].name.at[0]);
            s->n_words += all[i].name.at[0] == WORD;
        }
        r->workers[all[i].w].numbers[all[i].id] = s->n_features - 1;
    }
}

static lethe_err features_merge(struct session_reader *r)
{
    size_t n = 0, i = 0;
    bool made = true;
    for (unsigned w = 0; w < r->n_workers; w++)
        n += lethe_dict_count(r->workers[w].features);
    struct known *all = lethe_alloc(n, sizeof *all);
    r->to->layer = lethe_alloc(n, sizeof *r->to->layer);
    for (unsigned w = 0; w < r->n_workers; w++) {
        struct collector *k = &r->workers[w];
        k->numbers = lethe_alloc(lethe_dict_count(k->features), sizeof *k->numbers);
        made = made && k->numbers;
        for (uint32_t id = 0; all && id < lethe_dict_count(k->features); id++)
            all[i++] = (struct known){lethe_dict_at(k->features, id), w, id};
    }
    made = made && all && r->to->layer && n < LETHE_NONE;
    if (made && n > 1) qsort(all, n, sizeof *all, by_feature);
    if (made) features_number(r, all, n);
    lethe_free(all);
    return made ? LETHE_OK : LETHE_ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    return lethe_str_cmp(((const struct session *)a)->name, ((const struct session *)b)->name);
}

static size_t n_pieces(const struct collector *k) { return k->pieces.n / sizeof(struct piece); }

static void pieces_gather(const struct session_reader *r, struct session *at)
{
    for (unsigned w = 0; w < r->n_workers; w++) {
        const struct collector *k = &r->workers[w];
        const uint32_t *found = (const uint32_t *)(const void *)k->found.at;
        for (size_t i = 0; i < n_pieces(k); i++) {
            struct piece p;
            memcpy(&p, k->pieces.at + i * sizeof p, sizeof p);
            *at++ = (struct session){.name = {(const char *)k->names.at + p.name, p.n_name},
                                     .features = p.n_features ? found + p.feature : NULL,
                                     .n = (uint32_t)p.n_features,
                                     .w = w};
        }
    }
}

static lethe_err sessions_merge(struct session_reader *r)
{
    lethe_sessions *s = r->to;
    size_t n = 0;
    uint32_t id;
    for (unsigned w = 0; w < r->n_workers; w++)
        n += n_found(&r->workers[w]);
    struct session *all = lethe_alloc(s->n, sizeof *all);
    s->start = lethe_alloc_zero((size_t)s->n + 1, sizeof *s->start);
    s->feature = lethe_alloc(n, sizeof *s->feature);
    lethe_err err = all && s->start && s->feature ? LETHE_OK : LETHE_ENOMEM;
    if (err == LETHE_OK) {
        pieces_gather(r, all);
        if (s->n > 1) qsort(all, s->n, sizeof *all, by_name);
    }
    for (uint32_t d = 0; err == LETHE_OK && d < s->n; d++) {
        const uint32_t *numbers = r->workers[all[d].w].numbers;
        for (uint32_t i = 0; i < all[d].n; i++)
            s->feature[s->start[d] + i] = numbers[all[d].features[i]];
        s->start[d + 1] = s->start[d] + all[d].n;
        err = lethe_dict_add(s->names, all[d].name, &id);
    }
    lethe_free(all);
    return err;
}

/* --- the whole --- */

static lethe_err log_read(struct session_reader *r, lethe_log *log)
{
    size_t n = 0;
    r->workers = lethe_alloc_zero(r->n_workers, sizeof *r->workers);
    r->to->names = lethe_dict_new();
    if (!r->workers || !r->to->names) return lethe_no_memory(r->ctx);
    for (unsigned w = 0; w < r->n_workers; w++)
        if (!(r->workers[w].features = lethe_dict_new())) return lethe_no_memory(r->ctx);
    LETHE_TRY(
        lethe_sorter_new(r->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(r->ctx) / 2, &r->sorter));
    LETHE_TRY(lethe_log_walk(r->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = r}));
    LETHE_TRY(lethe_sorter_each(r->sorter, users_part, r));
    for (unsigned w = 0; w < r->n_workers; w++)
        n += n_pieces(&r->workers[w]);
    if (n >= LETHE_NONE / 2)
        return lethe_fail(r->ctx, LETHE_EINPUT, "too many users for this adversary");
    r->to->n = (uint32_t)n;
    lethe_err err = features_merge(r);
    if (err == LETHE_OK) err = sessions_merge(r);
    return err == LETHE_OK ? LETHE_OK : lethe_no_memory(r->ctx);
}

lethe_err lethe_sessions_read(lethe_ctx *ctx, lethe_log *log, lethe_sessions *out)
{
    struct session_reader r = {.ctx = ctx, .to = out, .n_workers = lethe_ctx_threads(ctx)};
    atomic_init(&r.finest, DAYS);
    lethe_err err = log_read(&r, log);
    lethe_sorter_free(r.sorter);
    for (unsigned w = 0; r.workers && w < r.n_workers; w++) {
        struct collector *k = &r.workers[w];
        lethe_buf *const bufs[] = {&k->record[TEXT], &k->record[CLICK], &k->record[TIME],
                                   &k->host,         &k->key,           &k->names,
                                   &k->pieces,       &k->found};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_dict_free(k->features);
        lethe_free(k->numbers);
    }
    lethe_free(r.workers);
    return err;
}

void lethe_sessions_free(lethe_sessions *s)
{
    lethe_dict_free(s->names);
    lethe_free_all(s->layer, s->start, s->feature);
    *s = (lethe_sessions){0};
}

lethe_err lethe_sessions_words(const lethe_sessions *s, uint64_t **start, uint32_t **word)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->start[s->n]; i++)
        n += s->feature[i] < s->n_words;
    uint64_t *first = lethe_alloc_zero((size_t)s->n + 1, sizeof *first);
    uint32_t *words = lethe_alloc((size_t)n, sizeof *words);
    if (!first || !words) {
        lethe_free_all(first, words);
        return LETHE_ENOMEM;
    }
    for (uint32_t d = 0; d < s->n; d++) {
        first[d + 1] = first[d];
        for (uint64_t i = s->start[d]; i < s->start[d + 1]; i++)
            if (s->feature[i] < s->n_words) words[first[d + 1]++] = s->feature[i];
    }
    *start = first;
    *word = words;
    return LETHE_OK;
}
