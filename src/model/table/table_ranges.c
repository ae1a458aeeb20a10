/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and the hierarchy that --ranges makes of them. */
#include "model/table/table_internal.h"
#include "core/parse.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- numbers --- */

#define NANOS 1000000000u
enum { PLACES = 9 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits from `*at` on, as a number cut at just over the limit; how many there are. */
static size_t take_whole(lethe_str s, size_t *at, int64_t *out)
{
    size_t from = *at;
    for (*out = 0; *at < s.n && is_digit(s.at[*at]); ++*at)
        if (*out <= LETHE_NUMBER_LIMIT) *out = 10 * *out + (s.at[*at] - '0');
    return *at - from;
}

bool lethe_number_parse(lethe_str s, lethe_number *out)
{
    lethe_number x = {0};
    bool minus = s.n > 0 && s.at[0] == '-';
    size_t at = minus, digits = take_whole(s, &at, &x.whole);
    if (at < s.n && s.at[at] == '.') {
        at++;
        size_t from = at;
        uint32_t unit = NANOS / 10;
        for (x.nano = 0; at < s.n && is_digit(s.at[at]); ++at, unit /= 10)
            x.nano += unit * (uint32_t)(s.at[at] - '0');
        size_t places = at - from;
        if (places == 0 || places > PLACES) return false;
        digits += places;
    }
    if (digits == 0 || at != s.n) return false;
    if (x.whole > LETHE_NUMBER_LIMIT || (x.whole == LETHE_NUMBER_LIMIT && x.nano > 0)) return false;
    if (minus) x.whole = -x.whole - (x.nano > 0);
    if (minus && x.nano > 0) x.nano = NANOS - x.nano;
    *out = x;
    return true;
}

size_t lethe_number_print(lethe_number x, char out[LETHE_NUMBER_TEXT])
{
    bool minus = x.whole < 0;
    uint64_t whole = (uint64_t)(minus ? -x.whole - (x.nano > 0) : x.whole);
    uint32_t nano = minus && x.nano > 0 ? NANOS - x.nano : x.nano;
    int n = snprintf(out, LETHE_NUMBER_TEXT, "%s%" PRIu64, minus ? "-" : "", whole);
    if (nano == 0) return (size_t)n;
    n += snprintf(out + n, LETHE_NUMBER_TEXT - (size_t)n, ".%09" PRIu32, nano);
    while (out[n - 1] == '0')
        out[--n] = '\0';
    return (size_t)n;
}

int lethe_number_cmp(lethe_number x, lethe_number y)
{
    if (x.whole != y.whole) return x.whole < y.whole ? -1 : 1;
    return (x.nano > y.nano) - (x.nano < y.nano);
}

double lethe_number_minus(lethe_number x, lethe_number y)
{
    return (double)(x.whole - y.whole) + ((double)x.nano - (double)y.nano) / NANOS;
}

static int by_number(const void *a, const void *b)
{
    return lethe_number_cmp(*(const lethe_number *)a, *(const lethe_number *)b);
}

bool lethe_ranges_cover(const lethe_ranges *r, lethe_number x)
{
    return !r->has_domain || (x.nano == 0 && r->least <= x.whole && x.whole <= r->greatest);
}

/* --- ranges from one number to another --- */

size_t lethe_span_print(lethe_span s, char out[LETHE_SPAN_TEXT])
{
    size_t n = lethe_number_print(s.low, out);
    if (lethe_number_cmp(s.low, s.high) == 0) return n;
    out[n++] = '-';
    return n + lethe_number_print(s.high, out + n);
}

bool lethe_span_parse(lethe_str text, lethe_span *out)
{
    size_t dash = text.n > 0; // a minus may come first
    while (dash < text.n && text.at[dash] != '-')
        dash++;
    lethe_span s;
    if (!lethe_number_parse((lethe_str){text.at, dash}, &s.low)) return false;
    s.high = s.low;
    if (dash < text.n &&
        (!lethe_number_parse((lethe_str){text.at + dash + 1, text.n - dash - 1}, &s.high) ||
         lethe_number_cmp(s.low, s.high) >= 0))
        return false;
    char again[LETHE_SPAN_TEXT];
    if (!lethe_str_eq(text, (lethe_str){again, lethe_span_print(s, again)})) return false;
    *out = s;
    return true;
}

bool lethe_span_covers(lethe_span s, lethe_span inner)
{
    return lethe_number_cmp(s.low, inner.low) <= 0 && lethe_number_cmp(inner.high, s.high) <= 0;
}

/* --- the option --- */

typedef struct parser {
    lethe_diag *diag;
    lethe_arena *arena;
    lethe_ranges *at;
    size_t n;
} parser;

static lethe_err bad(const parser *p, lethe_str part, const char *fault)
{
    char shown[80];
    lethe_show(shown, sizeof shown, part);
    return lethe_fail(p->diag, LETHE_EUSAGE, "ranges of '%s': %s", shown, fault);
}

/* Cuts what stands before the first `c` off; false: there is none, and `part` is all of it. */
static bool cut_at(lethe_str *text, char c, lethe_str *part)
{
    const char *at = text->n ? memchr(text->at, c, text->n) : NULL;
    *part = (lethe_str){text->at, at ? (size_t)(at - text->at) : text->n};
    size_t taken = part->n + (at != NULL);
    *text = (lethe_str){text->at + taken, text->n - taken};
    return at != NULL;
}

static bool end_parse(lethe_str s, int64_t *out)
{
    lethe_number x;
    if (!lethe_number_parse(lethe_str_trim(s), &x) || x.nano > 0) return false;
    *out = x.whole;
    return true;
}

/* "age=5,10" or "age=17-90:5,10". */
static lethe_err column_parse(parser *p, lethe_str text, lethe_ranges *r)
{
    lethe_str name, domain, whole = text;
    if (!cut_at(&text, '=', &name)) return bad(p, whole, "no '=' after the column's name");
    name = lethe_str_trim(name);
    if (name.n == 0) return bad(p, whole, "a column's name is empty");
    r->column = (lethe_str){lethe_arena_dup(p->arena, name), name.n};
    if (!r->column.at) return lethe_no_memory(p->diag);
    for (const lethe_ranges *other = p->at; other < r; other++)
        if (lethe_str_eq(other->column, r->column)) return bad(p, name, "they are there twice");
    if (lethe_str_eq(lethe_str_trim(text), LETHE_LIT("values"))) {
        r->values = true;
        return LETHE_OK;
    }
    lethe_str rest = text;
    if (cut_at(&rest, ':', &domain)) {
        // "17-90", either end perhaps below zero.
        domain = lethe_str_trim(domain);
        size_t dash = domain.n > 0; // a minus may come first
        while (dash < domain.n && domain.at[dash] != '-')
            dash++;
        if (dash == domain.n || !end_parse((lethe_str){domain.at, dash}, &r->least) ||
            !end_parse((lethe_str){domain.at + dash + 1, domain.n - dash - 1}, &r->greatest))
            return bad(p, r->column, "the domain is not two whole numbers with a '-' between");
        if (r->least > r->greatest) return bad(p, r->column, "the domain ends before it begins");
        if ((uint64_t)(r->greatest - r->least) >= LETHE_DOMAIN_MAX)
            return bad(p, r->column, "the domain has over a million numbers");
        r->has_domain = true;
        text = rest;
    }
    lethe_u64s widths = {0};
    for (bool more = true; more;) {
        lethe_str part;
        uint64_t width, before = widths.n ? widths.at[widths.n - 1] : 0;
        more = cut_at(&text, ',', &part);
        if (!lethe_parse_u64(lethe_str_trim(part), &width) || width == 0)
            return bad(p, r->column, "a width is not a whole number above 0");
        if (width > (uint64_t)LETHE_NUMBER_LIMIT) return bad(p, r->column, "a width is over 10^15");
        if (before && (width <= before || width % before != 0))
            return bad(p, r->column, "a width is not a multiple of the one before");
        if (lethe_u64s_append(p->arena, &widths, &width, 1) != LETHE_OK)
            return lethe_no_memory(p->diag);
    }
    r->n = widths.n;
    r->width = widths.at;
    return LETHE_OK;
}

lethe_err lethe_ranges_parse(lethe_diag *d, lethe_arena *a, const char *text, lethe_ranges **out,
                             size_t *n)
{
    parser p = {.diag = d, .arena = a, .n = 0};
    lethe_str rest = text ? lethe_str_of(text) : (lethe_str){"", 0}, part;
    for (const char *c = text; text && *c; c++)
        p.n += *c == ';';
    p.n += text != NULL;
    p.at = lethe_new(a, lethe_ranges, p.n);
    if (!p.at) return lethe_no_memory(d);
    for (size_t i = 0; i < p.n; i++) {
        cut_at(&rest, ';', &part);
        LETHE_TRY(column_parse(&p, part, &p.at[i]));
    }
    *out = p.at;
    *n = p.n;
    return LETHE_OK;
}

bool lethe_ranges_have_values(const char *text)
{
    lethe_arena *a = lethe_arena_new();
    lethe_ranges *ranges = NULL;
    size_t n = 0;
    bool have = false;
    if (!a || lethe_ranges_parse(NULL, a, text, &ranges, &n) != LETHE_OK) n = 0;
    for (size_t i = 0; i < n; i++)
        have = have || ranges[i].values;
    lethe_arena_free(a);
    return have;
}

/* --- the tree --- */

/* A leaf, or an interval. */
typedef struct piece {
    lethe_number least; /* of an interval: where it begins */
    int64_t last;       /* its last whole number; of decimals: where the next begins */
    bool is_interval;
} piece;

typedef struct level_builder {
    lethe_diag *diag;
    lethe_tree_builder *builder;
    piece *at; /* those that have no parent yet, rising */
    size_t n;
    int64_t least, greatest;
    bool decimals;
} level_builder;

static int64_t floor_to(int64_t x, uint64_t width)
{
    int64_t w = (int64_t)width, rest = x % w;
    return x - (rest < 0 ? rest + w : rest);
}

static lethe_str name_of(const level_builder *g, const piece *p, char out[80])
{
    if (!p->is_interval) return (lethe_str){out, lethe_number_print(p->least, out)};
    int n = snprintf(out, 80, g->decimals ? "[%" PRId64 ",%" PRId64 ")" : "%" PRId64 "-%" PRId64,
                     p->least.whole, p->last);
    return (lethe_str){out, (size_t)n};
}

/* The interval of that width from `begin` on. */
static piece interval(const level_builder *g, int64_t begin, uint64_t width)
{
    piece p = {.least = {.whole = begin}, .last = begin + (int64_t)width, .is_interval = true};
    if (g->decimals) return p;
    p.least.whole = LETHE_MAX(begin, g->least);
    p.last = LETHE_MIN(p.last - 1, g->greatest);
    return p;
}

static lethe_err put_below(level_builder *g, const piece *child, size_t n, lethe_str parent)
{
    char name[80];
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(lethe_tree_edge(g->builder, name_of(g, &child[i], name), parent, 0));
    return LETHE_OK;
}

/* Pieces in one interval of the width become that interval, if they are several. */
static lethe_err join(level_builder *g, uint64_t width)
{
    size_t n = 0, next;
    for (size_t i = 0; i < g->n; i = next) {
        int64_t begin = floor_to(g->at[i].least.whole, width);
        for (next = i + 1; next < g->n; next++)
            if (floor_to(g->at[next].least.whole, width) != begin) break;
        piece whole = g->at[i];
        if (next - i > 1) {
            char name[80];
            whole = interval(g, begin, width);
            LETHE_TRY(put_below(g, &g->at[i], next - i, name_of(g, &whole, name)));
        }
        g->at[n++] = whole;
    }
    g->n = n;
    return LETHE_OK;
}

/* The numbers among the values, rising, each once. */
static size_t numbers_sort(const lethe_dict *values, lethe_number *x)
{
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < lethe_dict_count(values); i++)
        n += lethe_number_parse(lethe_dict_at(values, i), &x[n]);
    if (n > 0) qsort(x, n, sizeof *x, by_number);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || lethe_number_cmp(x[kept - 1], x[i]) != 0) x[kept++] = x[i];
    return kept;
}

/* What the leaves are: the numbers present, or all whole numbers from the least to the greatest. */
static lethe_err leaves_make(level_builder *g, const lethe_ranges *r, const lethe_number *x,
                             size_t n)
{
    for (size_t i = 0; i < n; i++)
        g->decimals |= x[i].nano > 0;
    g->least = r->has_domain ? r->least : n ? x[0].whole : 0;
    g->greatest = r->has_domain ? r->greatest : n ? x[n - 1].whole : -1;
    uint64_t span = (uint64_t)(g->greatest - g->least) + 1;
    bool all = r->has_domain || (!r->values && !g->decimals && span <= LETHE_DOMAIN_MAX);
    g->n = all ? (size_t)span : n;
    g->at = lethe_alloc(g->n, sizeof *g->at);
    if (!g->at) return lethe_no_memory(g->diag);
    for (size_t i = 0; i < g->n; i++)
        g->at[i] = (piece){.least = all ? (lethe_number){.whole = g->least + (int64_t)i} : x[i]};
    return LETHE_OK;
}

/* The numbers present below the range of all of them. */
static lethe_err values_make(level_builder *g)
{
    char name[LETHE_SPAN_TEXT];
    assert(g->n > 0);
    lethe_span all = {g->at[0].least, g->at[g->n - 1].least};
    lethe_str root = {name, lethe_span_print(all, name)};
    LETHE_TRY(lethe_tree_node(g->builder, root, 0));
    return g->n > 1 ? put_below(g, g->at, g->n, root) : LETHE_OK;
}

static lethe_err edges_make(level_builder *g, const lethe_ranges *r)
{
    LETHE_TRY(lethe_tree_builder_new(g->diag, NULL, &g->builder));
    if (r->values) return values_make(g);
    LETHE_TRY(lethe_tree_node(g->builder, LETHE_LIT("*"), 0));
    for (size_t i = 0; i < r->n; i++)
        LETHE_TRY(join(g, r->width[i]));
    return put_below(g, g->at, g->n, LETHE_LIT("*"));
}

lethe_err lethe_ranges_tree(lethe_diag *d, const lethe_ranges *r, const lethe_dict *values,
                            lethe_tree **out)
{
    level_builder g = {.diag = d};
    lethe_number *x = lethe_alloc((size_t)lethe_dict_count(values) + 1, sizeof *x);
    lethe_err e = x ? leaves_make(&g, r, x, numbers_sort(values, x)) : lethe_no_memory(d);
    if (e == LETHE_OK) e = edges_make(&g, r);
    lethe_free_all(x, g.at);
    if (e == LETHE_OK) return lethe_tree_build(g.builder, out);
    lethe_tree_builder_free(g.builder);
    return e;
}

const double *lethe_ranges_positions(lethe_arena *a, const lethe_tree *t)
{
    double *position = lethe_new(a, double, t->n);
    lethe_number x;
    lethe_span all;
    bool parsed = lethe_span_parse(lethe_tree_name(t, 0), &all);
    assert(parsed); // values_make has written it
    for (uint32_t v = 1; position && v < t->n; v++)
        if (lethe_number_parse(lethe_tree_name(t, v), &x))
            position[v] = lethe_number_minus(x, all.low) / lethe_number_minus(all.high, all.low);
    return position;
}
