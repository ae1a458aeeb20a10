/* SPDX-License-Identifier: Apache-2.0 */
/* table_options.c - the options that all methods over tables share, and the table read by them. */
#include "release/make/table_options.h"
#include "core/mem.h"
#include "lexicon/hierarchies.h"

static const char *text_of(const lethe_values *v, const char *name)
{
    return lethe_value_of(v, name)->text;
}

static lethe_roles roles_of(const lethe_values *v)
{
    return (lethe_roles){.qi = text_of(v, "qi"),
                         .sa = text_of(v, "sa"),
                         .class = text_of(v, "class"),
                         .keep = text_of(v, "keep")};
}

lethe_err lethe_table_qi(lethe_diag *d, lethe_arena *a, const lethe_values *v, lethe_str **qi,
                         size_t *n)
{
    return lethe_names_parse(d, a, text_of(v, "qi"), qi, n);
}

static size_t find(const lethe_str *name, size_t n, lethe_str wanted)
{
    size_t i = 0;
    while (i < n && !lethe_str_eq(name[i], wanted))
        i++;
    return i;
}

/* Ranges for columns that are there, each once; by column in `of`. */
static lethe_err ranges_settle(lethe_diag *d, lethe_arena *a, const lethe_values *v,
                               const lethe_str *qi, size_t n, const lethe_ranges **of)
{
    lethe_ranges *ranges = NULL;
    size_t n_ranges = 0;
    if (!text_of(v, "ranges")) return LETHE_OK;
    LETHE_TRY(lethe_ranges_parse(d, a, text_of(v, "ranges"), &ranges, &n_ranges));
    for (size_t i = 0; i < n_ranges; i++) {
        size_t at = find(qi, n, ranges[i].column);
        if (at == n)
            return lethe_column_unknown(d,
                                        &(lethe_column_asked){.err = LETHE_EUSAGE,
                                                              .option = "--ranges",
                                                              .among = "the columns of --qi"},
                                        ranges[i].column, qi, n);
        if (of[at])
            return lethe_fail(d, LETHE_EUSAGE, "--ranges: '%.*s' is given twice",
                              (int)ranges[i].column.n, ranges[i].column.at);
        of[at] = &ranges[i];
    }
    return LETHE_OK;
}

static lethe_err options_check(lethe_diag *d, lethe_arena *a, const lethe_values *v)
{
    lethe_str *qi;
    size_t n;
    lethe_roles roles = roles_of(v);
    LETHE_TRY(lethe_roles_check(d, &roles));
    LETHE_TRY(lethe_table_qi(d, a, v, &qi, &n));
    // in taxonomy.tsv a value is written COLUMN=value.
    for (size_t i = 0; i < n; i++)
        if (memchr(qi[i].at, '=', qi[i].n) || memchr(qi[i].at, '\t', qi[i].n))
            return lethe_fail(d, LETHE_EUSAGE,
                              "--qi: the name of a column must not hold a '=' or a tab");
    const lethe_ranges **of = lethe_new(a, const lethe_ranges *, n);
    return of ? ranges_settle(d, a, v, qi, n, of) : lethe_no_memory(d);
}

lethe_err lethe_table_options_check(lethe_diag *d, const lethe_values *v)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? options_check(d, a, v) : lethe_no_memory(d);
    lethe_arena_free(a);
    return e;
}

lethe_err lethe_table_reading_check(lethe_diag *d, const lethe_read_options *r)
{
    const char *option = r->has_users_with ? "users-with" : r->columns ? "columns" : NULL;
    if (option)
        return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is a table",
                          option);
    if (r->format != LETHE_FORMAT_GUESS && r->format != LETHE_FORMAT_TABLE &&
        r->format != LETHE_FORMAT_CSV)
        return lethe_fail(d, LETHE_EUSAGE, "--from: the method takes a table");
    return LETHE_OK;
}

/* A column with both a file and ranges: which of them is meant? */
static lethe_err hierarchies_fit(lethe_diag *d, const lethe_hierarchies *h, const lethe_str *qi,
                                 const lethe_ranges *const *ranges)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i] && ranges[i])
            return lethe_fail(d, LETHE_EUSAGE,
                              "'%.*s' has both a hierarchy in the folder and --ranges",
                              (int)qi[i].n, qi[i].at);
    return LETHE_OK;
}

/* The hierarchies, for which the columns of the table must be known: which file is for which. */
typedef struct hierarchies_reader {
    lethe_ctx *ctx;
    const char *dir;
    const lethe_str *qi;
    size_t n_qi;
    const lethe_ranges *const *ranges;
    lethe_hierarchies *into;
    const lethe_tree **tree; /* by quasi-identifier, as the table's reader takes them */
} hierarchies_reader;

static lethe_err read_hierarchies(void *ctx, const lethe_str *column, size_t n)
{
    hierarchies_reader *r = ctx;
    LETHE_TRY(lethe_hierarchies_of_table(r->ctx, r->dir, r->qi, r->n_qi, column, n, r->into));
    LETHE_TRY(hierarchies_fit(lethe_ctx_diag(r->ctx), r->into, r->qi, r->ranges));
    for (size_t i = 0; i < r->n_qi; i++)
        r->tree[i] = r->into->at[i];
    return LETHE_OK;
}

static lethe_err table_read(lethe_ctx *ctx, lethe_arena *a, const char *const *paths, size_t n,
                            const lethe_read_options *reading, const lethe_values *v,
                            lethe_hierarchies *h, lethe_table **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_str *qi;
    size_t n_qi;
    LETHE_TRY(lethe_table_qi(d, a, v, &qi, &n_qi));
    const lethe_ranges **ranges = lethe_new(a, const lethe_ranges *, n_qi);
    const lethe_tree **tree = lethe_new(a, const lethe_tree *, n_qi);
    if (!ranges || !tree) return lethe_no_memory(d);
    LETHE_TRY(ranges_settle(d, a, v, qi, n_qi, ranges));
    hierarchies_reader later = {.ctx = ctx,
                                .dir = text_of(v, "hierarchies"),
                                .qi = qi,
                                .n_qi = n_qi,
                                .ranges = ranges,
                                .into = h,
                                .tree = tree};
    if (later.dir) LETHE_TRY(lethe_hierarchies_exist(d, later.dir)); // before a long input is read
    lethe_table_read_options how = {.roles = roles_of(v),
                                    .delimiter = reading->delimiter,
                                    .strict = reading->strict,
                                    .drop_missing = lethe_count_of(v, "missing") == 1,
                                    .hierarchy = tree,
                                    .ranges = ranges,
                                    .columns_seen = later.dir ? read_hierarchies : NULL,
                                    .seen_ctx = &later};
    return lethe_table_read(ctx, paths, n, &how, out);
}

lethe_err lethe_table_from_files(lethe_ctx *ctx, const char *const *paths, size_t n,
                                 const lethe_read_options *reading, const lethe_values *v,
                                 lethe_table **out)
{
    lethe_hierarchies h = {0};
    LETHE_TRY(lethe_table_reading_check(lethe_ctx_diag(ctx), reading));
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? table_read(ctx, a, paths, n, reading, v, &h, out) : lethe_no_memory(ctx);
    lethe_hierarchies_free(&h);
    lethe_arena_free(a);
    return e;
}

size_t lethe_table_caveats(const lethe_chain *c, const lethe_publish_options *how,
                           const char *out[LETHE_MAX_CAVEATS])
{
    size_t n = 0;
    const lethe_values *v = &c->last->values;
    const lethe_value *hierarchies = lethe_value_of(v, "hierarchies");
    (void)how;
    if (lethe_value_of(v, "keep")->given || lethe_value_of(v, "class")->given)
        out[n++] =
            "Columns that are kept, and the class, are published unchanged: nothing protects them, "
            "and anyone who knows them of a person can use them to find the row.";
    out[n++] =
        hierarchies->given
            ? "The hierarchy of a column for which none was given was made from the values that "
              "are present, and shows which ones these are. A value that is missing, or names an "
              "inner node, has a leaf of its own, which the number of leaves shows."
            : "Hierarchies that were made from the values that are present show which ones these "
              "are, including the least and the greatest number.";
    return n;
}
