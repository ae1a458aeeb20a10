/* SPDX-License-Identifier: Apache-2.0 */
/* column_profile.c - what the values of a column look like, and how they are spread. */
#include "measure/table_profile.h"
#include "model/table/table.h"

const char *const lethe_column_type_names[LETHE_N_COLUMN_TYPES] = {
    [LETHE_COLUMN_NUMBER] = "number",       [LETHE_COLUMN_DATE] = "date",
    [LETHE_COLUMN_CODE] = "code",           [LETHE_COLUMN_CATEGORY] = "category",
    [LETHE_COLUMN_FREE_TEXT] = "free text", [LETHE_COLUMN_IDENTIFIER] = "identifier"};

/* A column with as many unique rows is an identifier, whatever it looks like: 9 of 10 rows. */
#define IDENTIFIER_SHARE 0.9
/* In a table of fewer rows, ages and days may all differ by chance. */
#define FEW_ROWS 100

/* --- forms of values --- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Digits with at most one point or comma in them, perhaps after a sign. */
static bool looks_like_number(lethe_str s, bool *whole)
{
    size_t i = s.n > 0 && (s.at[0] == '-' || s.at[0] == '+'), digits = 0, marks = 0;
    for (; i < s.n; i++) {
        if (is_digit(s.at[i]))
            digits++;
        else if ((s.at[i] == '.' || s.at[i] == ',') && digits > 0)
            marks++;
        else
            return false;
    }
    *whole = marks == 0;
    return digits > 0 && marks <= 1 && is_digit(s.at[s.n - 1]);
}

/* Digits at *i, at most `most`; how many. */
static size_t digits_take(lethe_str s, size_t *i, size_t most)
{
    size_t from = *i;
    while (*i < s.n && *i - from < most && is_digit(s.at[*i]))
        ++*i;
    return *i - from;
}

/* Three numbers with the same mark between them, of which the first or the last has four digits;
 * anything after that must look like a time. */
static bool looks_like_date(lethe_str s)
{
    size_t i = 0, first = digits_take(s, &i, 4);
    if (first == 0 || i >= s.n || !memchr("-./", s.at[i], 3)) return false;
    char mark = s.at[i++];
    size_t second = digits_take(s, &i, 2);
    if (second == 0 || i >= s.n || s.at[i] != mark) return false;
    i++;
    size_t third = digits_take(s, &i, 4);
    if (!((first == 4 && third >= 1 && third <= 2) || (first <= 2 && (third == 4 || third == 2))))
        return false;
    if (i == s.n) return true;
    if (s.at[i] != 'T' && s.at[i] != ' ') return false;
    for (i++; i < s.n; i++)
        if (!is_digit(s.at[i]) && !memchr(":.+-Z ", s.at[i], 6)) return false;
    return true;
}

/* Letters, digits and marks without a space, with a digit: but no range such as 30-39. */
static bool looks_like_code(lethe_str s)
{
    size_t digits = 0, letters = 0, dashes = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (is_digit(s.at[i]))
            digits++;
        else if (is_letter(s.at[i]))
            letters++;
        else if (s.at[i] == '-' && i > 0)
            dashes++;
        else if (!memchr("./_", s.at[i], 3))
            return false;
    }
    return digits > 0 && (letters > 0 || dashes == 0);
}

static size_t count_words(lethe_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.at[i] != ' ' && (i == 0 || s.at[i - 1] == ' ');
    return n;
}

/* What all values have in common. */
typedef struct forms {
    uint64_t n; /* values looked at */
    bool number, whole, date, code;
    bool same_length, leading_zero;
    size_t length, shortest; /* of the first; of the shortest */
    uint64_t words;
} forms;

static void form_add(forms *f, lethe_str s)
{
    bool whole = false, number = looks_like_number(s, &whole);
    if (f->n++ == 0) {
        *f = (forms){.n = 1,
                     .number = true,
                     .whole = true,
                     .date = true,
                     .code = true,
                     .same_length = true,
                     .length = s.n,
                     .shortest = s.n};
    }
    f->number &= number;
    f->whole &= number && whole;
    f->leading_zero |= number && whole && s.n > 1 && s.at[0] == '0';
    f->date &= looks_like_date(s);
    f->code &= looks_like_code(s);
    f->same_length &= s.n == f->length;
    f->shortest = LETHE_MIN(f->shortest, s.n);
    f->words += count_words(s);
}

static lethe_column_type form_type(const forms *f, const lethe_column_profile *p, uint64_t present)
{
    enum {
        CODE_DIGITS = 5
    }; // a postal code; a number of that many digits is rarely always so long
    if (f->n == 0) return LETHE_COLUMN_CATEGORY;
    if (f->date) return LETHE_COLUMN_DATE;
    bool coded = f->leading_zero || (f->same_length && f->length >= CODE_DIGITS && f->n > 1);
    if (f->number && !(f->whole && coded)) return LETHE_COLUMN_NUMBER;
    if (f->number || f->code) return LETHE_COLUMN_CODE;
    if (f->words >= 4 * f->n && p->distinct > present / 2) return LETHE_COLUMN_FREE_TEXT;
    return LETHE_COLUMN_CATEGORY;
}

/* Has nearly each row a value of its own?  In a small table numbers and dates that differ are no
 * identifiers, unless they are as long as those of a register or count the rows. */
static bool is_identifier(const forms *f, lethe_column_type type, const lethe_column_profile *p,
                          uint64_t rows, uint64_t present)
{
    enum { REGISTER_DIGITS = 5 };
    if (present < 2 || present * 2 < rows || (double)p->unique < IDENTIFIER_SHARE * (double)present)
        return false;
    if (type == LETHE_COLUMN_FREE_TEXT) return false;
    if (rows >= FEW_ROWS) return true;
    if (type == LETHE_COLUMN_DATE) return false;
    return type != LETHE_COLUMN_NUMBER || (f->whole && f->shortest >= REGISTER_DIGITS);
}

/* Whole numbers that rise by one from row to row: a running number, in a table of any size. */
static bool is_running_number(const lethe_published_column *c, size_t rows)
{
    uint64_t before = 0;
    if (rows < 3 || lethe_dict_count(c->values) != rows) return false;
    for (size_t i = 0; i < rows; i++) {
        lethe_str s = lethe_dict_at(c->values, c->code[i]);
        uint64_t x = 0;
        if (s.n == 0 || s.n > 18) return false;
        for (size_t k = 0; k < s.n; k++) {
            if (!is_digit(s.at[k])) return false;
            x = x * 10 + (uint64_t)(s.at[k] - '0');
        }
        if (i > 0 && x != before + 1) return false;
        before = x;
    }
    return true;
}

/* --- one column --- */

static void values_count(const uint32_t *rows_of, uint32_t n_values, uint32_t missing,
                         uint64_t rows, lethe_column_profile *p)
{
    double same = 0; // pairs of rows with the same value, in both orders
    p->commonest = LETHE_NONE;
    for (uint32_t v = 0; v < n_values; v++) {
        same += (double)rows_of[v] * (double)(rows_of[v] - 1);
        if (v == missing) {
            p->missing = rows_of[v];
            continue;
        }
        p->distinct++;
        p->unique += rows_of[v] == 1;
        if (rows_of[v] <= p->commonest_rows) continue;
        p->commonest = v;
        p->commonest_rows = rows_of[v];
    }
    if (rows > 1) p->separation = 1 - same / ((double)rows * (double)(rows - 1));
}

struct columns_work {
    lethe_ctx *ctx;
    const lethe_published_table *table;
    lethe_column_profile *out;
};

static lethe_err column_work(void *arg, size_t i, unsigned w)
{
    struct columns_work *k = arg;
    const lethe_published_column *c = &k->table->column[i];
    lethe_column_profile *p = &k->out[i];
    uint32_t n_values = lethe_dict_count(c->values);
    uint32_t missing = lethe_dict_find(c->values, LETHE_LIT(LETHE_MISSING)),
             starred = lethe_dict_find(c->values, LETHE_LIT(LETHE_STARRED));
    uint32_t *rows_of = lethe_alloc_zero(n_values, sizeof *rows_of);
    forms f = {0};
    (void)w;
    if (!rows_of) return LETHE_ENOMEM;
    for (size_t row = 0; row < k->table->n; row++)
        rows_of[c->code[row]]++;
    *p = (lethe_column_profile){0};
    values_count(rows_of, n_values, missing, k->table->n, p);
    for (uint32_t v = 0; v < n_values; v++)
        if (v != missing && v != starred) form_add(&f, lethe_dict_at(c->values, v));
    uint64_t present = k->table->n - p->missing;
    p->type = form_type(&f, p, present);
    if (is_identifier(&f, p->type, p, k->table->n, present) || is_running_number(c, k->table->n))
        p->type = LETHE_COLUMN_IDENTIFIER;
    lethe_free(rows_of);
    lethe_ctx_advance(k->ctx, 1);
    return LETHE_OK;
}

lethe_err lethe_columns_profile(lethe_ctx *ctx, const lethe_published_table *t,
                                lethe_column_profile *out)
{
    struct columns_work k = {ctx, t, out};
    lethe_ctx_phase(ctx, "columns", t->n_columns);
    lethe_err e = lethe_pool_for(ctx, t->n_columns, column_work, &k);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
