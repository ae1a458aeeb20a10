/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a table of any origin.  Every row is accounted for and has a line, values are as
 * any_table.h promises, and the table, written down, reads back the same.
 *
 * The first byte says how to read, the rest is the file. */
#include "fuzz.h"
#include "io/read/fields.h"
#include "model/table/any_table.h"

static lethe_ctx *ctx;

static void finish(void) { lethe_ctx_free(ctx); }

static void begin(void)
{
    MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
    atexit(finish);
}

static void put(lethe_buf *to, lethe_str field, bool first)
{
    MUST(field.n > 0 && field.at[0] != ' ' && field.at[field.n - 1] != ' ');
    MUST(!memchr(field.at, '\0', field.n));
    if (!first) MUST(lethe_buf_put(to, ",", 1) == LETHE_OK);
    MUST(lethe_csv_put(to, field, ',') == LETHE_OK);
}

/* After a byte order mark: the first name may begin with one too. */
static void write_table(lethe_buf *to, const lethe_any_table *t)
{
    MUST(lethe_buf_str(to, LETHE_LIT("\xEF\xBB\xBF")) == LETHE_OK);
    for (size_t c = 0; c < t->table.n_columns; c++)
        put(to, t->table.column[c].name, c == 0);
    MUST(lethe_buf_put(to, "\n", 1) == LETHE_OK);
    for (size_t i = 0; i < t->table.n; i++) {
        for (size_t c = 0; c < t->table.n_columns; c++) {
            const lethe_published_column *column = &t->table.column[c];
            MUST(column->code[i] < lethe_dict_count(column->values));
            put(to, lethe_dict_at(column->values, column->code[i]), c == 0);
        }
        MUST(lethe_buf_put(to, "\n", 1) == LETHE_OK);
    }
}

static void check_again(const lethe_any_table *t)
{
    lethe_buf file = {0}, again = {0};
    lethe_any_table *second = NULL;
    write_table(&file, t);
    MUST(lethe_any_table_memory(ctx, (lethe_str){(char *)file.at, file.n}, ',', true, &second) ==
         LETHE_OK);
    MUST(second->table.n == t->table.n && second->rejected == 0);
    write_table(&again, second);
    MUST(again.n == file.n && memcmp(again.at, file.at, file.n) == 0);
    lethe_any_table_free(second);
    lethe_buf_free(&file);
    lethe_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!ctx) begin();
    if (n == 0) return 0;
    bool strict = data[0] & 1;
    lethe_any_table *t = NULL;
    lethe_err e = lethe_any_table_memory(ctx, (lethe_str){(const char *)data + 1, n - 1},
                                         data[0] & 2 ? ';' : 0, strict, &t);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (t != NULL));
    if (!t) return 0;
    MUST(t->table.n > 0 && t->table.n + t->rejected == t->read);
    MUST(t->rejected <= t->read / 10 && (!strict || t->rejected == 0));
    for (size_t i = 0; i < t->table.n; i++)
        MUST(t->line[i] > (i > 0 ? t->line[i - 1] : 1));
    if (n < 100000) check_again(t);
    lethe_any_table_free(t);
    return 0;
}
