/* SPDX-License-Identifier: Apache-2.0 */
/* table_options.c - the options that all methods over tables share, and the table read by them. */
#include "release/make/table_options.h"
#include "core/mem.h"
#include "io/write/sink.h"
#include "lexicon/hierarchies.h"
#include "model/map.h"
#include "model/table/distances.h"

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

/* The sensitive columns, and which of them need a hierarchy: t-closeness by hierarchical distance.
 */
typedef struct sensitive {
    lethe_str *name;
    size_t n, n_needed;
    bool *needs;
} sensitive;

static lethe_err sensitive_settle(lethe_diag *d, lethe_arena *a, const lethe_values *v,
                                  sensitive *out)
{
    const lethe_value *distance = lethe_value_find(v, "t-distance");
    lethe_value_distance *of;
    LETHE_TRY(lethe_names_parse(d, a, text_of(v, "sa"), &out->name, &out->n));
    LETHE_TRY(
        lethe_distances_parse(d, a, distance ? distance->text : NULL, out->name, out->n, &of));
    out->needs = lethe_new(a, bool, out->n);
    if (!out->needs) return lethe_no_memory(d);
    for (size_t i = 0; i < out->n; i++) {
        out->needs[i] = of[i] == LETHE_DISTANCE_HIERARCHICAL;
        out->n_needed += out->needs[i];
    }
    return LETHE_OK;
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
    sensitive sa = {0};
    LETHE_TRY(sensitive_settle(d, a, v, &sa));
    for (size_t i = 0; i < sa.n; i++) // likewise in sensitive.tsv
        if (sa.needs[i] && memchr(sa.name[i].at, '=', sa.name[i].n))
            return lethe_fail(d, LETHE_EUSAGE,
                              "--sa: the name of a column with a hierarchy must not hold a '='");
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
    const char *option = lethe_option_of_logs(r);
    if (option)
        return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is a table",
                          option);
    if (r->format != LETHE_FORMAT_GUESS && r->format != LETHE_FORMAT_TABLE &&
        r->format != LETHE_FORMAT_CSV)
        return lethe_fail(d, LETHE_EUSAGE, "--from: the method takes a table");
    return LETHE_OK;
}

/* A column with both a file and ranges: which of them is meant? */
static lethe_err hierarchies_fit(lethe_diag *d, const lethe_hierarchies *h, size_t n_qi,
                                 const lethe_str *qi, const lethe_ranges *const *ranges)
{
    for (size_t i = 0; i < n_qi; i++)
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
    const sensitive *sa;
    lethe_str *asked; /* the quasi-identifiers, and behind them sensitive columns that need one */
    lethe_hierarchies *into;
    const lethe_tree **tree;  /* by quasi-identifier, */
    const lethe_tree **of_sa; /* by sensitive column, as the table's reader takes them */
} hierarchies_reader;

static lethe_err sensitive_take(hierarchies_reader *r)
{
    for (size_t i = 0, at = r->n_qi; i < r->sa->n; i++) {
        if (!r->sa->needs[i]) continue;
        r->of_sa[i] = r->into->at[at++];
        if (r->of_sa[i]) continue;
        char shown[80];
        lethe_show(shown, sizeof shown, r->sa->name[i]);
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "--t-distance hierarchical: '%s' has no hierarchy in '%s'", shown,
                          r->dir);
    }
    return LETHE_OK;
}

static lethe_err read_hierarchies(void *ctx, const lethe_str *column, size_t n)
{
    hierarchies_reader *r = ctx;
    LETHE_TRY(lethe_hierarchies_of_table(r->ctx, r->dir, r->asked, r->n_qi + r->sa->n_needed,
                                         column, n, r->into));
    LETHE_TRY(hierarchies_fit(lethe_ctx_diag(r->ctx), r->into, r->n_qi, r->qi, r->ranges));
    for (size_t i = 0; i < r->n_qi; i++)
        r->tree[i] = r->into->at[i];
    return sensitive_take(r);
}

static lethe_err hierarchies_begin(hierarchies_reader *r, lethe_arena *a)
{
    size_t n = r->n_qi;
    r->asked = lethe_new(a, lethe_str, n + r->sa->n_needed);
    r->tree = lethe_new(a, const lethe_tree *, n);
    r->of_sa = lethe_new(a, const lethe_tree *, r->sa->n);
    if (!r->asked || !r->tree || !r->of_sa) return lethe_no_memory(r->ctx);
    memcpy(r->asked, r->qi, n * sizeof *r->asked);
    for (size_t i = 0; i < r->sa->n; i++)
        if (r->sa->needs[i]) r->asked[n++] = r->sa->name[i];
    // before a long input is read
    return r->dir ? lethe_hierarchies_exist(lethe_ctx_diag(r->ctx), r->dir) : LETHE_OK;
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
    if (!ranges) return lethe_no_memory(d);
    LETHE_TRY(ranges_settle(d, a, v, qi, n_qi, ranges));
    sensitive sa = {0};
    LETHE_TRY(sensitive_settle(d, a, v, &sa));
    hierarchies_reader later = {.ctx = ctx,
                                .dir = text_of(v, "hierarchies"),
                                .qi = qi,
                                .n_qi = n_qi,
                                .ranges = ranges,
                                .sa = &sa,
                                .into = h};
    LETHE_TRY(hierarchies_begin(&later, a));
    lethe_table_read_options how = {.roles = roles_of(v),
                                    .delimiter = reading->delimiter,
                                    .strict = reading->strict,
                                    .encoding = reading->encoding,
                                    .null_texts = reading->null_texts,
                                    .drop_missing = lethe_count_of(v, "missing") == 1,
                                    .hierarchy = later.tree,
                                    .ranges = ranges,
                                    .sensitive = later.of_sa,
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

/* A copy of the steps in which the last one has its digest. */
static lethe_err digest_set(lethe_arena *a, lethe_release_job *job, const lethe_value *where,
                            const char *digest)
{
    lethe_step *steps = lethe_new(a, lethe_step, job->n_steps);
    const lethe_values *v = &job->steps[job->n_steps - 1].values;
    lethe_value *at = lethe_new(a, lethe_value, v->n);
    const char *text = lethe_arena_dup(a, lethe_str_of(digest));
    if (!steps || !at || !text) return LETHE_ENOMEM;
    memcpy(steps, job->steps, job->n_steps * sizeof *steps);
    memcpy(at, v->at, v->n * sizeof *at);
    at[where - v->at] = (lethe_value){.given = true, .present = true, .text = text};
    steps[job->n_steps - 1].values.at = at;
    job->steps = steps;
    return LETHE_OK;
}

lethe_err lethe_population_settle(lethe_ctx *ctx, lethe_arena *a, lethe_release_job *job)
{
    const lethe_values *v = &job->steps[job->n_steps - 1].values;
    const lethe_value *file = lethe_value_find(v, "population"),
                      *digest = lethe_value_find(v, "population-blake2b");
    char hex[LETHE_DIGEST_CHARS + 1];
    uint64_t size;
    if (!file || !file->text || !digest) return LETHE_OK;
    LETHE_TRY(lethe_path_digest(ctx, file->text, hex, &size));
    if (digest->given && strcmp(digest->text, hex) != 0)
        return lethe_fail(ctx, LETHE_EINPUT,
                          "'%s' is not the population that is meant: its digest is %s", file->text,
                          hex);
    return digest_set(a, job, digest, hex) == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
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
