/* SPDX-License-Identifier: Apache-2.0 */
/* independent_reduce.c - reductions that lose nothing (independent.h), each driven by a URL that
 * has changed.
 *
 * Setting aside is isolated weight transfer (S. Lamm and others, "Exactly Solving the Maximum
 * Weight Independent Set Problem on Large Real-World Graphs", ALENEX 2019) for cliques that are
 * URLs; the others are their neighbourhood removal and domination. */
#include "method/disconnect/independent/independent_internal.h"

/* A class searches the classes that it dominates on its rarest URL, if that has at most RARE. */
enum { RARE = 64, PASSES = 8 };
/* Limit of work, in passes over all lists: a reduction that is left out only costs time later. */
enum { TIMES = 64 };
enum { BREATH = 1024 }; /* URLs or classes between two checks for cancellation */

static bool open(const lethe_independent_kernel *r, uint32_t c)
{
    return r->state[c] == LETHE_INDEPENDENT_OPEN;
}

static void enqueue(lethe_independent_kernel *r, uint32_t url)
{
    if (r->queued[url] || !lethe_independent_kernel_live(r, url)) return;
    uint64_t at = (uint64_t)r->head + r->n_queue++;
    r->queue[at < r->g->n_urls ? at : at - r->g->n_urls] = url;
    r->queued[url] = 1;
}

static void enqueue_urls(lethe_independent_kernel *r, uint32_t c)
{
    for (uint64_t i = r->g->url_start[c]; i < r->g->url_start[c + 1]; i++)
        enqueue(r, r->g->url[i]);
    r->steps += r->g->url_start[c + 1] - r->g->url_start[c];
}

/* One class is left on a URL, which no longer matters to it.  A class of weight 0 is about to go.
 */
static void url_dies(lethe_independent_kernel *r, uint32_t url)
{
    const uint32_t *on = r->on + r->g->class_start[url];
    uint32_t i = 0;
    while (i < r->n_on[url] && !open(r, on[i]))
        i++;
    r->steps += i;
    if (i == r->n_on[url]) return; // the one that is kept
    uint32_t last = on[i];
    r->n_live[last]--;
    if (r->weight[last] == 0) return;
    if (r->n_live[last] == 0) {
        r->state[last] = LETHE_INDEPENDENT_KEPT;
        r->settled += r->weight[last];
    } else {
        enqueue_urls(r, last);
    }
}

static void remove_class(lethe_independent_kernel *r, uint32_t c, uint8_t state)
{
    assert(open(r, c));
    r->state[c] = state;
    for (uint64_t i = r->g->url_start[c]; i < r->g->url_start[c + 1]; i++) {
        uint32_t url = r->g->url[i];
        if (!lethe_independent_kernel_live(r, url)) continue;
        if (--r->n_open[url] == 1)
            url_dies(r, url);
        else
            enqueue(r, url);
    }
}

/* `c` is the heaviest class that has no other URL left: at least one class on the URL stays, since
 * c could.  So its weight is certain, and each other class is worth its excess over it. */
static void set_aside(lethe_independent_kernel *r, uint32_t c, uint32_t url)
{
    const uint32_t *on = r->on + r->g->class_start[url];
    uint32_t n = r->n_on[url];
    uint64_t w = r->weight[c];
    r->settled += w;
    r->note[r->n_notes++] = (lethe_independent_note){c, url};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = on[i];
        if (x == c) continue;
        r->weight[x] = r->weight[x] > w ? r->weight[x] - w : 0;
        if (r->weight[x] > 0) enqueue_urls(r, x);
    }
    remove_class(r, c, LETHE_INDEPENDENT_ASIDE);
    for (uint32_t i = 0; i < n; i++)
        if (open(r, on[i]) && r->weight[on[i]] == 0) remove_class(r, on[i], LETHE_INDEPENDENT_GONE);
    r->steps += 2 * (uint64_t)n;
}

static void keep(lethe_independent_kernel *r, uint32_t c)
{
    const lethe_click_graph *g = r->g;
    r->state[c] = LETHE_INDEPENDENT_KEPT;
    r->settled += r->weight[c];
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
            const uint32_t *on = r->on + g->class_start[g->url[i]];
            for (uint32_t k = 0; k < r->n_on[g->url[i]]; k++) {
                if (!open(r, on[k])) continue;
                if (pass == 0)
                    r->weight[on[k]] = 0;
                else
                    remove_class(r, on[k], LETHE_INDEPENDENT_GONE);
            }
            r->steps += r->n_on[g->url[i]];
        }
    }
}

/* Is it at least as heavy as the heaviest others on each of its URLs together?  What is known of
 * these may be old; they have not become heavier since. */
static bool outweighs(const lethe_independent_kernel *r, uint32_t c)
{
    uint64_t sum = 0;
    for (uint64_t i = r->g->url_start[c]; i < r->g->url_start[c + 1]; i++) {
        uint32_t url = r->g->url[i];
        if (!lethe_independent_kernel_live(r, url)) continue;
        if (r->top[url] != c) return false;
        sum += r->second[url];
        if (sum > r->weight[c]) return false;
    }
    return true;
}

/* Drops classes that are not open from a URL's list; returns the heaviest that has no other URL, or
 * LETHE_NONE. */
static uint32_t tidy(lethe_independent_kernel *r, uint32_t url)
{
    uint32_t *on = r->on + r->g->class_start[url], n = 0, single = LETHE_NONE;
    for (uint32_t i = 0; i < r->n_on[url]; i++) {
        uint32_t c = on[i];
        if (!open(r, c)) continue;
        on[n++] = c;
        if (r->n_live[c] == 1 && (single == LETHE_NONE || r->weight[c] > r->weight[single]))
            single = c;
    }
    r->steps += r->n_on[url];
    r->n_on[url] = n;
    assert(n == r->n_open[url]);
    return single;
}

static void find_top(lethe_independent_kernel *r, uint32_t url)
{
    const uint32_t *on = r->on + r->g->class_start[url];
    uint32_t top = on[0];
    uint64_t second = 0;
    for (uint32_t i = 1; i < r->n_on[url]; i++) {
        uint64_t w = r->weight[on[i]];
        if (w > r->weight[top]) {
            second = r->weight[top];
            top = on[i];
        } else if (w > second) {
            second = w;
        }
    }
    r->steps += r->n_on[url];
    r->top[url] = top;
    r->second[url] = second;
}

static void reduce_url(lethe_independent_kernel *r, uint32_t url)
{
    if (!lethe_independent_kernel_live(r, url)) return;
    uint32_t single = tidy(r, url);
    if (single != LETHE_NONE) {
        set_aside(r, single, url);
        if (!lethe_independent_kernel_live(r, url)) return;
        tidy(r, url);
    }
    find_top(r, url);
    if (outweighs(r, r->top[url])) keep(r, r->top[url]);
}

static lethe_err reduce_queued(lethe_ctx *ctx, lethe_independent_kernel *r)
{
    for (uint32_t n = 0; r->n_queue > 0 && r->steps < r->steps_max; n++) {
        uint32_t url = r->queue[r->head];
        r->head = r->head + 1 < r->g->n_urls ? r->head + 1 : 0;
        r->n_queue--;
        r->queued[url] = 0;
        reduce_url(r, url);
        if (n % BREATH == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
    }
    return LETHE_OK;
}

/* --- domination --- */

/* Does `d` have all live URLs of `c`? */
static bool covers(lethe_independent_kernel *r, uint32_t c, uint32_t d)
{
    const lethe_click_graph *g = r->g;
    uint64_t k = g->url_start[d], end = g->url_start[d + 1];
    r->steps += end - k;
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
        if (!lethe_independent_kernel_live(r, g->url[i])) continue;
        while (k < end && g->url[k] < g->url[i])
            k++;
        if (k == end || g->url[k] != g->url[i]) return false;
    }
    return true;
}

static uint32_t rarest(const lethe_independent_kernel *r, uint32_t c)
{
    uint32_t best = LETHE_NONE;
    for (uint64_t i = r->g->url_start[c]; i < r->g->url_start[c + 1]; i++) {
        uint32_t url = r->g->url[i];
        if (!lethe_independent_kernel_live(r, url)) continue;
        if (best == LETHE_NONE || r->n_open[url] < r->n_open[best]) best = url;
    }
    return best;
}

/* Removes the classes that `c` could replace.  Of two equal ones the first seen stays, or each
 * would replace the other. */
static bool dominate(lethe_independent_kernel *r, uint32_t c)
{
    uint32_t url = rarest(r, c), n_gone = 0;
    const uint32_t *on = r->on + r->g->class_start[url];
    if (r->n_open[url] > RARE) return false;
    for (uint32_t i = 0; i < r->n_on[url] && open(r, c) && r->n_live[c] > 1; i++) {
        uint32_t d = on[i];
        if (d == c || !open(r, d) || r->n_live[d] < r->n_live[c] || r->weight[d] > r->weight[c])
            continue;
        bool alike = r->n_live[d] == r->n_live[c] && r->weight[d] == r->weight[c];
        if ((alike && d < c) || !covers(r, c, d)) continue;
        r->note[r->n_notes++] = (lethe_independent_note){d, c};
        r->weight[d] = 0;
        remove_class(r, d, LETHE_INDEPENDENT_GONE);
        n_gone++;
    }
    r->steps += r->n_on[url];
    return n_gone > 0;
}

static lethe_err dominate_all(lethe_ctx *ctx, lethe_independent_kernel *r)
{
    bool more = true;
    for (int pass = 0; pass < PASSES && more; pass++) {
        more = false;
        for (uint32_t c = 0; c < r->g->n_classes && r->steps < r->steps_max; c++) {
            if (c % BREATH == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
            if (open(r, c) && r->n_live[c] > 1 && dominate(r, c)) more = true;
        }
        LETHE_TRY(reduce_queued(ctx, r));
    }
    return LETHE_OK;
}

/* --- begin and end --- */

static void init_counts(lethe_independent_kernel *r)
{
    const lethe_click_graph *g = r->g;
    for (uint32_t c = 0; c < g->n_classes; c++) { // weight 0 adds nothing, no URL needs no decision
        if (g->url_start[c] == g->url_start[c + 1] || r->weight[c] == 0)
            r->state[c] = LETHE_INDEPENDENT_GONE;
        if (!open(r, c)) continue;
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
            r->n_open[g->url[i]]++;
    }
    for (uint32_t c = 0; c < g->n_classes; c++) {
        if (!open(r, c)) continue;
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
            r->n_live[c] += lethe_independent_kernel_live(r, g->url[i]);
        if (r->n_live[c] > 0) continue;
        r->state[c] = LETHE_INDEPENDENT_KEPT;
        r->settled += r->weight[c];
    }
    for (uint32_t u = 0; u < g->n_urls; u++) {
        r->n_on[u] = (uint32_t)(g->class_start[u + 1] - g->class_start[u]);
        r->top[u] = LETHE_NONE;
        enqueue(r, u);
    }
    r->steps_max = TIMES * (g->class_start[g->n_urls] + g->n_classes);
}

lethe_err lethe_independent_kernel_new(lethe_ctx *ctx, const lethe_click_graph *g, uint64_t *weight,
                                       lethe_independent_kernel *out)
{
    size_t n_clicks = g->class_start[g->n_urls], n = g->n_classes, n_urls = g->n_urls;
    lethe_independent_kernel r = {.g = g,
                                  .state = lethe_alloc_zero(n, 1),
                                  .n_live = lethe_alloc_zero(n, sizeof *r.n_live),
                                  .n_open = lethe_alloc_zero(n_urls, sizeof *r.n_open),
                                  .on = lethe_alloc(n_clicks, sizeof *r.on),
                                  .n_on = lethe_alloc(n_urls, sizeof *r.n_on),
                                  .top = lethe_alloc(n_urls, sizeof *r.top),
                                  .second = lethe_alloc(n_urls, sizeof *r.second),
                                  .queue = lethe_alloc(n_urls, sizeof *r.queue),
                                  .queued = lethe_alloc_zero(n_urls, 1),
                                  .note = lethe_alloc(n, sizeof *r.note)};
    r.weight = weight;
    bool ok = r.state && r.n_live && r.n_open && r.on && r.n_on && r.top && r.second && r.queue &&
              r.queued && r.note;
    lethe_err e = ok ? LETHE_OK : LETHE_ENOMEM;
    if (ok) {
        if (n_clicks > 0) memcpy(r.on, g->class_of_url, n_clicks * sizeof *r.on);
        init_counts(&r);
        e = reduce_queued(ctx, &r);
        if (e == LETHE_OK) e = dominate_all(ctx, &r);
    }
    if (e == LETHE_OK)
        *out = r;
    else
        lethe_independent_kernel_free(&r);
    return e;
}

void lethe_independent_kernel_free(lethe_independent_kernel *r)
{
    void *const all[] = {r->state, r->weight, r->n_live, r->n_open, r->on,  r->n_on,
                         r->top,   r->second, r->queue,  r->queued, r->note};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *r = (lethe_independent_kernel){0};
}

/* A set that loses classes to one that is kept, or the class that is set aside, gains as much in
 * what is settled: these are simply dropped.  A dominated class is replaced by the other. */
void lethe_independent_kernel_follow(const lethe_independent_kernel *r, uint8_t *in)
{
    for (uint32_t i = 0; i < r->n_notes; i++) {
        lethe_independent_note note = r->note[i];
        if (r->state[note.what] != LETHE_INDEPENDENT_GONE || !in[note.what]) continue;
        in[note.by] = 1;
    }
    for (uint32_t c = 0; c < r->g->n_classes; c++)
        in[c] = in[c] && open(r, c);
}

static void take(const lethe_click_graph *g, uint32_t c, uint8_t *taken)
{
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
        assert(!taken[g->url[i]]);
        taken[g->url[i]] = 1;
    }
}

/* In reverse order: a class set aside later has precedence over one set aside before it. */
void lethe_independent_kernel_undo(const lethe_independent_kernel *r, uint8_t *in, uint8_t *taken)
{
    for (uint32_t c = 0; c < r->g->n_classes; c++) {
        if (r->state[c] != LETHE_INDEPENDENT_OPEN) in[c] = r->state[c] == LETHE_INDEPENDENT_KEPT;
        if (in[c]) take(r->g, c, taken);
    }
    for (uint32_t i = r->n_notes; i-- > 0;) {
        lethe_independent_note note = r->note[i];
        if (r->state[note.what] != LETHE_INDEPENDENT_ASIDE || taken[note.by]) continue;
        in[note.what] = 1;
        take(r->g, note.what, taken);
    }
}
