/* SPDX-License-Identifier: Apache-2.0 */
/* bind.c - a log or a file of records becomes records whose items are leaves of a taxonomy. */
#include "release/make/bind.h"
#include "io/read/source.h"
#include "lexicon/taxonomy.h"
#include "model/records/record_map.h"
#include "core/sort.h"
#include <stdlib.h>

void lethe_bound_records_free(lethe_bound_records *s)
{
    lethe_records_free(s->records);
    lethe_tree_free(s->tree);
    *s = (lethe_bound_records){0};
}

/* --- records, or a log? --- */

enum { LOOK_BYTES = 1 << 16 };

/* The first bytes of a file, decompressed. */
static lethe_err look(lethe_diag *d, const char *path, const char *encoding, uint8_t *buf,
                      size_t *n)
{
    lethe_source *s;
    size_t got = 1;
    *n = 0;
    LETHE_TRY(lethe_source_open_text(d, path, encoding, true, &s));
    lethe_err e = LETHE_OK;
    while (e == LETHE_OK && got > 0 && *n < LOOK_BYTES) {
        e = lethe_source_read(s, buf + *n, LOOK_BYTES - *n, &got);
        if (e == LETHE_OK) *n += got;
    }
    lethe_source_close(s);
    return e;
}

/* Could the line have a log's columns, of which there are three or more? */
static bool has_columns(const uint8_t *line, size_t n)
{
    static const char delimiters[] = "\t,;|";
    size_t seen[sizeof delimiters] = {0};
    for (size_t i = 0; i < n; i++) {
        const char *d = line[i] ? strchr(delimiters, line[i]) : NULL;
        if (d && ++seen[d - delimiters] == 2) return true;
    }
    return false;
}

/* Nearly all lines of a log have columns, and of records nearly none: more than a tenth that are
 * otherwise would be refused in either case, so it is enough to look at which are more. */
static bool looks_like_records(const uint8_t *text, size_t n)
{
    size_t with = 0, without = 0;
    if (n == 0 || text[0] == '{' || text[0] == '#') return false;
    for (size_t from = 0; from < n;) {
        const uint8_t *lf = memchr(text + from, '\n', n - from);
        size_t length = lf ? (size_t)(lf - text) - from : n - from;
        *(has_columns(text + from, length) ? &with : &without) += 1;
        from += length + 1;
    }
    return with < without;
}

/* What tells how to read a log would be ignored, and a filter be believed to have been at work. */
static lethe_err records_reading_check(lethe_diag *d, const lethe_read_options *r)
{
    lethe_read_options of_log = *r;
    if (r->columns && lethe_columns_of_records(r->columns)) of_log.columns = NULL;
    const char *option = lethe_option_of_logs(&of_log);
    if (option && strcmp(option, "columns") == 0)
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--columns '%s': the columns of records are person= and item=", r->columns);
    if (!option && r->null_texts)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--null applies to logs and tables, and the input is records");
    if (!option) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is records", option);
}

lethe_err lethe_inputs_are_records(lethe_ctx *ctx, const char *const *paths, size_t n,
                                   const lethe_read_options *reading, bool *are)
{
    *are = reading->format == LETHE_FORMAT_RECORDS ||
           (reading->format == LETHE_FORMAT_GUESS && reading->columns &&
            lethe_columns_of_records(reading->columns));
    bool told = reading->format != LETHE_FORMAT_GUESS || reading->delimiter ||
                lethe_option_of_logs(reading);
    if (*are) return records_reading_check(lethe_ctx_diag(ctx), reading);
    lethe_source_form form = LETHE_SOURCE_TEXT;
    if (n > 0) LETHE_TRY(lethe_source_form_of(lethe_ctx_diag(ctx), paths[0], &form));
    *are = form == LETHE_SOURCE_SETS && reading->format == LETHE_FORMAT_GUESS;
    if (*are) return records_reading_check(lethe_ctx_diag(ctx), reading);
    // What is looked at must be there again when it is read: a pipe's first bytes would be lost.
    if (told || n == 0 || form != LETHE_SOURCE_TEXT ||
        lethe_source_is_once(lethe_ctx_diag(ctx), paths[0]))
        return LETHE_OK;
    size_t got = 0;
    uint8_t *buf = lethe_alloc(LOOK_BYTES, 1);
    if (!buf) return lethe_no_memory(ctx);
    lethe_err e = look(lethe_ctx_diag(ctx), paths[0], reading->encoding, buf, &got);
    *are = e == LETHE_OK && looks_like_records(buf, got);
    lethe_free(buf);
    return e == LETHE_OK && *are ? records_reading_check(lethe_ctx_diag(ctx), reading) : e;
}

/* --- what the options mean --- */

typedef struct binder {
    lethe_ctx *ctx;
    const lethe_values *values;
    bool of_log, strict;
    bool wordnet; /* is WordNet the taxonomy? */
    bool nouns, merge;
    lethe_wordnet *wn;
    const lethe_sensitive *marks; /* NULL: none */
    lethe_sensitive *list;        /* they, where they were read here */
} binder;

static const char *const of_logs[] = {"gap", "clicked", "terms"};

bool lethe_is_log_option(const char *option)
{
    bool is = false;
    for (size_t i = 0; i < LETHE_COUNT(of_logs); i++)
        is = is || strcmp(option, of_logs[i]) == 0;
    return is;
}

static lethe_err binder_begin(binder *s)
{
    const lethe_value *terms = lethe_value_find(s->values, "terms"),
                      *taxonomy = lethe_value_find(s->values, "taxonomy"),
                      *synonyms = lethe_value_find(s->values, "synonyms");
    s->wordnet = taxonomy && taxonomy->word;
    s->nouns = terms && terms->given ? terms->count == 0 : s->wordnet;
    s->merge = synonyms && synonyms->count == 1;
    lethe_diag *d = lethe_ctx_diag(s->ctx);
    for (size_t i = 0; i < LETHE_COUNT(of_logs) && !s->of_log; i++)
        if (lethe_is_given(s->values, of_logs[i]))
            return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is records",
                              of_logs[i]);
    if (!s->of_log && lethe_value_find(s->values, "taxonomy") &&
        !lethe_is_given(s->values, "taxonomy"))
        return lethe_fail(d, LETHE_EUSAGE,
                          "records need --taxonomy: wordnet, or a file that says what their items "
                          "can be generalized to");
    if (s->merge && !s->wordnet && !s->nouns)
        return lethe_fail(d, LETHE_EUSAGE, "--synonyms merge needs WordNet's nouns");
    if (s->wordnet || (s->of_log && s->nouns)) LETHE_TRY(lethe_wordnet_open(s->ctx, NULL, &s->wn));
    // the list, with names as the items will have them.
    const lethe_value *path = lethe_value_find(s->values, "sensitive");
    if (s->marks || !path || !path->given || !path->text) return LETHE_OK;
    lethe_naming naming = s->of_log ? LETHE_NAMES_TERMS : LETHE_NAMES_ITEMS;
    LETHE_TRY(lethe_sensitive_read(s->ctx, path->text, naming, &s->list));
    s->marks = s->list;
    bool of_queries = s->of_log && s->nouns;
    if (!s->wordnet && !of_queries) return LETHE_OK;
    return lethe_sensitive_nouns(s->ctx, s->wn, s->merge, of_queries, s->list);
}

static void binder_end(binder *s)
{
    lethe_wordnet_free(s->wn);
    lethe_sensitive_free(s->list);
}

/* --- binding --- */

/* Did lethe_tree_grow() make this leaf?  It stands right behind its node, and is called after it.
 */
static bool is_own_leaf(const lethe_tree *t, uint32_t v)
{
    if (v == 0 || t->parent[v] != v - 1) return false;
    lethe_str name = lethe_tree_name(t, v), above = lethe_tree_name(t, v - 1);
    size_t marks = name.n > above.n ? name.n - above.n : 0;
    for (size_t i = 0; i < marks; i++)
        if (name.at[i] != '=') return false;
    return marks > 0 && memcmp(name.at + marks, above.at, above.n) == 0;
}

static bool has_own_leaves(const lethe_records *r, const lethe_tree *t)
{
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        if (is_own_leaf(t, r->item[i])) return true;
    return false;
}

/* Absent items are counted in leaves, which a verifier can check by a digest of the taxonomy. */
static bool wants_digest(const lethe_values *v)
{
    const lethe_value *taxonomy = lethe_value_find(v, "taxonomy"), *n = lethe_value_find(v, "n");
    bool of_input = taxonomy && taxonomy->word && taxonomy->count == 1; // wordnet:present
    return taxonomy && !of_input && n && n->count > 0;
}

/* Takes `r` over. */
static lethe_err raw_bind(binder *s, lethe_records *r, lethe_bound_records *out)
{
    const lethe_value *taxonomy = lethe_value_find(s->values, "taxonomy");
    lethe_binding how = {.name = taxonomy ? taxonomy->text : NULL,
                         .wn = s->wn,
                         .merge = s->merge && s->wordnet,
                         .naming = s->of_log ? LETHE_NAMES_TERMS : LETHE_NAMES_ITEMS,
                         .strict = s->strict,
                         .sensitive = s->marks,
                         .digest = wants_digest(s->values) ? out->digest : NULL};
    LETHE_TRY(lethe_taxonomy_bind_as(s->ctx, &how, r, &out->records, &out->tree));
    if (lethe_is_given(s->values, "distinct")) {
        // one copy of each item, in place
        uint64_t *start = (uint64_t *)out->records->start, from = 0,
                 kept = 0; // ours: in the records' own arena
        uint32_t *item = (uint32_t *)out->records->item;
        for (size_t i = 0; i < out->records->n; i++) {
            uint64_t end = start[i + 1], first = kept;
            qsort(item + from, end - from, sizeof *item, lethe_u32_cmp);
            for (; from < end; from++)
                if (kept == first || item[kept - 1] != item[from]) item[kept++] = item[from];
            start[i + 1] = kept;
        }
    }
    out->has_own_leaves = has_own_leaves(out->records, out->tree);
    return LETHE_OK;
}

/* --- from a log, and from files --- */

static lethe_err log_records(binder *s, lethe_log *log, bool places,
                             lethe_log_records_result *counts, lethe_records **out)
{
    const lethe_value *gap = lethe_value_of(s->values, "gap");
    return lethe_log_to_records(
        s->ctx, log,
        &(lethe_log_records_options){.gap_s = gap->word ? LETHE_GAP_ALL : gap->count,
                                     .clicked = lethe_is_given(s->values, "clicked"),
                                     .distinct = lethe_is_given(s->values, "distinct"),
                                     .nouns = s->nouns ? s->wn : NULL,
                                     .merge = s->merge,
                                     .also = s->marks ? s->marks->names : NULL,
                                     .no_hashes = true,
                                     .places = places},
        counts, out);
}

lethe_err lethe_bind_log(lethe_ctx *ctx, lethe_log *log, const lethe_values *v,
                         const lethe_sensitive *marks, bool strict, lethe_bound_records *out)
{
    binder s = {.ctx = ctx, .values = v, .of_log = true, .strict = strict, .marks = marks};
    lethe_log_records_result counts;
    lethe_records *r = NULL;
    *out = (lethe_bound_records){0};
    lethe_err e = binder_begin(&s);
    if (e == LETHE_OK) e = log_records(&s, log, false, &counts, &r);
    if (e == LETHE_OK) {
        const lethe_read_counts *c = lethe_log_counts(log);
        out->rows_unused = c->rows - c->filtered;
        for (size_t i = 0; i < r->n; i++)
            out->rows_unused -= r->lines[i];
        e = raw_bind(&s, r, out);
    }
    binder_end(&s);
    return e;
}

static int by_record(const void *a, const void *b)
{
    const lethe_mapped_record *x = a, *y = b;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Each record once for each of its lines in the map; one without a line once, if it has an item. */
static lethe_err repeat_by_map(lethe_records *r, lethe_row_map *map, lethe_arena *a,
                               uint64_t **line, bool **again)
{
    size_t n = 0, m = 0, most = r->n + map->n;
    uint32_t *from = lethe_new(a, uint32_t, most + 1);
    *line = lethe_new(a, uint64_t, most + 1);
    *again = lethe_new(a, bool, most + 1);
    if (!from || !*line || !*again) return LETHE_ENOMEM;
    if (map->n > 1) qsort(map->at, map->n, sizeof *map->at, by_record);
    for (uint32_t i = 0; i < r->n; i++) {
        size_t first = n;
        for (; m < map->n && map->at[m].record == i; m++, n++)
            (*line)[n] = map->at[m].line;
        if (n == first && lethe_record_size(r, i) > 0) (*line)[n++] = LETHE_NOT_PUBLISHED;
        for (size_t k = first; k < n; k++) {
            from[k] = i;
            (*again)[k] = k > first;
        }
    }
    return lethe_records_choose(r, from, n);
}

lethe_err lethe_bind_log_by_map(lethe_ctx *ctx, lethe_log *log, const lethe_values *v,
                                const lethe_sensitive *marks, bool strict,
                                const lethe_row_map_of *map, lethe_arena *a,
                                lethe_bound_records *out, uint64_t **line, bool **again)
{
    binder s = {.ctx = ctx, .values = v, .of_log = true, .strict = strict, .marks = marks};
    lethe_log_records_result counts = {0};
    lethe_row_map read = {0};
    lethe_records *r = NULL;
    *out = (lethe_bound_records){0};
    lethe_err e = binder_begin(&s);
    if (e == LETHE_OK) e = log_records(&s, log, true, &counts, &r);
    if (e == LETHE_OK)
        e = lethe_row_map_read(ctx, map->path, map->digest, r, &counts.places, map->n_published,
                               &read);
    if (e == LETHE_OK) {
        e = repeat_by_map(r, &read, a, line, again);
        if (e != LETHE_OK) e = lethe_no_memory(ctx);
    }
    if (e == LETHE_OK)
        e = raw_bind(&s, r, out);
    else
        lethe_records_free(r);
    lethe_free(counts.places.at);
    lethe_free(read.at);
    binder_end(&s);
    return e;
}

lethe_err lethe_bind_files(lethe_ctx *ctx, const char *const *paths, size_t n,
                           const lethe_values *v, const lethe_sensitive *marks,
                           const lethe_read_options *reading, lethe_bound_records *out)
{
    binder s = {.ctx = ctx, .values = v, .strict = reading->strict, .marks = marks};
    lethe_records *r = NULL;
    *out = (lethe_bound_records){0};
    lethe_err e = binder_begin(&s);
    lethe_ctx_phase(ctx, "reading", 0);
    if (e == LETHE_OK) e = lethe_records_read(ctx, paths, n, reading, &r);
    if (e == LETHE_OK) e = raw_bind(&s, r, out);
    binder_end(&s);
    return e;
}

lethe_err lethe_bind_raw(lethe_ctx *ctx, lethe_records *raw, const lethe_values *v,
                         const lethe_sensitive *marks, bool strict, lethe_bound_records *out)
{
    binder s = {.ctx = ctx, .values = v, .strict = strict, .marks = marks};
    *out = (lethe_bound_records){0};
    lethe_err e = binder_begin(&s);
    if (e == LETHE_OK)
        e = raw_bind(&s, raw, out);
    else
        lethe_records_free(raw);
    binder_end(&s);
    return e;
}

bool lethe_merges_persons(const lethe_method *m, const lethe_values *v)
{
    return m->sets && lethe_count_of(v, "persons") == 0;
}

bool lethe_names_rows(const lethe_method *m, const lethe_values *v, size_t n_steps)
{
    return n_steps > 1 && !lethe_merges_persons(m, v);
}

lethe_err lethe_bound_to_sets(lethe_ctx *ctx, const lethe_method *m, const lethe_values *v,
                              lethe_bound_records *s)
{
    lethe_records *r = s->records;
    if (!m->sets) return LETHE_OK;
    s->records = NULL;
    return lethe_records_sets(ctx, r, lethe_merges_persons(m, v), &s->records);
}
