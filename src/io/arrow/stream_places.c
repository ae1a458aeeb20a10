/* SPDX-License-Identifier: Apache-2.0 */
/* Which row a line of a stream's text belongs to.  Nearly always each row is one line; where texts
 * have line ends, or rows a weight, runs of rows of as many lines are noted. */
#include "core/mem.h"
#include "io/arrow/streams_internal.h"

enum { RUNS_MAX = 1 << 20 };

lethe_err lethe_stream_places_init(lethe_stream_places *p)
{
    *p = (lethe_stream_places){0};
    return pthread_mutex_init(&p->lock, NULL) == 0 ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_stream_places_free(lethe_stream_places *p)
{
    pthread_mutex_destroy(&p->lock);
    lethe_free(p->runs);
}

void lethe_stream_places_header(lethe_stream_places *p, uint64_t n_lines)
{
    pthread_mutex_lock(&p->lock);
    p->header_lines = n_lines;
    pthread_mutex_unlock(&p->lock);
}

/* It is for messages alone: where memory lacks they do without a row. */
static bool room_make(lethe_stream_places *p)
{
    if (p->n < p->cap) return true;
    size_t cap = p->cap ? 2 * p->cap : 16;
    lethe_stream_run *runs = p->n < RUNS_MAX ? lethe_realloc(p->runs, cap, sizeof *runs) : NULL;
    if (!runs) return false;
    p->runs = runs;
    p->cap = cap;
    return true;
}

void lethe_stream_places_put(lethe_stream_places *p, lethe_stream_run run)
{
    pthread_mutex_lock(&p->lock);
    bool known = p->lost || (p->n > 0 && p->runs[p->n - 1].row >= run.row);
    if (!known && room_make(p))
        p->runs[p->n++] = run;
    else if (!known)
        p->lost = true;
    pthread_mutex_unlock(&p->lock);
}

/* The last run that begins at the line or before it. */
static const lethe_stream_run *run_find(const lethe_stream_places *p, uint64_t line)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->runs[mid].line <= line)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 ? &p->runs[low - 1] : NULL;
}

uint64_t lethe_stream_places_row(lethe_stream_places *p, uint64_t line)
{
    pthread_mutex_lock(&p->lock);
    const lethe_stream_run *run = run_find(p, line);
    bool in_last = run && run == p->runs + p->n - 1;
    uint64_t row = line > p->header_lines ? line - p->header_lines : 0;
    if (run) row = run->row + (line - run->line) / run->n_lines;
    if (in_last && p->lost && row > run->row) row = 0;
    pthread_mutex_unlock(&p->lock);
    return row;
}
