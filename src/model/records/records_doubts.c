/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read as one record per line, but look like something else: nothing is refused, but
 * somebody who takes orders for persons, or lines for orders, is told. */
#include "model/records/records_internal.h"

enum { LOOK_LINES = 1000, LEAST_LINES = 4 };

static bool is_one_of(lethe_str field, const char *const names[])
{
    lethe_str f = lethe_str_trim(field);
    for (size_t i = 0; names[i]; i++) {
        size_t k = 0;
        while (k < f.n && names[i][k] && (f.at[k] | 0x20) == (names[i][k] | 0x20))
            k++;
        if (k == f.n && !names[i][k]) return true;
    }
    return false;
}

bool lethe_names_persons(lethe_str field)
{
    static const char *const names[] = {
        "person",    "person_id",     "user",        "user_id",        "userid",
        "customer",  "customer_id",   "customerid",  "order",          "order_id",
        "orderid",   "member_number", "transaction", "transaction_id", "basket",
        "basket_id", "invoice",       "invoiceno",   "invoice_no",     "id",
        "session",   "session_id",    NULL};
    return is_one_of(field, names);
}

bool lethe_names_items(lethe_str field)
{
    static const char *const names[] = {"item",
                                        "items",
                                        "item_id",
                                        "product",
                                        "product_id",
                                        "productname",
                                        "products",
                                        "product_name",
                                        "itemdescription",
                                        "description",
                                        "stockcode",
                                        "article",
                                        "sku",
                                        NULL};
    return is_one_of(field, names);
}

/* What the first lines are like, if fields are separated by one character. */
typedef struct counts {
    size_t lines, with, two, repeats; /* all; with the character; of two fields; of these, those
                                         whose first field the line before has too */
    bool header;                      /* the first line has names of persons and items */
} counts;

static void count_line(counts *c, char part, lethe_str line, lethe_str *before)
{
    const char *at = line.n ? memchr(line.at, part, line.n) : NULL;
    lethe_str first = {line.at, at ? (size_t)(at - line.at) : line.n};
    lethe_str rest = {at ? at + 1 : line.at, at ? line.n - first.n - 1 : 0};
    bool two = at && rest.n > 0 && !memchr(rest.at, part, rest.n);
    // a tab stands before all items, which spaces separate
    if (part == '\t') two = two && !memchr(rest.at, ' ', rest.n);
    if (c->lines == 0)
        c->header = (two && lethe_names_persons(first) && lethe_names_items(rest)) ||
                    (!at && lethe_names_items(line));
    c->lines++;
    c->with += at != NULL;
    c->two += two;
    c->repeats += two && before->at && lethe_str_eq(first, *before);
    *before = first;
}

static counts count_lines(lethe_str text, char part)
{
    counts c = {0};
    lethe_str before = {NULL, 0};
    while (text.n > 0 && c.lines < LOOK_LINES) {
        const char *lf = memchr(text.at, '\n', text.n);
        size_t n = lf ? (size_t)(lf - text.at) : text.n;
        size_t end = n - (n > 0 && text.at[n - 1] == '\r');
        count_line(&c, part, (lethe_str){text.at, end}, &before);
        n += lf != NULL;
        text = (lethe_str){text.at + n, text.n - n};
    }
    return c;
}

/* The long form: nearly all lines have two fields, and the first is often that of the line before.
 */
static bool is_long_form(const counts *c)
{
    return c->lines >= LEAST_LINES && c->two * 10 >= c->lines * 9 && c->repeats * 4 >= c->lines;
}

lethe_err lethe_records_doubt(lethe_diag *d, const char *name, lethe_str head)
{
    static const char parts[] = {',', ';', '\t', '|', ' '};
    bool header = false;
    for (size_t i = 0; i < sizeof parts; i++) {
        counts c = count_lines(head, parts[i]);
        header |= c.header;
        if (!is_long_form(&c)) continue;
        lethe_warn(
            d,
            "'%s' looks like one line per item, with the person before it, and is read as one "
            "record per line (change this with --from records --columns person=1,item=2)",
            name);
        return LETHE_OK;
    }
    for (size_t i = 0; i < 2; i++) {
        counts c = count_lines(head, parts[i]);
        if (c.lines < LEAST_LINES || c.with * 10 < c.lines * 8) continue;
        lethe_warn(d,
                   "'%s': most lines have a '%c', but items are separated by spaces (change this "
                   "with --from records --delimiter '%c')",
                   name, parts[i], parts[i]);
        break;
    }
    if (header)
        lethe_warn(d, "'%s': the first line looks like a header, and is read as a record", name);
    return LETHE_OK;
}
