/* SPDX-License-Identifier: Apache-2.0 */
/* open_group.c - the rows of one QueryID: which shares are there, the key they make, the box it
 * opens.
 *
 * Nothing is believed: a key must give its QueryID, a box must open under it and hold one query in
 * normal form, every row's share must be the one that the key's polynomial has at its index, and
 * two boxes of one QueryID that open to two queries open neither. */
#include "io/read/blocks.h"
#include "app/open/open.h"
#include <sodium.h>

enum {
    KEY = LETHE_SECRET_BYTES,
    VALUES_MAX = LETHE_OPEN_VALUES,
    TRIES_LEAST = 256, /* more than all sets of 3 indices in 10 */
    SPARE_BYTES = 128, /* of a line, for what is not text (lethe_log_walk) */
    COLUMN_SHARE = 3,
    COLUMN_BOX = 4,
};

static const char no_key[] = "shares do not make the key of their QueryID";
static const char other_share[] = "share does not fit the others of its QueryID";
static const char two_queries[] = "boxes of one QueryID hold different queries";
static const char line_too_long[] = "line would be over 1 MiB when opened";

typedef lethe_open_share candidate;
typedef lethe_open_worker worker;
typedef lethe_open_run open_run;

/* QueryID NUL index share size-of-box box file line length-of-user user TAB rest */
typedef struct record {
    const uint8_t *id_hex, *share, *box;
    uint8_t index;
    uint32_t n_box, file, n_user;
    uint64_t line;
    lethe_str tail; /* user TAB time TAB rank TAB url */
} record;

enum {
    AT_INDEX = LETHE_SEALED_ID_CHARS + 1,
    AT_SHARE = AT_INDEX + 1,
    AT_BOX_SIZE = AT_SHARE + KEY,
    AT_BOX = AT_BOX_SIZE + 4,
    AFTER_BOX = 4 + 8 + 4,
};

static record record_of(lethe_str s)
{
    const uint8_t *p = (const uint8_t *)s.at;
    record r = {.id_hex = p, .index = p[AT_INDEX], .share = p + AT_SHARE, .box = p + AT_BOX};
    r.n_box = lethe_be32_get(p + AT_BOX_SIZE);
    const uint8_t *after = r.box + r.n_box;
    r.file = lethe_be32_get(after);
    r.line = lethe_be64_get(after + 4);
    r.n_user = lethe_be32_get(after + 12);
    size_t before = AT_BOX + r.n_box + AFTER_BOX;
    r.tail = (lethe_str){s.at + before, s.n - before};
    return r;
}

static uint8_t *put_str(uint8_t *to, lethe_str s)
{
    if (s.n) memcpy(to, s.at, s.n);
    return to + s.n;
}

lethe_err lethe_open_row(void *arg, unsigned w, const lethe_sealed_row *row)
{
    open_run *g = arg;
    lethe_buf *b = &g->workers[w].record;
    size_t tail = row->user.n + row->time_text.n + row->rank_text.n + row->url.n + 3;
    b->n = 0;
    LETHE_TRY(lethe_buf_reserve(b, AT_BOX + row->box_bytes + AFTER_BOX + tail));
    uint8_t *p = b->at;
    memcpy(p, row->id.at, LETHE_SEALED_ID_CHARS);
    p[LETHE_SEALED_ID_CHARS] = 0;
    p[AT_INDEX] = (uint8_t)row->index;
    lethe_sealed_share(row, p + AT_SHARE);
    lethe_be32_put(p + AT_BOX_SIZE, (uint32_t)row->box_bytes);
    lethe_sealed_box(row, p + AT_BOX);
    p += AT_BOX + row->box_bytes;
    lethe_be32_put(p, g->file);
    lethe_be64_put(p + 4, row->line);
    lethe_be32_put(p + 12, (uint32_t)row->user.n);
    p = put_str(p + AFTER_BOX, row->user);
    *p++ = '\t';
    p = put_str(p, row->time_text);
    *p++ = '\t';
    p = put_str(p, row->rank_text);
    *p++ = '\t';
    p = put_str(p, row->url);
    return lethe_sorter_put(g->groups, w, b->at, (size_t)(p - b->at));
}

/* --- room for all of it --- */

lethe_err lethe_open_begin(open_run *g, size_t n_files)
{
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    uint64_t memory = lethe_ctx_memory(g->ctx);
    if (sodium_init() < 0)
        return lethe_fail(d, LETHE_EIO, "cannot start the cryptographic library");
    g->workers = lethe_alloc_zero(g->n_workers, sizeof *g->workers);
    g->rejects = lethe_alloc_zero(n_files, sizeof *g->rejects);
    if (!g->workers || !g->rejects) return lethe_no_memory(d);
    for (unsigned w = 0; w < g->n_workers; w++)
        if (!(g->workers[w].weights = lethe_weights_new())) return lethe_no_memory(d);
    LETHE_TRY(lethe_sorter_new(g->ctx, LETHE_ORDER_GROUP, memory / 2, &g->groups));
    return lethe_sorter_new(g->ctx, LETHE_ORDER_BYTES, memory / 4, &g->lines);
}

void lethe_open_end(open_run *g, size_t n_files)
{
    lethe_sorter_free(g->groups);
    lethe_sorter_free(g->lines);
    for (unsigned w = 0; g->workers && w < g->n_workers; w++) {
        worker *me = &g->workers[w];
        lethe_buf *const bufs[] = {&me->record, &me->line, &me->box, &me->tried, &me->plain};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_weights_free(me->weights);
        sodium_memzero(&me->shares, sizeof me->shares);
        sodium_memzero(me->at, sizeof me->at);
    }
    for (size_t i = 0; g->rejects && i < n_files; i++)
        lethe_rejects_free(&g->rejects[i]);
    lethe_free(g->workers);
    lethe_free(g->rejects);
    pthread_mutex_destroy(&g->lock);
}

/* --- a group: which shares are there --- */

static bool same_box(const lethe_buf *b, const record *r)
{
    return b->n == r->n_box && memcmp(b->at, r->box, r->n_box) == 0;
}

/* Rows come by index and share, so a share that is not the last one is new. */
static lethe_err group_take(worker *me, const record *r)
{
    if (me->n_rows++ == 0) {
        me->box.n = 0;
        LETHE_TRY(lethe_buf_put(&me->box, r->box, r->n_box));
    } else if (!me->boxes_differ) {
        me->boxes_differ = !same_box(&me->box, r);
    }
    candidate *last = me->n ? &me->at[me->n - 1] : NULL;
    bool new_index = !last || last->index != r->index;
    if (!new_index && memcmp(last->bytes, r->share, KEY) == 0) {
        last->rows++;
        return LETHE_OK;
    }
    me->n_indices += new_index;
    bool full = me->n >= VALUES_MAX && me->at[me->n - VALUES_MAX].index == r->index;
    if (full) {
        // of the values of the last index, leaves out the one that the fewest rows have
        uint32_t from = me->n - VALUES_MAX, least = from;
        for (uint32_t i = from + 1; i < me->n; i++)
            if (me->at[i].rows <= me->at[least].rows) least = i;
        memmove(&me->at[least], &me->at[least + 1], (me->n - least - 1) * sizeof *me->at);
        me->n--;
    }
    me->at[me->n] = (candidate){.rows = 1, .index = r->index};
    memcpy(me->at[me->n++].bytes, r->share, KEY);
    return LETHE_OK;
}

/* --- a group: its key --- */

/* places[] = where in the order the first t shares stand that are not skipped, of distinct indices;
 * false: there are fewer. */
static bool shares_choose(const worker *me, uint32_t n, uint32_t t, uint32_t *places)
{
    bool used[LETHE_SHARES_MAX + 1] = {false};
    uint32_t n_chosen = 0;
    for (uint32_t i = 0; i < n && n_chosen < t; i++) {
        const candidate *c = &me->at[me->order[i]];
        if (c->skipped || used[c->index]) continue;
        used[c->index] = true;
        places[n_chosen++] = i;
    }
    return n_chosen == t;
}

static bool shares_try(const open_run *g, worker *me, const uint32_t *places, const uint8_t *id,
                       uint8_t key[KEY])
{
    uint32_t of[LETHE_SHARES_MAX + 1], n = 0;
    bool used[LETHE_SHARES_MAX + 1] = {false};
    for (uint32_t i = 0; i < g->form.t; i++) {
        uint32_t c = me->order[places[i]];
        used[me->at[c].index] = true;
        of[me->at[c].index] = c;
    }
    for (uint32_t index = 1; index <= g->form.n; index++) { // rising, for the weights
        if (!used[index]) continue;
        me->shares.indices[n] = (uint8_t)index;
        memcpy(me->shares.bytes + (size_t)n++ * KEY, me->at[of[index]].bytes, KEY);
    }
    return lethe_unseal_key(&g->form, me->weights, &me->shares, id, key);
}

/* Tries every choice of t shares that comes of leaving out `skips` of those that would have been
 * chosen, none of them before place `from`: so no choice comes twice.  All with fewer left out have
 * failed.  Ends where no tries are left. */
static bool key_search(const open_run *g, worker *me, const uint8_t *id, uint32_t from,
                       unsigned skips, uint8_t key[KEY])
{
    uint32_t places[LETHE_SHARES_MAX];
    if (me->tries_left == 0 || !shares_choose(me, me->n, g->form.t, places)) return false;
    if (skips == 0) {
        me->tries_left--;
        return shares_try(g, me, places, id, key);
    }
    bool found = false;
    for (uint32_t i = 0; i < g->form.t && !found; i++) {
        if (places[i] < from) continue;
        candidate *c = &me->at[me->order[places[i]]];
        c->skipped = true;
        found = key_search(g, me, id, places[i] + 1, skips - 1, key);
        c->skipped = false;
    }
    return found;
}

/* The key of the group.  Where the first shares do not make it, choices ever further from what most
 * rows have are tried, up to a limit: anyone who damages shares must not be able to make us go
 * through all choices of 100 in 200. */
static bool key_find(const open_run *g, worker *me, uint8_t key[KEY])
{
    uint8_t id[LETHE_SEALED_ID_BYTES];
    uint32_t places[LETHE_SHARES_MAX];
    lethe_sealed_row row = {.id = {me->id_hex, sizeof me->id_hex}};
    lethe_sealed_id(&row, id);
    // of each index the share that most rows have, by index: what is most often right, and few sets
    // of indices, whose weights are known
    uint32_t n = 0;
    for (uint32_t i = 0, next; i < me->n; i = next) {
        uint32_t best = i;
        for (next = i + 1; next < me->n && me->at[next].index == me->at[i].index; next++)
            if (me->at[next].rows > me->at[best].rows) best = next;
        me->order[n++] = best;
    }
    bool found = shares_choose(me, n, g->form.t, places) && shares_try(g, me, places, id, key);
    if (!found) {
        // all shares, those that most rows have first
        for (uint32_t i = 0; i < me->n; i++) {
            uint32_t at = i;
            for (; at > 0 && me->at[me->order[at - 1]].rows < me->at[i].rows; at--)
                me->order[at] = me->order[at - 1];
            me->order[at] = i;
        }
    }
    me->tries_left = TRIES_LEAST + 2 * g->form.t;
    uint32_t before = me->tries_left + 1;
    for (unsigned skips = 0; !found && me->tries_left < before;
         skips++) { // while there are choices
        before = me->tries_left;
        found = key_search(g, me, id, 0, skips, key);
    }
    return found;
}

/* --- a group: its box --- */

/* The query, in me->plain, and its box, in me->box; or why no row of the group can be opened. */
static lethe_err group_query(worker *me, lethe_sorted *it, const uint8_t key[KEY], lethe_str *query,
                             const char **cause)
{
    lethe_str s;
    unsigned n = 0; // different queries in boxes that differ
    if (me->boxes_differ) {
        me->tried.n = 0;
        LETHE_TRY(lethe_sorted_rewind(it));
        for (uint64_t i = 0; n < 2 && i < me->n_rows && lethe_sorted_next(it, &s); i++) {
            record r = record_of(s);
            if (same_box(&me->tried, &r) || (n > 0 && same_box(&me->box, &r))) continue;
            me->tried.n = 0;
            LETHE_TRY(lethe_buf_put(&me->tried, r.box, r.n_box));
            LETHE_TRY(lethe_unseal_box(key, r.box, r.n_box, &me->plain, query, cause));
            // there is one way to lock a query, so another box that opens is another query
            if (*cause || ++n > 1) continue;
            me->box.n = 0;
            LETHE_TRY(lethe_buf_put(&me->box, r.box, r.n_box));
        }
        LETHE_TRY(lethe_sorted_err(it));
    }
    if (n < 2) return lethe_unseal_box(key, me->box.at, me->box.n, &me->plain, query, cause);
    *cause = two_queries;
    *query = (lethe_str){"", 0};
    return LETHE_OK;
}

/* --- a group: its rows --- */

static lethe_err damaged(open_run *g, worker *me, const record *r, uint32_t column,
                         const char *cause)
{
    me->sum.rows_damaged++;
    pthread_mutex_lock(&g->lock);
    lethe_err e =
        lethe_rejects_add(&g->rejects[r->file], r->line, column, cause, (lethe_str){"", 0});
    pthread_mutex_unlock(&g->lock);
    return e;
}

/* Every row of a group with a key and a query; `none` where no row can be opened, and why. */
static lethe_err rows_open(open_run *g, worker *me, unsigned w, lethe_sorted *it,
                           const uint8_t key[KEY], lethe_str query, const char *none)
{
    lethe_str s;
    uint8_t last[1 + KEY] = {0}; // index and share that were looked at
    bool fits = false;
    LETHE_TRY(lethe_sorted_rewind(it));
    for (uint64_t i = 0; i < me->n_rows && lethe_sorted_next(it, &s); i++) {
        record r = record_of(s);
        const char *cause = none;
        if (memcmp(last, s.at + AT_INDEX, sizeof last) != 0) {
            memcpy(last, s.at + AT_INDEX, sizeof last);
            fits = lethe_unseal_fits(&g->form, me->weights, &me->shares, r.index, r.share);
        }
        if (!fits) {
            LETHE_TRY(damaged(g, me, &r, COLUMN_SHARE, other_share));
            continue;
        }
        if (!same_box(&me->box, &r)) { // it has a reason of its own, or that of all
            lethe_buf plain = {0};     // `query` is in me->plain
            lethe_str other;
            lethe_err e = lethe_unseal_box(key, r.box, r.n_box, &plain, &other, &cause);
            lethe_buf_free(&plain);
            LETHE_TRY(e);
            if (!cause) cause = none;
        }
        lethe_str user = {r.tail.at, r.n_user}, rest = {r.tail.at + r.n_user, r.tail.n - r.n_user};
        if (!cause && user.n + query.n + rest.n > LETHE_LINE_MAX - SPARE_BYTES)
            cause = line_too_long;
        if (cause) {
            LETHE_TRY(damaged(g, me, &r, COLUMN_BOX, cause));
            continue;
        }
        me->line.n = 0;
        LETHE_TRY(lethe_buf_str(&me->line, user));
        LETHE_TRY(lethe_buf_put(&me->line, "\t", 1));
        LETHE_TRY(lethe_buf_str(&me->line, query));
        LETHE_TRY(lethe_buf_str(&me->line, rest));
        me->sum.rows_opened++;
        LETHE_TRY(lethe_sorter_put(g->lines, w, me->line.at, me->line.n));
    }
    return lethe_sorted_err(it);
}

static lethe_err group_open(open_run *g, worker *me, unsigned w, lethe_sorted *it)
{
    uint8_t key[KEY];
    lethe_str query = {"", 0};
    const char *none = NULL;
    uint64_t before = me->sum.rows_opened;
    if (!key_find(g, me, key)) {
        lethe_str s;
        me->sum.queries_closed++;
        LETHE_TRY(lethe_sorted_rewind(it));
        for (uint64_t i = 0; i < me->n_rows && lethe_sorted_next(it, &s); i++) {
            record r = record_of(s);
            LETHE_TRY(damaged(g, me, &r, COLUMN_SHARE, no_key));
        }
        return lethe_sorted_err(it);
    }
    lethe_err e = group_query(me, it, key, &query, &none);
    if (e == LETHE_OK) e = rows_open(g, me, w, it, key, query, none);
    sodium_memzero(key, sizeof key);
    if (me->sum.rows_opened > before)
        me->sum.queries_opened++;
    else
        me->sum.queries_closed++;
    return e;
}

lethe_err lethe_open_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    open_run *g = arg;
    worker *me = &g->workers[w];
    lethe_str s;
    (void)part;
    for (bool more = lethe_sorted_next(it, &s); more;) {
        record r = record_of(s);
        if (lethe_ctx_cancelled(g->ctx)) return LETHE_ECANCEL;
        lethe_sorted_mark(it);
        memcpy(me->id_hex, r.id_hex, sizeof me->id_hex);
        me->n_rows = 0;
        me->n = me->n_indices = 0;
        me->boxes_differ = false;
        do {
            LETHE_TRY(group_take(me, &r));
            more = lethe_sorted_next(it, &s);
            if (more) r = record_of(s);
        } while (more && memcmp(r.id_hex, me->id_hex, sizeof me->id_hex) == 0);
        LETHE_TRY(lethe_sorted_err(it));
        if (me->n_indices < g->form.t) {
            me->sum.queries_closed++;
            me->sum.rows_closed += me->n_rows;
            continue;
        }
        LETHE_TRY(group_open(g, me, w, it)); // leaves off where the next group begins
        more = lethe_sorted_next(it, &s);
    }
    return lethe_sorted_err(it);
}
