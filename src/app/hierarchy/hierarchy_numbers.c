/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_numbers.c - ranges of numbers: each width a multiple of the one before, so that a range
 * lies in one range of the next width. */
#include "app/hierarchy/hierarchy.h"
#include "model/table/decimals.h"
#include <stdlib.h>

/* A number in units of 10^-9. */
__extension__ typedef __int128 nanos;
#define ONE ((nanos)1000000000)
enum { WIDTHS_MAX = 64 };

typedef struct numbered {
    nanos x;
    size_t value;
    lethe_str text;
} numbered;

typedef struct numbers {
    const lethe_column_values *column;
    numbered *at; /* rising */
    nanos width[WIDTHS_MAX];
    size_t n_widths;
    bool whole; /* all values and widths are */
} numbers;

static nanos nanos_of(lethe_number x) { return (nanos)x.whole * ONE + x.nano; }

static nanos floor_to(nanos x, nanos width)
{
    nanos rest = x % width;
    return x - (rest < 0 ? rest + width : rest);
}

/* As lethe_number_print writes it: "-0.5". */
static size_t nanos_print(nanos x, char out[LETHE_NUMBER_TEXT])
{
    nanos below = floor_to(x, ONE);
    return lethe_number_print((lethe_number){(int64_t)(below / ONE), (uint32_t)(x - below)}, out);
}

/* --- values --- */

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->x != y->x) return x->x < y->x ? -1 : 1;
    return lethe_str_cmp(x->text, y->text);
}

static lethe_err mixed_fail(const lethe_column_values *c, size_t i)
{
    return lethe_value_fail(c, i,
                            "mixes decimal points and decimal commas with other values: write all "
                            "numbers in one way, without separators of thousands");
}

static lethe_err numbers_take(numbers *n)
{
    const lethe_column_values *c = n->column;
    lethe_decimals decimals = {0};
    char text[LETHE_NUMBER_TEXT];
    size_t comma = 0;
    n->at = lethe_new(c->arena, numbered, c->n);
    if (!n->at) return lethe_no_memory(c->ctx);
    n->whole = true;
    for (size_t i = 0; i < c->n; i++) {
        lethe_number x;
        lethe_str plain;
        bool had_comma = decimals.comma_line;
        if (lethe_decimals_take(&decimals, c->row[i], c->at[i], text, &plain) != LETHE_DECIMALS_OK)
            return mixed_fail(c, i);
        if (!had_comma && decimals.comma_line) comma = i;
        if (!lethe_number_parse(plain, &x)) return lethe_value_fail(c, i, "is not a number");
        n->at[i] = (numbered){nanos_of(x), i, c->at[i]};
        n->whole = n->whole && x.nano == 0;
    }
    if (lethe_decimals_unclear(&decimals))
        return lethe_value_fail(c, comma,
                                "has a comma that may stand before decimals or before thousands: "
                                "write a decimal point, or no comma");
    qsort(n->at, c->n, sizeof *n->at, by_number);
    return LETHE_OK;
}

/* --- widths --- */

static lethe_err widths_fail(const numbers *n, const char *text, const char *fault)
{
    return lethe_fail(n->column->ctx, LETHE_EUSAGE, "--widths: '%s' %s", text, fault);
}

static lethe_err widths_parse(numbers *n, const char *text)
{
    for (const char *from = text;; from++) {
        size_t length = strcspn(from, ",");
        lethe_number x;
        nanos before = n->n_widths ? n->width[n->n_widths - 1] : 0;
        if (!lethe_number_parse(lethe_str_trim((lethe_str){from, length}), &x) || nanos_of(x) <= 0)
            return widths_fail(n, text, "is not a list of numbers above 0, such as 5,10,20");
        nanos width = nanos_of(x);
        if (before && (width <= before || width % before != 0))
            return widths_fail(n, text, "has a width that is not a multiple of the one before");
        if (n->n_widths == WIDTHS_MAX) return widths_fail(n, text, "has too many widths");
        n->width[n->n_widths++] = width;
        n->whole = n->whole && x.nano == 0;
        from += length;
        if (!*from) return LETHE_OK;
    }
}

/* The first is 1, 2 or 5 times a power of ten, about a sixteenth of the spread; then twice, four
 * and eight times as much, as long as there is more than one range. */
static void widths_choose(numbers *n)
{
    nanos least = n->at[0].x, greatest = n->at[n->column->n - 1].x, w = n->whole ? ONE : 1;
    for (unsigned k = 0; w * 16 < greatest - least; k++)
        w = k % 3 == 1 ? w / 2 * 5 : w * 2;
    for (unsigned k = 0; k < 4; k++, w *= 2) {
        if (n->whole && w == ONE) continue; // each range would be one number
        if (floor_to(least, w) == floor_to(greatest, w)) return;
        n->width[n->n_widths++] = w;
    }
}

static const char *widths_told(const numbers *n)
{
    char text[LETHE_NUMBER_TEXT];
    lethe_str told = lethe_ladders_text(n->column, "numbers; ranges of");
    for (size_t i = 0; told.at && i < n->n_widths; i++) {
        size_t length = nanos_print(n->width[i], text);
        told = lethe_ladders_text(n->column, "%s%s %.*s", told.at, i ? "," : "", (int)length, text);
    }
    return n->n_widths ? told.at : "numbers; no ranges, since one would hold all of them";
}

/* --- ranges --- */

/* "20-24", or "[0.5,1)" where there are decimals. */
static lethe_str range_text(const numbers *n, nanos x, nanos width)
{
    char from[LETHE_NUMBER_TEXT], to[LETHE_NUMBER_TEXT];
    nanos begin = floor_to(x, width);
    nanos_print(begin, from);
    nanos_print(begin + width - (n->whole ? ONE : 0), to);
    if (n->whole && width == ONE) return lethe_ladders_text(n->column, "%s", from);
    return lethe_ladders_text(n->column, n->whole ? "%s-%s" : "[%s,%s)", from, to);
}

lethe_err lethe_ladders_numbers(const lethe_column_values *c, const char *widths,
                                lethe_ladders *out)
{
    numbers n = {.column = c};
    LETHE_TRY(numbers_take(&n));
    if (widths)
        LETHE_TRY(widths_parse(&n, widths));
    else
        widths_choose(&n);
    LETHE_TRY(lethe_ladders_new(c, c->n, n.n_widths, out));
    for (size_t i = 0; i < c->n; i++) {
        out->leaf[i] = n.at[i].text;
        for (size_t k = 0; k < n.n_widths; k++) {
            lethe_str label = range_text(&n, n.at[i].x, n.width[k]);
            if (!label.at) return lethe_no_memory(c->ctx);
            out->label[i * n.n_widths + k] = label;
        }
    }
    out->told = widths_told(&n);
    return out->told ? LETHE_OK : lethe_no_memory(c->ctx);
}
