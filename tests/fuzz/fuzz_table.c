/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a table.  What is read keeps table.h's promises, every row is accounted for, and the
 * table, written down, reads back the same.
 *
 * The first byte says how to read, the rest is the file. */
#include "io/read/fields.h"
#include "table_text.h"
#include "text/normalize.h"
#include "fuzz.h"

static lethe_ctx *ctx;
static lethe_tree *tree;

static void finish(void)
{
    lethe_tree_free(tree);
    lethe_ctx_free(ctx);
}

static void begin(void)
{
    MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
    MUST(lethe_tree_memory(ctx, LETHE_LIT("1;low;*\n2;low;*\n3;high;*\nx;high;*\n"),
                           LETHE_NAMES_RAW, &tree) == LETHE_OK);
    atexit(finish);
}

static void look_at(lethe_str s)
{
    MUST(s.n > 0 && lethe_utf8_valid(s) && s.at[0] != ' ' && s.at[s.n - 1] != ' ');
    for (size_t i = 0; i < s.n; i++)
        MUST(s.at[i] != '\0' && s.at[i] != '\t' && s.at[i] != '\r' && s.at[i] != '\n');
}

static void put(lethe_buf *to, lethe_str field, bool first)
{
    look_at(field);
    if (!first) MUST(lethe_buf_put(to, ",", 1) == LETHE_OK);
    MUST(lethe_csv_put(to, field, ',') == LETHE_OK);
}

/* The table as a file, after a byte order mark: the first name may begin with one too. */
static void write_table(lethe_buf *to, const lethe_table *t)
{
    MUST(lethe_buf_str(to, LETHE_LIT("\xEF\xBB\xBF")) == LETHE_OK);
    for (size_t i = 0; i < t->n_order; i++) {
        const lethe_column *c = table_column(t, t->order[i]);
        put(to, c ? c->name : t->qi[t->order[i]].name, i == 0);
    }
    MUST(lethe_buf_put(to, "\n", 1) == LETHE_OK);
    for (size_t row = 0; row < t->n; row++) {
        for (size_t i = 0; i < t->n_order; i++)
            put(to, table_cell(t, t->order[i], row), i == 0);
        MUST(lethe_buf_put(to, "\n", 1) == LETHE_OK);
    }
}

static void check_again(const lethe_table_read_options *how, const lethe_table *t)
{
    lethe_table_read_options strict = *how;
    lethe_buf file = {0}, again = {0};
    lethe_table *second = NULL;
    strict.strict = true;
    strict.delimiter = ',';
    write_table(&file, t);
    MUST(lethe_table_memory(ctx, (lethe_str){(char *)file.at, file.n}, &strict, &second) ==
         LETHE_OK);
    MUST(!table_fault(second) && second->n == t->n && second->counts.read == t->n);
    MUST(second->counts.invalid_utf8 == 0);
    write_table(&again, second);
    MUST(again.n == file.n && memcmp(again.at, file.at, file.n) == 0);
    for (size_t q = 0; q < t->n_qi; q++)
        MUST(second->qi[q].tree->leaves[0] == t->qi[q].tree->leaves[0]);
    lethe_table_free(second);
    lethe_buf_free(&file);
    lethe_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const uint64_t widths[] = {5, 10};
    static const lethe_ranges some = {.n = 2, .width = widths},
                              all = {.n = 2, .width = widths, .has_domain = true, .greatest = 99};
    if (!ctx) begin();
    if (n == 0) return 0;
    const lethe_tree *h[] = {data[0] & 4 ? tree : NULL, NULL};
    const lethe_ranges *r[] = {NULL, data[0] & 16 ? NULL : data[0] & 8 ? &some : &all};
    lethe_table_read_options how = {.roles = {.qi = "a,b", .sa = "s", .keep = "k"},
                                    .strict = data[0] & 1,
                                    .drop_missing = data[0] & 2,
                                    .delimiter = data[0] & 32 ? ';' : 0,
                                    .hierarchy = h,
                                    .ranges = r};
    if (data[0] & 64) how.roles = (lethe_roles){.qi = "a", .class = "s"};
    if (data[0] & 128) how.roles = (lethe_roles){.qi = "a"};
    lethe_table *t = NULL;
    lethe_err e = lethe_table_memory(ctx, (lethe_str){(const char *)data + 1, n - 1}, &how, &t);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (t != NULL));
    if (!t) return 0;
    MUST(!table_fault(t));
    MUST(t->counts.rejected <= t->counts.read / 10 && (!how.strict || t->counts.rejected == 0));
    MUST(how.drop_missing || t->counts.missing == 0);
    // leaves that the hierarchy has not got itself would be rejected; so would a longer row
    if (!h[0] && n < 100000) check_again(&how, t);
    lethe_table_free(t);
    return 0;
}
