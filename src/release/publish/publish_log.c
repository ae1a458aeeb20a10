/* SPDX-License-Identifier: Apache-2.0 */
/* publish_log.c - rows become what the world may see: pseudonyms, coarse times, cut URLs, in an
 * order that depends on the published bytes alone (the order of the input is itself identifying).
 */
#include "release/publish/publish_log.h"
#include "core/mem.h"
#include "release/publish/lines.h"
#include "release/publish/publish_ubi.h"
#include "text/normalize.h"
#include <stdio.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    PSEUDONYM_CHARS = LETHE_PSEUDONYM_CHARS, /* base32 of 80 bits: among 10^8 users two meet with
                                                probability 4e-9 */
    CACHE_LEAST = 1 << 8,
    CACHE_MOST = 1 << 20, /* users of one worker: 64 MiB */
    AHEAD = 12,           /* rows that wait while their users come from memory */
    CACHED_USER_MAX = 47,
    CACHED_TIMES = 256,
    LINE_OF_CACHE = 64,
    RANK_CHARS = 10, /* of the greatest 32-bit number */
    TIME_CHARS = 20, /* as lethe_time_format wants them */
    HOUR_S = 3600,
    DAY_S = 86400,
};

/* Pseudonyms are keyed BLAKE2b; users come again and again, so many are kept, a cache line each. */
typedef struct cached_user {
    uint8_t n; /* 0: empty */
    char user[CACHED_USER_MAX];
    char pseudonym[PSEUDONYM_CHARS];
} cached_user;
_Static_assert(sizeof(cached_user) == LINE_OF_CACHE, "one cache line");

/* A cut time and how it is written: a log has few of them. */
typedef struct cached_time {
    int64_t time;
    uint8_t n; /* 0: empty */
    char text[TIME_CHARS];
} cached_time;

/* A row that waits, its strings in `bytes`. */
typedef struct waiting_row {
    lethe_row row;
    lethe_buf bytes;
} waiting_row;

typedef struct worker {
    lethe_buf line, host, pair;
    waiting_row waiting[AHEAD]; /* in turn */
    size_t n_taken;             /* rows that have ever waited here */
    void *cache_memory;
    cached_user *users; /* in cache_memory, aligned */
    cached_time times[CACHED_TIMES];
    lethe_published_columns published;
    uint64_t uncut;
    char pad[LINE_OF_CACHE];
} worker;

struct lethe_log_publisher {
    lethe_ctx *ctx;
    lethe_publish_options how;
    lethe_line_layout layout;
    lethe_secret *user_key, *url_key;
    lethe_sorter *lines;
    lethe_sorter *pairs; /* owner NUL published, for --map; else NULL */
    uint64_t cap_bytes;
    size_t n_cached; /* users a worker keeps: a power of two */
    int dirfd;       /* where data.tsv is */
    unsigned n_workers;
    worker *workers;
};

static lethe_err publisher_init(lethe_log_publisher *p, const lethe_secret *key)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    p->workers = lethe_alloc_zero(p->n_workers, sizeof *p->workers);
    if (!p->workers) return lethe_no_memory(d);
    // caches may take a sixteenth of the budget.
    uint64_t each = p->cap_bytes / 16 / p->n_workers;
    p->n_cached = CACHE_LEAST;
    while (p->n_cached < CACHE_MOST && 2 * p->n_cached * sizeof(cached_user) <= each)
        p->n_cached *= 2;
    for (unsigned w = 0; w < p->n_workers && !p->how.keep_users; w++) {
        worker *me = &p->workers[w];
        me->users = lethe_alloc_table(p->n_cached, sizeof *me->users, &me->cache_memory);
        if (!me->users) return lethe_no_memory(d);
    }
    LETHE_TRY(lethe_secret_derive(key, LETHE_USER_KEY, &p->user_key));
    LETHE_TRY(lethe_secret_derive(key, LETHE_URL_KEY, &p->url_key));
    uint64_t for_lines = p->how.map ? p->cap_bytes / 4 * 3 : p->cap_bytes;
    LETHE_TRY(lethe_sorter_new(p->ctx, LETHE_ORDER_BYTES, for_lines, &p->lines));
    if (!p->how.map) return LETHE_OK;
    return lethe_sorter_new(p->ctx, LETHE_ORDER_GROUP, p->cap_bytes / 4, &p->pairs);
}

lethe_line_layout lethe_line_layout_of(const lethe_step *last)
{
    lethe_line_layout layout = {.head = LETHE_LOG_HEADER, .clicks = true};
    if (last->method->head) last->method->head(&last->values, layout.head, &layout.clicks);
    return layout;
}

void lethe_line_layout_keep(lethe_line_layout *layout, const lethe_keep *keep)
{
    char buf[LETHE_KEEP_NAME_MAX];
    size_t n = strlen(layout->head) - 1; // its LF comes last
    for (size_t i = 0; i < keep->n; i++) {
        lethe_str name = lethe_keep_name(keep, i, buf);
        layout->head[n++] = '\t';
        memcpy(layout->head + n, name.at, name.n);
        n += name.n;
    }
    memcpy(layout->head + n, "\n", 2);
}

lethe_err lethe_log_publisher_new(lethe_ctx *ctx, const lethe_publish_options *how,
                                  const lethe_line_layout *layout, const lethe_secret *key,
                                  uint64_t cap_bytes, void **out)
{
    lethe_log_publisher *p = lethe_alloc(1, sizeof *p);
    if (!p) return lethe_no_memory(ctx);
    *p = (lethe_log_publisher){.ctx = ctx,
                               .how = *how,
                               .layout = *layout,
                               .cap_bytes = cap_bytes,
                               .n_workers = lethe_ctx_threads(ctx)};
    lethe_err e = publisher_init(p, key);
    if (e != LETHE_OK) {
        lethe_log_publisher_free(p);
        return e;
    }
    *out = p;
    return LETHE_OK;
}

void lethe_log_publisher_free(void *publisher)
{
    lethe_log_publisher *p = publisher;
    if (!p) return;
    for (unsigned w = 0; p->workers && w < p->n_workers; w++) {
        lethe_buf_free(&p->workers[w].line);
        lethe_buf_free(&p->workers[w].host);
        lethe_buf_free(&p->workers[w].pair);
        for (size_t i = 0; i < AHEAD; i++)
            lethe_buf_free(&p->workers[w].waiting[i].bytes);
        lethe_free(p->workers[w].cache_memory);
    }
    lethe_free(p->workers);
    lethe_sorter_free(p->lines);
    lethe_sorter_free(p->pairs);
    lethe_secret_free(p->user_key);
    lethe_secret_free(p->url_key);
    lethe_free(p);
}

void lethe_log_publisher_folder(void *publisher, int dirfd)
{
    lethe_log_publisher *p = publisher;
    p->dirfd = dirfd;
}

static const char base32[] = LETHE_PSEUDONYM_DIGITS;

lethe_log_form lethe_form_of(const lethe_publish_options *how)
{
    static const lethe_url_form forms[] = {[LETHE_URLS_HOST] = LETHE_URL_HOST,
                                           [LETHE_URLS_ID] = LETHE_URL_ID,
                                           [LETHE_URLS_KEEP] = LETHE_URL_ANY,
                                           [LETHE_URLS_DROP] = LETHE_URL_NONE};
    return (lethe_log_form){.any_user = how->keep_users,
                            .times = (lethe_time_unit)how->times,
                            .urls = forms[how->urls],
                            .object_ids = how->object_ids,
                            .keep = how->keep.n > 0 ? &how->keep : NULL};
}

void lethe_pseudonym_make(const lethe_secret *key, lethe_str s, char out[LETHE_PSEUDONYM_CHARS])
{
    uint8_t mac[16];
    lethe_secret_mac(key, s, mac, sizeof mac);
    for (int half = 0; half < 2; half++) { // 5 bytes make 8 digits
        uint64_t bits = 0;
        for (int i = 0; i < 5; i++)
            bits = bits << 8 | mac[5 * half + i];
        for (int i = 7; i >= 0; i--, bits >>= 5)
            out[8 * half + i] = base32[bits & 31];
    }
}

/* --- the line: pieces are put one after the other where there is room for all --- */

static uint8_t *put_str(uint8_t *to, lethe_str s)
{
    memcpy(to, s.at, s.n);
    return to + s.n;
}

static cached_user *cached_place(const lethe_log_publisher *p, const worker *me, lethe_str user)
{
    return &me->users[XXH3_64bits(user.at, user.n) & (p->n_cached - 1)];
}

static uint8_t *put_user(const lethe_log_publisher *p, worker *me, uint8_t *to, lethe_str user)
{
    if (p->how.keep_users) return put_str(to, user);
    if (user.n > CACHED_USER_MAX) {
        lethe_pseudonym_make(p->user_key, user, (char *)to);
        return to + PSEUDONYM_CHARS;
    }
    cached_user *c = cached_place(p, me, user);
    if (c->n != user.n || memcmp(c->user, user.at, user.n) != 0) {
        lethe_pseudonym_make(p->user_key, user, c->pseudonym);
        c->n = (uint8_t)user.n;
        memcpy(c->user, user.at, user.n);
    }
    memcpy(to, c->pseudonym, PSEUDONYM_CHARS);
    return to + PSEUDONYM_CHARS;
}

static uint8_t *put_time(const lethe_log_publisher *p, worker *me, uint8_t *to, int64_t t)
{
    lethe_time_unit unit = (lethe_time_unit)p->how.times;
    if (t == LETHE_NO_TIME || unit == LETHE_TIME_DROP) return to;
    lethe_time_unit kept = unit == LETHE_TIME_EXACT ? LETHE_TIME_DAY : unit;
    int64_t cut = lethe_time_cut(t, kept), length = kept == LETHE_TIME_HOUR ? HOUR_S : DAY_S;
    cached_time *c = &me->times[(uint64_t)(cut / length) % CACHED_TIMES];
    if (c->n == 0 || c->time != cut) {
        c->time = cut;
        c->n = (uint8_t)lethe_time_format(cut, kept, c->text);
    }
    memcpy(to, c->text, sizeof c->text); // all of it: a length that varies takes longer
    to += c->n;
    if (unit != LETHE_TIME_EXACT || c->n == 0) return to;
    // " HH:MM:SS", as lethe_time_format would write them after the day
    uint32_t second = (uint32_t)(t - cut);
    const uint32_t parts[] = {second / HOUR_S, second / 60 % 60, second % 60};
    for (size_t i = 0; i < LETHE_COUNT(parts); i++) {
        *to++ = i ? ':' : ' ';
        *to++ = (uint8_t)('0' + parts[i] / 10);
        *to++ = (uint8_t)('0' + parts[i] % 10);
    }
    return to;
}

static uint8_t *put_rank(uint8_t *to, uint32_t rank)
{
    char digits[RANK_CHARS];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + rank % 10);
        rank /= 10;
    } while (rank);
    while (n > 0)
        *to++ = (uint8_t)digits[--n];
    return to;
}

/* What is published of a clicked URL or object, perhaps in `id`. */
static lethe_err click_publish(const lethe_log_publisher *p, worker *me, lethe_str url,
                               char id[PSEUDONYM_CHARS], lethe_str *out)
{
    bool object = lethe_is_object(url), keyed = object || p->how.urls == LETHE_URLS_ID;
    *out = (lethe_str){"", 0};
    if (url.n == 0 || p->how.urls == LETHE_URLS_DROP) return LETHE_OK;
    if (object) url = lethe_object_id(url);
    if (p->how.urls == LETHE_URLS_KEEP) {
        *out = url;
    } else if (keyed) {
        lethe_pseudonym_make(p->url_key, url, id);
        *out = (lethe_str){id, PSEUDONYM_CHARS};
        me->published.object_ids += object;
    } else {
        LETHE_TRY(lethe_url_host(url, &me->host, out));
        if (lethe_is_pseudonym(*out)) out->n = 0; // it would pass for an object's identifier
        me->uncut += out->n == 0;
    }
    return LETHE_OK;
}

/* The kept values behind the five columns; a row that has none has empty ones. */
static uint8_t *put_kept(const lethe_log_publisher *p, uint8_t *to, lethe_str kept)
{
    *to++ = '\t';
    if (kept.n > 0) return put_str(to, kept);
    for (size_t i = 1; i < p->how.keep.n; i++)
        *to++ = '\t';
    return to;
}

lethe_err lethe_log_publisher_line(lethe_log_publisher *p, unsigned w, const lethe_row *row,
                                   lethe_buf *line)
{
    worker *me = &p->workers[w];
    char id[PSEUDONYM_CHARS];
    lethe_str url;
    LETHE_TRY(click_publish(p, me, row->url, id, &url));
    LETHE_TRY(lethe_buf_reserve(line, LETHE_MAX(row->user.n, (size_t)PSEUDONYM_CHARS) +
                                          row->query.n + TIME_CHARS + RANK_CHARS + url.n + 5 +
                                          row->kept.n + p->how.keep.n));
    uint8_t *start = line->at + line->n, *to = put_user(p, me, start, row->user);
    lethe_str user = {(const char *)start, (size_t)(to - start)};
    *to++ = '\t';
    to = put_str(to, row->query);
    *to++ = '\t';
    const uint8_t *time = to;
    to = put_time(p, me, to, row->time);
    me->published.times += to > time;
    if (p->layout.clicks) {
        // a rank without the URL it belongs to would still tell of a click, so it goes with it
        bool cut_away = p->how.urls == LETHE_URLS_DROP || (url.n == 0 && row->url.n > 0),
             ranked = row->rank != LETHE_NO_RANK && !cut_away;
        *to++ = '\t';
        if (ranked) to = put_rank(to, row->rank);
        *to++ = '\t';
        to = put_str(to, url);
        me->published.ranks += ranked;
        me->published.clicks += url.n > 0;
    }
    if (p->how.keep.n > 0) to = put_kept(p, to, row->kept);
    *to++ = '\n';
    line->n = (size_t)(to - line->at);
    me->published.rows++;
    if (!p->pairs) return LETHE_OK;
    me->pair.n = 0; // the person and the published name
    LETHE_TRY(lethe_buf_str(&me->pair, row->owner));
    LETHE_TRY(lethe_buf_put(&me->pair, "", 1));
    LETHE_TRY(lethe_buf_str(&me->pair, user));
    return lethe_sorter_put(p->pairs, w, me->pair.at, me->pair.n);
}

/* --- rows wait a little: where there are many users, each would be waited for otherwise --- */

static lethe_err row_put(lethe_log_publisher *p, unsigned w, const lethe_row *row)
{
    lethe_buf *line = &p->workers[w].line;
    line->n = 0;
    LETHE_TRY(lethe_log_publisher_line(p, w, row, line));
    return lethe_sorter_put(p->lines, w, line->at, line->n - 1); // sorted without its LF
}

static lethe_str keep_str(lethe_buf *b, lethe_str s)
{
    memcpy(b->at + b->n, s.at, s.n);
    b->n += s.n;
    return (lethe_str){(const char *)b->at + b->n - s.n, s.n};
}

lethe_err lethe_log_publisher_row(lethe_log_publisher *p, unsigned w, const lethe_row *row)
{
    worker *me = &p->workers[w];
    if (!me->users) return row_put(p, w, row);
    waiting_row *place = &me->waiting[me->n_taken % AHEAD];
    if (me->n_taken >= AHEAD) LETHE_TRY(row_put(p, w, &place->row));
    lethe_buf *b = &place->bytes;
    b->n = 0;
    LETHE_TRY(lethe_buf_reserve(b, row->owner.n + row->user.n + row->query.n + row->url.n +
                                       row->kept.n + 1));
    // member by member: a string that was just stored in two halves is not loaded as one
    lethe_str user = keep_str(b, row->user);
    lethe_str owner = row->owner.at == row->user.at ? user : keep_str(b, row->owner);
    lethe_str query = keep_str(b, row->query), url = keep_str(b, row->url);
    lethe_str kept = row->kept.n > 0 ? keep_str(b, row->kept) : (lethe_str){"", 0};
    place->row = (lethe_row){.user = user,
                             .owner = owner,
                             .query = query,
                             .url = url,
                             .kept = kept,
                             .time = row->time,
                             .origin = row->origin,
                             .rank = row->rank};
    me->n_taken++;
    __builtin_prefetch(cached_place(p, me, row->user), 1);
    return LETHE_OK;
}

lethe_err lethe_log_publisher_finish(void *publisher)
{
    lethe_log_publisher *p = publisher;
    for (unsigned w = 0; w < p->n_workers; w++) {
        worker *me = &p->workers[w];
        size_t n = LETHE_MIN(me->n_taken, (size_t)AHEAD);
        for (size_t i = me->n_taken - n; i < me->n_taken; i++)
            LETHE_TRY(row_put(p, w, &me->waiting[i % AHEAD].row));
        me->n_taken = 0;
    }
    return LETHE_OK;
}

lethe_published_columns lethe_log_publisher_columns(const lethe_log_publisher *p)
{
    lethe_published_columns all = {0};
    for (unsigned w = 0; w < p->n_workers; w++) {
        const lethe_published_columns *mine = &p->workers[w].published;
        all.rows += mine->rows;
        all.clicks += mine->clicks;
        all.ranks += mine->ranks;
        all.times += mine->times;
        all.object_ids += mine->object_ids;
    }
    return all;
}

uint64_t lethe_log_publisher_rows(const lethe_log_publisher *p)
{
    return lethe_log_publisher_columns(p).rows;
}

uint64_t lethe_log_publisher_uncut(const lethe_log_publisher *p)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < p->n_workers; w++)
        n += p->workers[w].uncut;
    return n;
}

lethe_err lethe_log_publisher_data(void *publisher, lethe_sink *to)
{
    lethe_log_publisher *p = publisher;
    lethe_str head = lethe_str_of(p->layout.head);
    return p->layout.piped ? lethe_sorted_lines_print(p->ctx, p->lines, head, to)
                           : lethe_sorted_lines_write(p->ctx, p->lines, head, to);
}

lethe_err lethe_log_publisher_ubi(void *publisher, lethe_sink *to)
{
    lethe_log_publisher *p = publisher;
    return lethe_ubi_write(p->ctx, p->dirfd, to);
}

typedef struct map_builder {
    lethe_sorter *distinct;
    lethe_buf *last; /* one per worker */
} map_builder;

/* Each pair once, its NUL become a tab. */
static lethe_err map_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    map_builder *m = arg;
    lethe_buf *last = &m->last[w];
    (void)part;
    last->n = 0;
    lethe_str pair;
    while (lethe_sorted_next(it, &pair)) {
        char *nul = memchr(pair.at, '\0', pair.n);
        size_t n_owner = (size_t)(nul - pair.at);
        if (last->n == pair.n && memcmp(last->at, pair.at, n_owner) == 0 &&
            memcmp(last->at + n_owner + 1, nul + 1, pair.n - n_owner - 1) == 0)
            continue;
        last->n = 0;
        LETHE_TRY(lethe_buf_str(last, pair));
        last->at[n_owner] = '\t';
        LETHE_TRY(lethe_sorter_put(m->distinct, w, last->at, last->n));
    }
    return lethe_sorted_err(it);
}

lethe_err lethe_log_publisher_map(void *publisher, lethe_sink *to)
{
    lethe_log_publisher *p = publisher;
    map_builder m = {0};
    lethe_err e = lethe_sorter_new(p->ctx, LETHE_ORDER_BYTES, p->cap_bytes / 4, &m.distinct);
    m.last = lethe_alloc_zero(p->n_workers, sizeof *m.last);
    if (e == LETHE_OK && !m.last) e = lethe_no_memory(p->ctx);
    if (e == LETHE_OK) e = lethe_sorter_each(p->pairs, map_part, &m);
    if (e == LETHE_OK) e = lethe_sorted_lines_print(p->ctx, m.distinct, (lethe_str){"", 0}, to);
    for (unsigned w = 0; m.last && w < p->n_workers; w++)
        lethe_buf_free(&m.last[w]);
    lethe_free(m.last);
    lethe_sorter_free(m.distinct);
    return e;
}
