/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as byte strings for the sorter, in an order that the bytes alone give:
 *
 *   BY_QUERY  query NUL owner NUL f [user NUL] time origin rank [kept NUL] url
 *   BY_USER   user NUL f [owner NUL] time query NUL origin rank [kept NUL] url
 *   keyed     key NUL f [query NUL] owner NUL f [user NUL] time origin rank [kept NUL] url
 *
 * f is 0 where the two names (user and owner, query and key) are the same, else 1 and the other one
 * follows.  A number is how many
 * bytes it has and these bytes, the highest first, so that order of bytes is order of numbers; most
 * are small, and every byte is stored and sorted for every row.  Times count from year 1, so that
 * they are not negative; no time and no rank are 0, and everything else one more.  A bit of the
 * rank's number of bytes says that kept values follow: a row without any takes no byte more. */
#include "model/log/log.h"

#define YEAR_1 INT64_C(-62135596800)
#define NUMBER_MAX ((size_t)9) /* bytes */
#define HAS_KEPT 0x80U

static uint8_t *put_text(uint8_t *w, lethe_str s)
{
    if (s.n > 0) memcpy(w, s.at, s.n);
    return w + s.n;
}

static uint8_t *put_ended(uint8_t *w, lethe_str s)
{
    w = put_text(w, s);
    *w = 0;
    return w + 1;
}

static uint8_t *put_number(uint8_t *w, uint64_t v)
{
    unsigned n = v ? 8 - (unsigned)__builtin_clzll(v) / 8 : 0;
    *w++ = (uint8_t)n;
    for (unsigned i = n; i > 0; i--)
        *w++ = (uint8_t)(v >> (8 * (i - 1)));
    return w;
}

static uint8_t *put_time(uint8_t *w, int64_t t)
{
    assert(t == LETHE_NO_TIME || t >= YEAR_1);
    return put_number(w, t == LETHE_NO_TIME ? 0 : (uint64_t)t - (uint64_t)YEAR_1 + 1);
}

static uint8_t *put_where(uint8_t *w, const lethe_row *row)
{
    w = put_number(w, row->origin);
    uint8_t *rank = w;
    w = put_number(w, row->rank == LETHE_NO_RANK ? 0 : (uint64_t)row->rank + 1);
    if (row->kept.n > 0) {
        *rank |= HAS_KEPT;
        w = put_ended(w, row->kept);
    }
    return put_text(w, row->url);
}

/* The other name of the same person or text, if it is another. */
static uint8_t *put_other(uint8_t *w, bool same, lethe_str other)
{
    *w++ = !same;
    return same ? w : put_ended(w, other);
}

/* What follows the query. */
static uint8_t *put_who_when(uint8_t *w, const lethe_row *row)
{
    bool same = lethe_str_eq(row->user, row->owner);
    w = put_other(put_ended(w, row->owner), same, row->user);
    return put_where(put_time(w, row->time), row);
}

/* Room for a record of the row, emptied; with `more` bytes of the caller's own. */
static lethe_err make_room(const lethe_row *row, size_t more, lethe_buf *buf, size_t *room)
{
    buf->n = 0;
    *room = row->user.n + row->owner.n + row->query.n + row->url.n + row->kept.n + 5 +
            3 * NUMBER_MAX + more;
    return lethe_buf_reserve(buf, *room);
}

static void close_room(lethe_buf *buf, const uint8_t *w, size_t room)
{
    buf->n = (size_t)(w - buf->at);
    assert(buf->n <= room);
    (void)room;
}

lethe_err lethe_row_pack(const lethe_row *row, lethe_packing packing, lethe_buf *buf)
{
    size_t room;
    LETHE_TRY(make_room(row, 0, buf, &room));
    uint8_t *w = buf->at;
    if (packing == LETHE_BY_QUERY) {
        w = put_who_when(put_ended(w, row->query), row);
    } else {
        bool same = lethe_str_eq(row->user, row->owner);
        w = put_other(put_ended(w, row->user), same, row->owner);
        w = put_where(put_ended(put_time(w, row->time), row->query), row);
    }
    close_room(buf, w, room);
    return LETHE_OK;
}

lethe_err lethe_row_pack_keyed(const lethe_row *row, lethe_str key, lethe_buf *buf)
{
    size_t room;
    LETHE_TRY(make_room(row, key.n + 2, buf, &room));
    uint8_t *w = put_ended(buf->at, key);
    w = put_other(w, lethe_str_eq(row->query, key), row->query);
    close_room(buf, put_who_when(w, row), room);
    return LETHE_OK;
}

static const uint8_t *get_ended(const uint8_t *p, const uint8_t *end, lethe_str *out)
{
    const uint8_t *nul = memchr(p, 0, (size_t)(end - p));
    assert(nul); // packed by ourselves
    *out = (lethe_str){(const char *)p, (size_t)(nul - p)};
    return nul + 1;
}

/* A number of n bytes. */
static const uint8_t *get_bytes(const uint8_t *p, unsigned n, uint64_t *out)
{
    uint64_t v = 0;
    for (; n > 0; n--)
        v = v << 8 | *p++;
    *out = v;
    return p;
}

static const uint8_t *get_number(const uint8_t *p, uint64_t *out)
{
    return get_bytes(p + 1, *p, out);
}

static const uint8_t *get_time(const uint8_t *p, int64_t *out)
{
    uint64_t v;
    p = get_number(p, &v);
    *out = v ? (int64_t)(v - 1 + (uint64_t)YEAR_1) : LETHE_NO_TIME;
    return p;
}

static const uint8_t *get_other(const uint8_t *p, const uint8_t *end, lethe_str same,
                                lethe_str *out)
{
    *out = same;
    return *p ? get_ended(p + 1, end, out) : p + 1;
}

static void get_where(const uint8_t *p, const uint8_t *end, lethe_row *row)
{
    uint64_t rank;
    p = get_number(p, &row->origin);
    const unsigned head = *p;
    p = get_bytes(p + 1, head & ~HAS_KEPT, &rank);
    row->kept = (lethe_str){"", 0};
    if (head & HAS_KEPT) p = get_ended(p, end, &row->kept);
    assert(p <= end);
    row->rank = rank ? (uint32_t)(rank - 1) : LETHE_NO_RANK;
    row->url = (lethe_str){(const char *)p, (size_t)(end - p)};
}

static void get_who_when(const uint8_t *p, const uint8_t *end, lethe_row *row)
{
    p = get_ended(p, end, &row->owner);
    p = get_time(get_other(p, end, row->owner, &row->user), &row->time);
    get_where(p, end, row);
}

void lethe_row_unpack(lethe_str record, lethe_packing packing, lethe_row *row)
{
    const uint8_t *p = (const uint8_t *)record.at, *end = p + record.n;
    if (packing == LETHE_BY_QUERY) {
        get_who_when(get_ended(p, end, &row->query), end, row);
        return;
    }
    p = get_ended(p, end, &row->user);
    p = get_other(p, end, row->user, &row->owner);
    get_where(get_ended(get_time(p, &row->time), end, &row->query), end, row);
}

void lethe_row_unpack_keyed(lethe_str record, lethe_str *key, lethe_row *row)
{
    const uint8_t *p = (const uint8_t *)record.at, *end = p + record.n;
    p = get_ended(p, end, key);
    get_who_when(get_other(p, end, *key, &row->query), end, row);
}
