/* SPDX-License-Identifier: Apache-2.0 */
/* population.c - reads a population table: its digest, and the columns that are asked for. */
#include "model/table/population.h"
#include "core/mem.h"
#include "io/write/sink.h"

/* The names as an option has them: each in quotes, so that a comma in one is no separator. */
static lethe_err names_quote(lethe_buf *to, const lethe_str *column, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        LETHE_TRY(lethe_buf_str(to, i > 0 ? LETHE_LIT(",\"") : LETHE_LIT("\"")));
        for (size_t k = 0; k < column[i].n; k++) {
            char c = column[i].at[k];
            if (c == '"') LETHE_TRY(lethe_buf_put(to, &c, 1));
            LETHE_TRY(lethe_buf_put(to, &c, 1));
        }
        LETHE_TRY(lethe_buf_put(to, "\"", 1));
    }
    return lethe_buf_put(to, "", 1);
}

lethe_err lethe_population_read(lethe_ctx *ctx, const char *path, const lethe_str *column, size_t n,
                                lethe_tree **tree, lethe_population_table *out)
{
    lethe_population_table p = {.tree = tree};
    lethe_buf names = {0};
    uint64_t size;
    lethe_err e = names_quote(&names, column, n);
    if (e != LETHE_OK) e = lethe_no_memory(ctx);
    if (e == LETHE_OK) e = lethe_path_digest(ctx, path, p.digest, &size);
    const lethe_table_read_options how = {.roles = {.qi = (const char *)names.at}};
    if (e == LETHE_OK) e = lethe_table_read(ctx, &path, 1, &how, &p.rows);
    lethe_buf_free(&names);
    if (e == LETHE_OK) *out = p;
    return e;
}

void lethe_population_free(lethe_population_table *p)
{
    lethe_table_free(p->rows);
    *p = (lethe_population_table){.rows = NULL};
}
