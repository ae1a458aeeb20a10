/* SPDX-License-Identifier: Apache-2.0 */
/* Reads weights of queries: query TAB weight, in millionths. */
#include "model/knowledge/weights.h"
#include "io/read/lines.h"
#include "text/normalize.h"

enum { PLACES = 6 }; /* digits after the point */

struct lethe_query_weights {
    lethe_dict *queries;
    lethe_buf weights; /* uint64_t of each query */
};

struct reader {
    lethe_lines lines;
    lethe_query_weights *weights;
    lethe_buf normal;
};

/* Digits from `*at` on; how many. */
static size_t digits_skip(lethe_str s, size_t *at)
{
    size_t from = *at;
    while (*at < s.n && s.at[*at] >= '0' && s.at[*at] <= '9')
        ++*at;
    return *at - from;
}

/* Digits, or digits, a point and digits, perhaps after a minus; *point: where the point is, or the
 * end. */
static bool is_decimal(lethe_str s, size_t *point)
{
    size_t at = s.n > 0 && s.at[0] == '-';
    if (digits_skip(s, &at) == 0) return false;
    *point = at;
    if (at < s.n && s.at[at++] != '.') return false;
    return *point == s.n || (digits_skip(s, &at) > 0 && at == s.n);
}

static lethe_err line_read(struct reader *r, lethe_str line)
{
    const char *tab = line.n ? memchr(line.at, '\t', line.n) : NULL;
    uint32_t query;
    uint64_t weight;
    if (!tab) return lethe_lines_fault(&r->lines, 0, "no tab: expected a query and a weight");
    size_t n = (size_t)(tab - line.at);
    lethe_str field = {line.at, n}, normal;
    bool invalid;
    LETHE_TRY(lethe_normalize(field, &r->normal, &normal, &invalid));
    if (invalid) return lethe_lines_fault(&r->lines, 1, "invalid UTF-8 in the query");
    if (normal.n == 0) return lethe_lines_fault(&r->lines, 1, "no query");
    if (memchr(field.at, 0, field.n) || memchr(field.at, '\r', field.n))
        return lethe_lines_fault(&r->lines, 1, "a NUL or CR in the query"); // as no log has it
    LETHE_TRY(lethe_dict_add(r->weights->queries, normal, &query));
    field = (lethe_str){tab + 1, line.n - n - 1};
    size_t point;
    if (field.n == 0) return lethe_lines_fault(&r->lines, 2, "no weight");
    if (memchr(field.at, '\t', field.n))
        return lethe_lines_fault(&r->lines, 3, "more than a query and a weight");
    if (!is_decimal(field, &point))
        return lethe_lines_fault(&r->lines, 2, "the weight is not a decimal number");
    if (field.at[0] == '-') return lethe_lines_fault(&r->lines, 2, "the weight is not above 0");
    if (field.n > point + 1 + PLACES)
        return lethe_lines_fault(&r->lines, 2, "the weight has more than 6 digits after the point");
    // In millionths; above LETHE_WEIGHT_MAX: how far does not matter.
    weight = 0;
    for (size_t i = 0; i < point + 1 + PLACES && weight <= LETHE_WEIGHT_MAX; i++) {
        if (i == point) continue;
        weight = 10 * weight + (i < field.n ? (uint64_t)(field.at[i] - '0') : 0);
    }
    if (weight == 0) return lethe_lines_fault(&r->lines, 2, "the weight is not above 0");
    if (weight > LETHE_WEIGHT_MAX)
        return lethe_lines_fault(&r->lines, 2, "the weight is over 1000000000");
    if (query == r->weights->weights.n / sizeof weight)
        return lethe_buf_put(&r->weights->weights, &weight, sizeof weight);
    if (lethe_query_weights_at(r->weights, query) == weight) return LETHE_OK;
    return lethe_lines_fault(&r->lines, 2, "the query has another weight in an earlier line");
}

static lethe_err lines_read(struct reader *r)
{
    lethe_str line;
    while (lethe_lines_next(&r->lines, &line))
        LETHE_TRY(line_read(r, line));
    LETHE_TRY(lethe_lines_err(&r->lines));
    if (lethe_query_weights_count(r->weights) > 0) return LETHE_OK;
    return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, 1, 0,
                         "empty: no weights in it");
}

/* Closes the lines; `opened`: how opening them ended. */
static lethe_err weights_make(lethe_ctx *ctx, struct reader *r, lethe_err opened,
                              lethe_query_weights **out)
{
    if (opened != LETHE_OK) {
        lethe_lines_close(&r->lines);
        return opened;
    }
    lethe_err e = LETHE_ENOMEM;
    r->weights = lethe_alloc_zero(1, sizeof *r->weights);
    if (r->weights) r->weights->queries = lethe_dict_new();
    if (r->weights && r->weights->queries) e = lines_read(r);
    lethe_buf_free(&r->normal);
    lethe_lines_close(&r->lines);
    if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    if (e == LETHE_OK)
        *out = r->weights;
    else
        lethe_query_weights_free(r->weights);
    return e;
}

lethe_err lethe_query_weights_read(lethe_ctx *ctx, const char *path, lethe_query_weights **out)
{
    struct reader r = {0};
    return weights_make(ctx, &r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_query_weights_memory(lethe_ctx *ctx, lethe_str bytes, lethe_query_weights **out)
{
    struct reader r = {0};
    return weights_make(ctx, &r, lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes), out);
}

void lethe_query_weights_free(lethe_query_weights *w)
{
    if (!w) return;
    lethe_dict_free(w->queries);
    lethe_buf_free(&w->weights);
    lethe_free(w);
}

uint32_t lethe_query_weights_count(const lethe_query_weights *w)
{
    return lethe_dict_count(w->queries);
}

lethe_str lethe_query_weights_query(const lethe_query_weights *w, uint32_t i)
{
    return lethe_dict_at(w->queries, i);
}

uint64_t lethe_query_weights_at(const lethe_query_weights *w, uint32_t i)
{
    return ((const uint64_t *)(const void *)w->weights.at)[i];
}

uint64_t lethe_query_weights_of(const lethe_query_weights *w, lethe_str query)
{
    uint32_t i = lethe_dict_find(w->queries, query);
    return i == LETHE_NONE ? 0 : lethe_query_weights_at(w, i);
}
