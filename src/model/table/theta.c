/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds as exact fractions: parsing, printing, and files of value TAB theta. */
#include "model/table/theta.h"
#include "io/read/lines.h"
#include "model/published/published_lines.h"
#include "model/table/table_internal.h"
#include "text/normalize.h"
#include "core/parse.h"
#include <inttypes.h>
#include <stdio.h>

enum { PLACES = 18 };                  /* digits after the point */
#define SHORT_DEN UINT64_C(1000000000) /* up to it, decimals are nine or there are none */
#define DECIMAL_MAX (LETHE_DECIMAL_NUM / LETHE_DECIMAL_DEN)

/* --- one threshold --- */

/* "1/3": both are whole numbers. */
static bool fraction_parse(lethe_str text, size_t slash, lethe_theta *out)
{
    return lethe_parse_u64((lethe_str){text.at, slash}, &out->num) &&
           lethe_parse_u64((lethe_str){text.at + slash + 1, text.n - slash - 1}, &out->den);
}

/* "0.25", ".25", "1": at most PLACES decimals, of which there is one if there is a point.  Zeros at
 * the end are no decimals beyond. */
static bool decimal_parse(lethe_str text, lethe_theta *out)
{
    const char *point = text.n ? memchr(text.at, '.', text.n) : NULL;
    size_t whole = point ? (size_t)(point - text.at) : text.n;
    uint64_t ones = 0, parts = 0, unit = 1;
    if (whole == 0 ? !point : !lethe_parse_u64((lethe_str){text.at, whole}, &ones)) return false;
    if (point) {
        lethe_str places = {point + 1, text.n - whole - 1};
        while (places.n > PLACES && places.at[places.n - 1] == '0')
            places.n--;
        if (places.n > PLACES || !lethe_parse_u64(places, &parts)) return false;
        for (size_t i = 0; i < places.n; i++)
            unit *= 10;
    }
    if (ones > 1) return false;
    *out = (lethe_theta){ones * unit + parts, unit};
    return true;
}

bool lethe_theta_parse(lethe_str text, lethe_theta *out)
{
    const char *slash = text.n ? memchr(text.at, '/', text.n) : NULL;
    lethe_theta t;
    if (!(slash ? fraction_parse(text, (size_t)(slash - text.at), &t) : decimal_parse(text, &t)))
        return false;
    if (t.den == 0 || t.den > LETHE_THETA_DEN || t.num > t.den) return false;
    uint64_t by = t.num; // becomes the greatest common divisor
    for (uint64_t b = t.den, rest; b; by = b, b = rest)
        rest = by % b;
    *out = (lethe_theta){t.num / by, t.den / by};
    return true;
}

/* A share but for the number of its digits: so it is between 0 and 1. */
static bool is_too_long(lethe_str text)
{
    size_t whole = 0, digits = 0;
    while (whole < text.n && text.at[whole] >= '0' && text.at[whole] <= '9')
        whole++;
    bool below_one = true; // what stands before the point
    for (size_t i = 0; i < whole; i++)
        below_one = below_one && text.at[i] == '0';
    if (whole == text.n || text.at[whole] != '.' || !below_one) return false;
    for (size_t i = whole + 1; i < text.n; i++, digits++)
        if (text.at[i] < '0' || text.at[i] > '9') return false;
    return digits > PLACES;
}

const char *lethe_theta_fault(lethe_str text)
{
    const char *slash = text.n ? memchr(text.at, '/', text.n) : NULL;
    lethe_theta t;
    if (is_too_long(text)) return "has more than eighteen decimals";
    if (slash && fraction_parse(text, (size_t)(slash - text.at), &t) && t.num <= t.den &&
        t.den > LETHE_THETA_DEN)
        return "has a denominator of more than 10^18";
    return "is not a share between 0 and 1, such as 0.25 or 1/3";
}

void lethe_theta_print(lethe_theta t, char out[LETHE_THETA_MAX])
{
    if (t.num == t.den || t.num == 0) {
        snprintf(out, LETHE_THETA_MAX, "%d", t.num != 0);
        return;
    }
    uint64_t unit = t.den > SHORT_DEN ? LETHE_THETA_DEN : SHORT_DEN;
    if (unit % t.den != 0) {
        snprintf(out, LETHE_THETA_MAX, "%" PRIu64 "/%" PRIu64, t.num, t.den);
        return;
    }
    int n = snprintf(out, LETHE_THETA_MAX, "0.%0*" PRIu64, unit == SHORT_DEN ? 9 : PLACES,
                     t.num * (unit / t.den));
    while (out[n - 1] == '0')
        out[--n] = '\0';
}

/* --- other numbers --- */

/* "2.5": a whole number, and what decimal_parse takes behind it. */
static bool mixed_parse(lethe_str text, lethe_theta *out)
{
    const char *point = text.n ? memchr(text.at, '.', text.n) : NULL;
    size_t whole = point ? (size_t)(point - text.at) : text.n;
    uint64_t ones = 0;
    if (whole == 0 ? !point : !lethe_parse_u64((lethe_str){text.at, whole}, &ones)) return false;
    *out = (lethe_theta){0, 1};
    if (point && !decimal_parse((lethe_str){point, text.n - whole}, out)) return false;
    if (ones > DECIMAL_MAX || out->den > LETHE_DECIMAL_DEN) return false;
    out->num += ones * out->den;
    return true;
}

bool lethe_decimal_parse(lethe_str text, lethe_theta *out)
{
    const char *slash = text.n ? memchr(text.at, '/', text.n) : NULL;
    lethe_theta t;
    if (!(slash ? fraction_parse(text, (size_t)(slash - text.at), &t) : mixed_parse(text, &t)))
        return false;
    if (t.den == 0 || t.den > LETHE_DECIMAL_DEN || t.num > DECIMAL_MAX * t.den) return false;
    uint64_t by = t.num; // becomes the greatest common divisor
    for (uint64_t b = t.den, rest; b; by = b, b = rest)
        rest = by % b;
    *out = (lethe_theta){t.num / by, t.den / by};
    return true;
}

void lethe_decimal_print(lethe_theta t, char out[LETHE_THETA_MAX])
{
    snprintf(out, LETHE_THETA_MAX, "%" PRIu64 "/%" PRIu64, t.num, t.den);
}

/* --- files --- */

typedef struct builder {
    bool prices; /* else thresholds */
    lethe_dict *names;
    lethe_buf at; /* lethe_theta of each */
} builder;

/* What is wrong with a line, and in which column; `cause` NULL: nothing. */
typedef struct fault {
    uint32_t column;
    const char *cause;
} fault;

/* Parts a line into its columns. */
static fault line_part(bool prices, lethe_str line, lethe_str *value, lethe_str *number)
{
    const char *tab = line.n ? memchr(line.at, '\t', line.n) : NULL;
    if (!tab)
        return (fault){0, prices ? "no tab: expected a value and a price"
                                 : "no tab: expected a value and a threshold"};
    *value = (lethe_str){line.at, (size_t)(tab - line.at)};
    *number = (lethe_str){tab + 1, line.n - value->n - 1};
    if (!memchr(number->at, '\t', number->n)) return (fault){0};
    return (fault){3,
                   prices ? "more than a value and a price" : "more than a value and a threshold"};
}

static fault value_check(lethe_str value)
{
    if (value.n == 0) return (fault){1, "the value is empty"};
    if (memchr(value.at, '\0', value.n)) return (fault){1, "a NUL in the value"};
    if (memchr(value.at, '\r', value.n)) return (fault){1, "a carriage return in the value"};
    if (!lethe_utf8_valid(value)) return (fault){1, "the value is not valid utf-8"};
    return (fault){0};
}

static bool price_parse(lethe_str text, lethe_theta *out)
{
    enum { MOST = 100, PARTS = 1000 };
    return lethe_decimal_parse(text, out) && PARTS % out->den == 0 && out->num >= out->den &&
           out->num <= MOST * out->den;
}

/* Takes a value and its threshold or price.  Does not report LETHE_ENOMEM. */
static lethe_err take(builder *t, lethe_str value, lethe_str text, fault *f)
{
    uint32_t id, n = lethe_dict_count(t->names);
    lethe_theta theta;
    *f = value_check(value);
    if (f->cause) return LETHE_OK;
    if (t->prices && !price_parse(text, &theta)) {
        *f = (fault){2, "the price is not a number from 1 to 100 with at most three decimals"};
        return LETHE_OK;
    }
    if (!t->prices && !lethe_theta_parse(text, &theta)) {
        *f = (fault){2, is_too_long(text) ? "the threshold has more than eighteen decimals"
                                          : "the threshold is not a fraction from 0 to 1"};
        return LETHE_OK;
    }
    LETHE_TRY(lethe_dict_add(t->names, value, &id));
    if (id == n) return lethe_buf_put(&t->at, &theta, sizeof theta);
    *f = (fault){1,
                 t->prices ? "the value has a price already" : "the value has a threshold already"};
    return LETHE_OK;
}

static bool thetas_begin(builder *t)
{
    t->names = lethe_dict_new();
    return t->names;
}

/* Hands over what was taken, or frees it. */
static lethe_err thetas_end(builder *t, lethe_err e, lethe_thetas *out)
{
    if (e == LETHE_OK) {
        *out = (lethe_thetas){t->names, (lethe_theta *)(void *)t->at.at};
        return LETHE_OK;
    }
    lethe_dict_free(t->names);
    lethe_buf_free(&t->at);
    return e;
}

static lethe_err lines_take(builder *t, lethe_lines *l)
{
    lethe_str line, value, theta;
    while (lethe_lines_next(l, &line)) {
        if (lethe_str_trim(line).n == 0) continue;
        fault f = line_part(t->prices, line, &value, &theta);
        // as the table's own values, these have no spaces at their ends
        if (!f.cause && take(t, lethe_str_trim(value), lethe_str_trim(theta), &f) != LETHE_OK)
            return lethe_no_memory(l->diag);
        if (f.cause) return lethe_lines_fault(l, f.column, "%s", f.cause);
    }
    LETHE_TRY(lethe_lines_err(l));
    if (t->at.n > 0) return LETHE_OK;
    return lethe_fail_at(l->diag, LETHE_EINPUT, l->name, 1, 0,
                         t->prices ? "empty: no prices in it" : "empty: no thresholds in it");
}

/* Closes the lines; `e`: how opening them ended. */
static lethe_err lines_read(lethe_ctx *ctx, bool prices, lethe_lines *l, lethe_err e,
                            lethe_thetas *out)
{
    builder t = {.prices = prices};
    if (e == LETHE_OK) e = thetas_begin(&t) ? lines_take(&t, l) : lethe_no_memory(ctx);
    lethe_lines_close(l);
    return thetas_end(&t, e, out);
}

lethe_err lethe_thetas_read(lethe_ctx *ctx, const char *path, lethe_thetas *out)
{
    lethe_lines l = {0};
    return lines_read(ctx, false, &l, lethe_lines_open(&l, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_prices_read(lethe_ctx *ctx, const char *path, lethe_thetas *out)
{
    lethe_lines l = {0};
    return lines_read(ctx, true, &l, lethe_lines_open(&l, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_thetas_memory(lethe_ctx *ctx, lethe_str bytes, lethe_thetas *out)
{
    lethe_lines l = {0};
    return lines_read(ctx, false, &l, lethe_lines_memory(&l, lethe_ctx_diag(ctx), bytes), out);
}

void lethe_thetas_free(lethe_thetas *t)
{
    lethe_dict_free(t->names);
    lethe_free(t->at);
    *t = (lethe_thetas){0};
}

/* --- as published --- */

static lethe_err published_take(builder *t, lethe_published_lines *l, lethe_buf *before)
{
    lethe_str line, value, theta;
    while (lethe_published_next(l, &line)) {
        fault f = line_part(false, line, &value, &theta);
        if (!f.cause && take(t, value, theta, &f) != LETHE_OK) return lethe_no_memory(l->ctx);
        if (f.cause) return lethe_published_fault(l, f.column, "%s", f.cause);
        lethe_str last = {(const char *)before->at, before->n};
        if (l->number > 1 && lethe_str_cmp(last, line) >= 0)
            return lethe_published_fault(l, 0, "a line out of order");
        before->n = 0;
        if (lethe_buf_str(before, line) != LETHE_OK) return lethe_no_memory(l->ctx);
    }
    return l->err;
}

lethe_err lethe_thetas_published(lethe_ctx *ctx, int dirfd, lethe_thetas *out)
{
    lethe_published_lines l;
    lethe_buf before = {0};
    builder t = {0};
    lethe_err e = lethe_published_open(&l, ctx, dirfd, LETHE_THETA_NAME, LETHE_LINE_MAX);
    if (e == LETHE_OK)
        e = thetas_begin(&t) ? published_take(&t, &l, &before) : lethe_no_memory(ctx);
    lethe_published_close(&l);
    lethe_buf_free(&before);
    return thetas_end(&t, e, out);
}
