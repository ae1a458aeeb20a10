/* Rows as byte strings for the sorter, in an order that the bytes alone give:
 *
 *   BY_QUERY  query NUL owner NUL f [user NUL] time origin rank url
 *   BY_USER   user NUL f [owner NUL] time query NUL origin rank url
 *
 * f is 0 where user and owner are the same, else 1 and the other one follows.  Numbers are
 * big-endian; time has its sign bit flipped, so that LETHE_NO_TIME, the lowest, is all zeros. */
#include "model/log.h"

#define SIGN_BIT (UINT64_C(1) << 63)

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

static uint8_t *put_time(uint8_t *w, int64_t t)
{
    lethe_be64_put(w, (uint64_t)t ^ SIGN_BIT);
    return w + 8;
}

static uint8_t *put_where(uint8_t *w, const lethe_row *row)
{
    lethe_be64_put(w, row->origin);
    lethe_be32_put(w + 8, row->rank);
    return put_text(w + 12, row->url);
}

/* The other name of the person, if it is another. */
static uint8_t *put_other(uint8_t *w, bool same, lethe_str other)
{
    *w++ = !same;
    return same ? w : put_ended(w, other);
}

lethe_err lethe_row_pack(const lethe_row *row, lethe_packing packing, lethe_buf *buf)
{
    buf->n = 0;
    size_t room = row->user.n + row->owner.n + row->query.n + row->url.n + 24; // 20 and 4 NULs or f
    LETHE_TRY(lethe_buf_reserve(buf, room));
    bool same = lethe_str_eq(row->user, row->owner);
    uint8_t *w = buf->at;
    if (packing == LETHE_BY_QUERY) {
        w = put_ended(put_ended(w, row->query), row->owner);
        w = put_time(put_other(w, same, row->user), row->time);
    } else {
        w = put_other(put_ended(w, row->user), same, row->owner);
        w = put_ended(put_time(w, row->time), row->query);
    }
    w = put_where(w, row);
    buf->n = (size_t)(w - buf->at);
    assert(buf->n <= room);
    return LETHE_OK;
}

static const uint8_t *get_ended(const uint8_t *p, const uint8_t *end, lethe_str *out)
{
    const uint8_t *nul = memchr(p, 0, (size_t)(end - p));
    assert(nul); // packed by ourselves
    *out = (lethe_str){(const char *)p, (size_t)(nul - p)};
    return nul + 1;
}

static const uint8_t *get_time(const uint8_t *p, int64_t *out)
{
    *out = (int64_t)(lethe_be64_get(p) ^ SIGN_BIT);
    return p + 8;
}

static const uint8_t *get_other(const uint8_t *p, const uint8_t *end, lethe_str same,
                                lethe_str *out)
{
    *out = same;
    return *p ? get_ended(p + 1, end, out) : p + 1;
}

void lethe_row_unpack(lethe_str record, lethe_packing packing, lethe_row *row)
{
    const uint8_t *p = (const uint8_t *)record.at, *end = p + record.n;
    if (packing == LETHE_BY_QUERY) {
        p = get_ended(get_ended(p, end, &row->query), end, &row->owner);
        p = get_time(get_other(p, end, row->owner, &row->user), &row->time);
    } else {
        p = get_ended(p, end, &row->user);
        p = get_other(p, end, row->user, &row->owner);
        p = get_ended(get_time(p, &row->time), end, &row->query);
    }
    assert(end - p >= 12);
    row->origin = lethe_be64_get(p);
    row->rank = lethe_be32_get(p + 8);
    row->url = (lethe_str){(const char *)p + 12, (size_t)(end - p) - 12};
}
