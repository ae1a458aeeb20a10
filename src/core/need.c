/* SPDX-License-Identifier: Apache-2.0 */
/* need.c - how much memory work needs, said before it begins. */
#include "core/need.h"
#include <math.h>
#include <stdio.h>

/* --- sizes and numbers as texts --- */

static const uint64_t mib = UINT64_C(1) << 20;

void lethe_size_text(char out[LETHE_SIZE_TEXT], uint64_t bytes)
{
    if (bytes < 1000 * mib)
        snprintf(out, LETHE_SIZE_TEXT, "%llu MiB", (unsigned long long)((bytes + mib - 1) / mib));
    else
        snprintf(out, LETHE_SIZE_TEXT, "%.1f GiB", (double)bytes / 1024 / (double)mib);
}

/* Two digits that count, rounded up: more would be more than is known. */
void lethe_size_option(char out[LETHE_SIZE_TEXT], uint64_t bytes)
{
    uint64_t n = bytes / mib + 1, step = 1;
    while (n / step >= 100)
        step *= 10;
    n = (n + step - 1) / step * step;
    snprintf(out, LETHE_SIZE_TEXT, "%lluM", (unsigned long long)n);
}

/* 1,234,567 */
static void count_text(char out[LETHE_SIZE_TEXT], uint64_t n)
{
    char digits[LETHE_SIZE_TEXT];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *to = out;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
}

/* "373,000 records with 4,200,000 items" */
enum { AMOUNT_TEXT = 160 };
static void amount_text(char out[AMOUNT_TEXT], const lethe_sizes *s)
{
    char n[LETHE_SIZE_TEXT], parts[LETHE_SIZE_TEXT];
    count_text(n, s->n);
    count_text(parts, s->parts);
    if (s->n == 0)
        snprintf(out, AMOUNT_TEXT, "what was read so far");
    else
        snprintf(out, AMOUNT_TEXT, "%s %.40s with %s %.40s", n, s->things, parts, s->parts_are);
}

/* --- the need --- */

/* What it will be when all is read.  New names get rarer; they are taken to come on as before,
 * which errs to the side of what is enough. */
static lethe_sizes expected(const lethe_sizes *s, double times)
{
    lethe_sizes all = *s;
    all.expected = true;
    uint64_t *each[] = {&all.n, &all.parts, &all.distinct, &all.persons, &all.text, &all.held};
    for (size_t i = 0; i < LETHE_COUNT(each); i++)
        *each[i] = (uint64_t)ceil(LETHE_MIN((double)*each[i] * times, 0x1p62));
    return all;
}

static uint64_t need_of(const lethe_work *w, const lethe_sizes *s)
{
    return w->need ? w->need(w, s) : lethe_need_program + s->held;
}

/* How sure its figures are. */
typedef enum known { KNOWN_ALL, KNOWN_SHARE, KNOWN_PART } known;

static lethe_err refuse(lethe_ctx *ctx, const lethe_work *w, const lethe_sizes *s, uint64_t bytes,
                        known how)
{
    char need[LETHE_SIZE_TEXT], limit[LETHE_SIZE_TEXT], enough[LETHE_SIZE_TEXT], of[AMOUNT_TEXT];
    if (!lethe_ctx_refuses_first(ctx)) return LETHE_ENOMEM;
    lethe_size_text(need, bytes);
    lethe_size_text(limit, lethe_ctx_memory(ctx));
    lethe_size_option(enough, bytes);
    amount_text(of, s);
    return lethe_fail(ctx, LETHE_ENOMEM,
                      "%s needs %s %s of memory for %s%s, and the limit is %s%s; "
                      "give --memory %s%s, or fewer %s",
                      w->name, how == KNOWN_PART ? "more than" : "about", need,
                      how == KNOWN_SHARE ? "about " : "", of, limit,
                      lethe_ctx_memory_given(ctx) ? "" : " (half of the machine's)", enough,
                      how == KNOWN_PART ? " or more" : "", s->things ? s->things : "data");
}

/* Of the work at hand; false: there is none, and nothing is asked. */
static bool sizes_fill(lethe_ctx *ctx, lethe_sizes *s)
{
    s->threads = lethe_ctx_threads(ctx);
    return lethe_ctx_work(ctx)->name != NULL;
}

static bool fits(lethe_ctx *ctx, uint64_t bytes)
{
    return bytes <= LETHE_MAX(lethe_ctx_memory(ctx), lethe_need_free);
}

lethe_work lethe_ctx_begin_work(lethe_ctx *ctx, const lethe_work *w)
{
    lethe_work *at = lethe_ctx_work(ctx), before = *at;
    *at = *w;
    lethe_ctx_needs_none(ctx);
    return before;
}

lethe_err lethe_ctx_need(lethe_ctx *ctx, const lethe_sizes *sizes)
{
    const lethe_work *w = lethe_ctx_work(ctx);
    lethe_sizes s = *sizes;
    if (!sizes_fill(ctx, &s)) return LETHE_OK;
    uint64_t bytes = lethe_ctx_greatest_need(ctx, need_of(w, &s));
    if (!fits(ctx, bytes)) return refuse(ctx, w, &s, bytes, KNOWN_ALL);
    bool large = bytes >= lethe_need_large;
    if (!large && !lethe_ctx_details(ctx)) return LETHE_OK;
    char need[LETHE_SIZE_TEXT], limit[LETHE_SIZE_TEXT], of[AMOUNT_TEXT];
    lethe_size_text(need, bytes);
    lethe_size_text(limit, lethe_ctx_memory(ctx));
    amount_text(of, &s);
    (large ? lethe_note : lethe_detail)(lethe_ctx_diag(ctx),
                                        "%s needs about %s of memory for %s (limit %s)", w->name,
                                        need, of, limit);
    return LETHE_OK;
}

/* The whole may need a tenth more than its part says: parts of a log differ by a few hundredths.
 * What is offered must be enough, or it is refused a second time. */
enum { SHARE_ERRS = 10 };

lethe_err lethe_ctx_grows(lethe_ctx *ctx, const lethe_sizes *sizes, uint64_t done, uint64_t total)
{
    const lethe_work *w = lethe_ctx_work(ctx);
    lethe_sizes s = *sizes;
    if (!sizes_fill(ctx, &s)) return LETHE_OK;
    uint64_t bytes = need_of(w, &s);
    (void)lethe_ctx_greatest_need(ctx, bytes);
    if (fits(ctx, bytes)) return LETHE_OK;
    bool is_known = done > 0 && done <= total;
    if (!is_known) return refuse(ctx, w, &s, bytes, KNOWN_PART);
    s = expected(&s, (double)total / (double)done);
    uint64_t all = need_of(w, &s);
    return refuse(ctx, w, &s, LETHE_MAX(bytes, all + all / SHARE_ERRS), KNOWN_SHARE);
}
