/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as numbers, ranges of numbers, values of a column with a decimal comma, and options of
 * tables (--weights, --t-distance, --entropy-l, --recursive): what is taken is within the limits
 * that the headers name, and survives being written and read again. */
#include "core/mem.h"
#include "fuzz.h"
#include "method/table/asked.h"
#include "model/table/decimals.h"
#include "model/table/distances.h"
#include <string.h>

enum { N_COLUMNS = 3 };
static const lethe_str columns[N_COLUMNS] = {{"a", 1}, {"b=c", 3}, {"d,e", 3}};

/* --- numbers --- */

static void check_number(lethe_str text)
{
    lethe_number x, again;
    char out[LETHE_NUMBER_TEXT];
    if (!lethe_number_parse(text, &x)) return;
    MUST(x.nano < 1000000000 && x.whole >= -LETHE_NUMBER_LIMIT && x.whole <= LETHE_NUMBER_LIMIT);
    size_t n = lethe_number_print(x, out);
    MUST(n < sizeof out && n <= text.n + 1); // ".5" is "0.5"
    MUST(lethe_number_parse((lethe_str){out, n}, &again) && lethe_number_cmp(x, again) == 0);
}

static void check_span(lethe_str text)
{
    lethe_span s;
    char out[LETHE_SPAN_TEXT];
    if (!lethe_span_parse(text, &s)) return;
    MUST(lethe_number_cmp(s.low, s.high) <= 0 && lethe_span_covers(s, s));
    size_t n = lethe_span_print(s, out);
    MUST(lethe_str_eq((lethe_str){out, n}, text)); // one range has one text
}

/* Each line is a value: only commas of numbers change, and never where there was a point. */
static void check_decimals(lethe_str text)
{
    lethe_decimals d = {0};
    uint64_t line = 0;
    while (text.n > 0) {
        const char *end = memchr(text.at, '\n', text.n);
        lethe_str value = {text.at, end ? (size_t)(end - text.at) : text.n}, out;
        lethe_number x;
        char as[LETHE_NUMBER_TEXT];
        lethe_decimals_seen seen = lethe_decimals_take(&d, ++line, value, as, &out);
        MUST(out.n == value.n);
        for (size_t i = 0; i < value.n; i++)
            MUST(out.at[i] == value.at[i] || (out.at[i] == '.' && value.at[i] == ','));
        if (out.at != value.at) MUST(lethe_number_parse(out, &x) && seen == LETHE_DECIMALS_OK);
        if (seen == LETHE_DECIMALS_MIXED) break;
        MUST(!d.point_line || !d.comma_line);
        text.at += value.n + (end != NULL);
        text.n -= value.n + (end != NULL);
    }
    MUST(!lethe_decimals_unclear(&d) || d.comma[0]);
}

/* --- options --- */

static void put(lethe_buf *to, const char *text)
{
    MUST(lethe_buf_str(to, lethe_str_of(text)) == LETHE_OK);
}

static void put_name(lethe_buf *to, size_t i)
{
    put(to, i > 0 ? ",\"" : "\"");
    MUST(lethe_buf_str(to, columns[i]) == LETHE_OK);
    put(to, "=");
}

static void check_weights(lethe_diag *diag, const char *text)
{
    uint32_t weight[N_COLUMNS], again[N_COLUMNS];
    lethe_buf b = {0};
    if (lethe_weights_parse(diag, text, columns, N_COLUMNS, weight) != LETHE_OK) return;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        char number[32];
        MUST(weight[i] >= 1 && weight[i] <= 1000000);
        snprintf(number, sizeof number, "%u.%03u\"", weight[i] / 1000, weight[i] % 1000);
        put_name(&b, i);
        put(&b, number);
    }
    MUST(lethe_buf_put(&b, "", 1) == LETHE_OK);
    MUST(lethe_weights_parse(diag, (const char *)b.at, columns, N_COLUMNS, again) == LETHE_OK);
    MUST(memcmp(weight, again, sizeof weight) == 0);
    lethe_buf_free(&b);
}

static void check_distances(lethe_diag *diag, lethe_arena *a, const char *text)
{
    lethe_value_distance *of, *again;
    lethe_buf b = {0};
    if (lethe_distances_parse(diag, a, text, columns, N_COLUMNS, &of) != LETHE_OK) return;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        MUST(of[i] <= LETHE_DISTANCE_HIERARCHICAL);
        put_name(&b, i);
        put(&b, lethe_distance_name(of[i]));
        put(&b, "\"");
    }
    MUST(lethe_buf_put(&b, "", 1) == LETHE_OK);
    MUST(lethe_distances_parse(diag, a, (const char *)b.at, columns, N_COLUMNS, &again) ==
         LETHE_OK);
    MUST(memcmp(of, again, N_COLUMNS * sizeof *of) == 0);
    lethe_buf_free(&b);
}

/* --- what is asked --- */

static lethe_err ask(lethe_diag *diag, lethe_arena *a, const char *option, const char *text,
                     lethe_asked *out)
{
    const lethe_option table[] = {{.name = "sa", .type = LETHE_OPT_TEXT},
                                  {.name = option, .type = LETHE_OPT_TEXT},
                                  {.name = NULL}};
    lethe_value value[] = {{.text = "s", .given = true, .present = true},
                           {.text = text, .given = true, .present = true}};
    return lethe_asked_read(diag, a, &(lethe_values){table, value, 2}, out);
}

static bool same(lethe_theta x, lethe_theta y) { return x.num == y.num && x.den == y.den; }

static void check_asked(lethe_diag *diag, lethe_arena *a, const char *text)
{
    lethe_asked k, again;
    char number[LETHE_THETA_MAX], pair[LETHE_THETA_MAX + 16];
    if (ask(diag, a, "entropy-l", text, &k) == LETHE_OK) {
        MUST(k.entropy.den > 0 && k.entropy.num >= k.entropy.den);
        lethe_decimal_print(k.entropy, number);
        MUST(ask(diag, a, "entropy-l", number, &again) == LETHE_OK);
        MUST(same(again.entropy, k.entropy));
    }
    if (ask(diag, a, "t-closeness", text, &k) == LETHE_OK) {
        MUST(k.has_t && k.t.den > 0 && k.t.num <= k.t.den && k.t.den <= LETHE_THETA_DEN);
        lethe_theta_print(k.t, number);
        MUST(ask(diag, a, "t-closeness", number, &again) == LETHE_OK && same(again.t, k.t));
    }
    if (ask(diag, a, "recursive", text, &k) == LETHE_OK) {
        MUST(k.l >= 1 && k.c.num > 0 && k.c.den > 0);
        lethe_decimal_print(k.c, number);
        snprintf(pair, sizeof pair, "%s,%u", number, k.l);
        MUST(ask(diag, a, "recursive", pair, &again) == LETHE_OK);
        MUST(same(again.c, k.c) && again.l == k.l);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str bytes = {n ? (const char *)data : "", n};
    lethe_ctx *ctx = NULL;
    lethe_arena *a = lethe_arena_new();
    lethe_buf text = {0};
    MUST(a && lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
    check_number(bytes);
    check_span(bytes);
    check_decimals(bytes);
    MUST(lethe_buf_str(&text, bytes) == LETHE_OK && lethe_buf_put(&text, "", 1) == LETHE_OK);
    check_weights(lethe_ctx_diag(ctx), (const char *)text.at);
    check_distances(lethe_ctx_diag(ctx), a, (const char *)text.at);
    check_asked(lethe_ctx_diag(ctx), a, (const char *)text.at);
    lethe_buf_free(&text);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
    return 0;
}
