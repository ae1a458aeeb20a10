/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c - mean, median and extremes of counted numbers, and the buckets of a histogram. */
#include "measure/spread.h"
#include "core/sort.h"
#include <stdlib.h>

lethe_err lethe_spread_add(lethe_spread *s, uint64_t value)
{
    if (value < LETHE_SPREAD_DENSE) {
        s->dense[value]++;
    } else {
        LETHE_TRY(lethe_buf_put(&s->large, &value, sizeof value));
    }
    s->n++;
    s->sum += value;
    return LETHE_OK;
}

lethe_err lethe_spread_merge(lethe_spread *into, const lethe_spread *from)
{
    if (from->large.n > 0) LETHE_TRY(lethe_buf_put(&into->large, from->large.at, from->large.n));
    for (size_t i = 0; i < LETHE_SPREAD_DENSE; i++)
        into->dense[i] += from->dense[i];
    into->n += from->n;
    into->sum += from->sum;
    return LETHE_OK;
}

/* The i-th smallest, i < n; `large` is sorted. */
static uint64_t nth(const lethe_spread *s, uint64_t i)
{
    for (size_t v = 0; v < LETHE_SPREAD_DENSE; v++) {
        if (i < s->dense[v]) return v;
        i -= s->dense[v];
    }
    uint64_t value;
    memcpy(&value, s->large.at + i * sizeof value, sizeof value);
    return value;
}

lethe_spread_summary lethe_spread_summarize(lethe_spread *s)
{
    if (s->n == 0) return (lethe_spread_summary){0};
    if (s->large.n > 0)
        qsort(s->large.at, s->large.n / sizeof(uint64_t), sizeof(uint64_t), lethe_u64_cmp);
    double low = (double)nth(s, (s->n - 1) / 2), high = (double)nth(s, s->n / 2);
    return (lethe_spread_summary){
        .mean = (double)s->sum / (double)s->n,
        .median = (low + high) / 2,
        .min = nth(s, 0),
        .max = nth(s, s->n - 1),
    };
}

void lethe_spread_free(lethe_spread *s) { lethe_buf_free(&s->large); }

/* The greatest value of a bucket: 0, then 1, 2, 5, 10, 20, 50, ... */
static uint64_t bucket_end(size_t bucket)
{
    static const uint64_t step[3] = {1, 2, 5};
    if (bucket == 0) return 0;
    if (bucket >= LETHE_N_BUCKETS - 1) return UINT64_MAX;
    uint64_t power = 1;
    for (size_t i = 0; i < (bucket - 1) / 3; i++)
        power *= 10;
    return step[(bucket - 1) % 3] * power;
}

size_t lethe_bucket_of(uint64_t value)
{
    size_t bucket = 0;
    for (uint64_t power = 1; bucket < LETHE_N_BUCKETS - 3; power *= 10, bucket += 3) {
        if (value <= 5 * power) {
            if (bucket == 0 && value == 0) return 0;
            return bucket + (value <= power ? 1 : value <= 2 * power ? 2 : 3);
        }
    }
    return value <= bucket_end(bucket + 1) ? bucket + 1 : LETHE_N_BUCKETS - 1;
}

void lethe_bucket_range(size_t bucket, uint64_t *from, uint64_t *to)
{
    *from = bucket == 0 ? 0 : bucket_end(bucket - 1) + 1;
    *to = bucket_end(bucket);
}
