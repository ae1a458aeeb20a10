/* SPDX-License-Identifier: Apache-2.0 */
/* parts_harness.h - does what an engine does that spreads the rows of a log over machines: runs
 * `part` on some rows, adds up the reports, writes the lines in parts with an account.  After
 * release_harness.h. */
#ifndef LETHE_TESTS_PARTS_HARNESS_H
#define LETHE_TESTS_PARTS_HARNESS_H
#include "io/json/json.h"
#include "lethe/call.h"
#include <math.h>

/* --- lines --- */

typedef struct lines {
    char **at;
    size_t n, cap;
} lines;

static inline void lines_add(lines *to, char *line) /* takes it over */
{
    if (to->n == to->cap) {
        to->cap = to->cap ? 2 * to->cap : 16;
        to->at = realloc(to->at, to->cap * sizeof *to->at);
        if (!to->at) abort();
    }
    to->at[to->n++] = line;
}

static inline void lines_free(lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    free(l->at);
    *l = (lines){0};
}

static inline int lines_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b); // compares as unsigned char
}

static inline void lines_sort(lines *l)
{
    if (l->n > 1) qsort(l->at, l->n, sizeof *l->at, lines_compare);
}

/* Column c of a line whose columns have tabs between them, malloc'd. */
static inline char *line_column(const char *line, size_t c)
{
    for (; c > 0; c--)
        line = strchr(line, '\t') + 1;
    return strndup(line, strcspn(line, "\t"));
}

static inline void array_value(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a,
                               int64_t i)
{
    const uint8_t *valid = a->buffers[0];
    const int32_t *ends = a->buffers[1];
    if (valid && !(valid[i / 8] >> i % 8 & 1)) return;
    if (strcmp(s->format, "l") == 0)
        fprintf(f, "%lld", (long long)((const int64_t *)a->buffers[1])[i]);
    else if (strcmp(s->format, "u") == 0)
        fwrite((const char *)a->buffers[2] + ends[i], 1, (size_t)(ends[i + 1] - ends[i]), f);
    else
        abort();
}

/* Adds the rows of a stream, which is released; `names` gets those of the columns. */
static inline void stream_lines(struct ArrowArrayStream *in, lines *to, char names[128])
{
    struct ArrowSchema schema;
    struct ArrowArray a;
    char *line;
    size_t n;
    if (in->get_schema(in, &schema) != 0) abort();
    names[0] = '\0';
    for (int64_t c = 0; c < schema.n_children; c++) {
        strcat(names, c ? " " : "");
        strcat(names, schema.children[c]->name);
    }
    while (in->get_next(in, &a) == 0 && a.release) {
        for (int64_t i = 0; i < a.length; i++) {
            FILE *f = open_memstream(&line, &n);
            for (int64_t c = 0; c < a.n_children; c++) {
                if (c > 0) fputc('\t', f);
                array_value(f, schema.children[c], a.children[c], i);
            }
            fclose(f);
            lines_add(to, line);
        }
        a.release(&a);
    }
    schema.release(&schema);
    in->release(in);
}

/* --- reports --- */

static inline bool has_text(const lethe_json *array, lethe_str text)
{
    for (size_t i = 0; i < lethe_json_count(array); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(array, i)), text)) return true;
    return false;
}

/* The sum of two reports, in which every number counts something; lists are united. */
static inline lethe_json *json_sum(lethe_json_doc *doc, const lethe_json *a, const lethe_json *b)
{
    lethe_json *sum;
    if (!a || !b) return lethe_json_copy(doc, a ? a : b);
    switch (lethe_json_kind(a)) {
    case LETHE_JSON_INT:
        return lethe_json_new_int(doc, lethe_json_int(a) + lethe_json_int(b));
    case LETHE_JSON_OBJECT:
        sum = lethe_json_copy(doc, a);
        for (size_t i = 0; i < lethe_json_count(b); i++) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(b, i).n,
                     lethe_json_name(b, i).at);
            lethe_json_set(doc, sum, name,
                           json_sum(doc, lethe_json_get(a, name), lethe_json_at(b, i)));
        }
        return sum;
    case LETHE_JSON_ARRAY:
        sum = lethe_json_copy(doc, a);
        for (size_t i = 0; i < lethe_json_count(b); i++)
            if (!has_text(a, lethe_json_text(lethe_json_at(b, i))))
                lethe_json_push(doc, sum, lethe_json_copy(doc, lethe_json_at(b, i)));
        return sum;
    default:
        return lethe_json_copy(doc, b);
    }
}

/* Without one member. */
static inline lethe_json *json_less(lethe_json_doc *doc, const lethe_json *a, const char *without)
{
    lethe_json *out = lethe_json_object(doc);
    for (size_t i = 0; i < lethe_json_count(a); i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(a, i).n, lethe_json_name(a, i).at);
        if (strcmp(name, without) != 0)
            lethe_json_set(doc, out, name, lethe_json_copy(doc, lethe_json_at(a, i)));
    }
    return out;
}

static inline int64_t member(const lethe_json *of, const char *name)
{
    return lethe_json_int(lethe_json_get(of, name));
}

/* Means of split as sums, which can be added; and back. */
static inline lethe_json *split_countable(lethe_json_doc *doc, const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics"),
                     *mean = lethe_json_get(metrics, "queries_per_persona");
    lethe_json *all = lethe_json_copy(doc, report), *own = lethe_json_copy(doc, metrics);
    if (!mean) return all;
    double queries = lethe_json_real(mean) * (double)member(metrics, "personas");
    lethe_json_set(doc, own, "personas_per_user", lethe_json_new_int(doc, 0));
    lethe_json_set(doc, own, "queries_per_persona", lethe_json_new_int(doc, llround(queries)));
    lethe_json_set(doc, all, "metrics", own);
    return all;
}

static inline void split_means(lethe_json_doc *doc, lethe_json *metrics)
{
    if (!lethe_json_get(metrics, "queries_per_persona")) return;
    double personas = (double)member(metrics, "personas"),
           queries = (double)member(metrics, "queries_per_persona"),
           users = (double)member(metrics, "users");
    lethe_json_set(doc, metrics, "personas_per_user",
                   lethe_json_new_real(doc, users > 0 ? personas / users : 0));
    lethe_json_set(doc, metrics, "queries_per_persona",
                   lethe_json_new_real(doc, personas > 0 ? queries / personas : 0));
}

/* --- calls --- */

/* As the program asks it; *report, NULL allowed, is to be freed by lethe_text_free(). */
__attribute__((format(printf, 4, 5))) static inline lethe_err
ask(lethe_ctx *ctx, struct ArrowArrayStream *out, char **report, const char *fmt, ...)
{
    char *request;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&request, fmt, args) < 0) abort();
    va_end(args);
    struct ArrowArrayStream *const outs[] = {out};
    lethe_err e = lethe_call(ctx, request, NULL, 0, outs, out != NULL, report);
    free(request);
    return e;
}

/* A chain, and how it is published: JSON. */
typedef struct chain {
    const char *steps, *publish;
} chain;

/* Steps [first, end) over the rows of a file; lines of data.tsv where `lines`. */
static inline lethe_err part_of(lethe_ctx *ctx, const chain *c, const char *path, size_t first,
                                size_t end, bool lines_wanted, lines *out, lethe_json_doc *doc,
                                lethe_json **report)
{
    struct ArrowArrayStream stream = {0};
    char names[128], *text = NULL;
    lethe_json_doc *own;
    lethe_json *read;
    lethe_err e =
        ask(ctx, &stream, &text,
            "{\"command\": \"part\", \"inputs\": [{\"path\": \"%s\"}], \"steps\": %s, "
            "\"publish\": %s, \"options\": {\"first\": %zu, \"end\": %zu, \"lines\": %s}, "
            "\"output\": {\"stream\": 0}}",
            path, c->steps, c->publish, first, end, lines_wanted ? "true" : "false");
    if (e != LETHE_OK) return e;
    stream_lines(&stream, out, names);
    if (strcmp(names, lines_wanted ? "line" : "owner user query time rank url") != 0) abort();
    if (lethe_json_read(text, &own, &read) != LETHE_OK) abort();
    *report = split_countable(doc, read);
    lethe_json_doc_free(own);
    lethe_text_free(text);
    return e;
}

/* --- what was counted, and the files --- */

typedef struct account {
    lethe_json_doc *doc;
    lethe_json *metrics, *caveats;
    int64_t read, rejected, suppressed, invalid, published;
    bool renamed;
    char head[256];
} account;

static inline void account_begin(account *a)
{
    *a = (account){.doc = lethe_json_doc_new()};
    a->metrics = lethe_json_object(a->doc);
    a->caveats = lethe_json_array(a->doc);
}

/* The sum of what the parts of a stage have reported. */
static inline void account_stage(account *a, const lethe_json *report, bool is_first)
{
    const lethe_json *counts = lethe_json_get(report, "counts"),
                     *caveats = lethe_json_get(report, "caveats");
    lethe_str head = lethe_json_text(lethe_json_get(report, "head"));
    lethe_json *metrics = lethe_json_copy(a->doc, lethe_json_get(report, "metrics"));
    split_means(a->doc, metrics);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(metrics, i).n,
                 lethe_json_name(metrics, i).at);
        lethe_json_set(a->doc, a->metrics, name,
                       lethe_json_copy(a->doc, lethe_json_at(metrics, i)));
    }
    a->caveats = json_sum(a->doc, a->caveats, caveats);
    a->suppressed += member(counts, "suppressed");
    snprintf(a->head, sizeof a->head, "%.*s", (int)head.n, head.at);
    if (member(counts, "urls_uncut") > 0)
        lethe_json_set(a->doc, a->metrics, "urls_uncut",
                       lethe_json_new_int(a->doc, member(counts, "urls_uncut")));
    if (!is_first) return;
    a->read = member(counts, "read");
    a->rejected = member(counts, "rejected");
    a->invalid = member(counts, "invalid_utf8");
}

static inline lethe_json *account_json(account *a)
{
    lethe_json *all = lethe_json_object(a->doc), *counts = lethe_json_object(a->doc);
    const struct {
        const char *name;
        int64_t n;
    } of[] = {{"read", a->read},
              {"published", a->published},
              {"suppressed", a->suppressed},
              {"rejected", a->rejected},
              {"invalid_utf8", a->invalid}};
    for (size_t i = 0; i < LETHE_COUNT(of); i++)
        lethe_json_set(a->doc, counts, of[i].name, lethe_json_new_int(a->doc, of[i].n));
    lethe_json_set(a->doc, all, "counts", counts);
    lethe_json_set(a->doc, all, "metrics", lethe_json_copy(a->doc, a->metrics));
    lethe_json_set(a->doc, all, "caveats", lethe_json_copy(a->doc, a->caveats));
    if (!a->renamed) return all;
    lethe_json *persons = lethe_json_object(a->doc);
    lethe_json_set(a->doc, persons, "query", lethe_json_new_text(a->doc, lethe_str_of("")));
    lethe_json_set(a->doc, persons, "persons", lethe_json_new_int(a->doc, 1));
    lethe_json_set(a->doc, all, "persons", persons);
    return all;
}

static inline void account_end(account *a) { lethe_json_doc_free(a->doc); }

static inline void json_write_file(const char *path, const lethe_json *v)
{
    char *text = lethe_json_write(v, 0, NULL);
    g_write(path, text);
    lethe_json_text_free(text);
}

/* Sorted lines as parts: `ends` says after how many lines each but the last ends. */
static inline void parts_write(const char *dir, const account *a, const lines *l,
                               const size_t *ends, size_t n_ends)
{
    size_t i = 0;
    for (size_t part = 0; part <= n_ends; part++) {
        char path[320];
        snprintf(path, sizeof path, "%s/part-%05zu.tsv", dir, part);
        FILE *f = fopen(path, "w");
        if (!f) abort();
        if (part == 0) fputs(a->head, f);
        for (; i < (part < n_ends ? ends[part] : l->n); i++)
            fprintf(f, "%s\n", l->at[i]);
        fclose(f);
    }
}

/* All parts of a release, one after the other; malloc'd. */
static inline char *parts_read(const char *dir)
{
    char *all = calloc(1, 1), path[320];
    for (size_t part = 0;; part++) {
        snprintf(path, sizeof path, "%s/part-%05zu.tsv", dir, part);
        char *text = g_read(path);
        if (!text) return all;
        all = realloc(all, strlen(all) + strlen(text) + 1);
        strcat(all, text);
        free(text);
    }
}

/* A manifest without the names and digests of its files, to be freed by lethe_json_text_free(). */
static inline char *manifest_less_files(const char *dir)
{
    char path[320];
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    char *text = g_read(path);
    lethe_json_doc *doc;
    lethe_json *m;
    if (!text || lethe_json_read(text, &doc, &m) != LETHE_OK) abort();
    char *out = lethe_json_write(json_less(doc, m, "files"), 1, NULL);
    lethe_json_doc_free(doc);
    free(text);
    return out;
}

#endif
