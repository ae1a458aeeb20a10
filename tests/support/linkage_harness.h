/* SPDX-License-Identifier: Apache-2.0 */
/* linkage_harness.h - the adversaries `linkage` and `replay` set upon logs given as text. */
#ifndef LETHE_TESTS_LINKAGE_HARNESS_H
#define LETHE_TESTS_LINKAGE_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "attack/attack.h"
#include "io/json/json.h"

typedef struct linkage {
    const char *published; /* user TAB query lines */
    const char *map;       /* lines, or NULL: none is given */
    bool own_names;        /* does the release say that users were kept? */
    bool whole;            /* lines have all columns */
    bool count_self;
} linkage;

/* Each line of `lines` with `after` at its end; the first n bytes of the result count. */
static inline char *l_lines(const char *header, const char *lines, const char *after, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    fputs(header, f);
    for (const char *at = lines; *at;) {
        const char *lf = strchr(at, '\n');
        fprintf(f, "%.*s%s\n", (int)(lf - at), at, after);
        at = lf + 1;
    }
    fclose(f);
    return text;
}

#define L_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static inline lethe_err l_run(lethe_ctx *ctx, const linkage *a, lethe_json_doc *doc,
                              lethe_json *out)
{
    char path[64], map[80];
    size_t n;
    int dirfd = o_folder(path);
    char *text = l_lines(L_HEADER, a->published, a->whole ? "" : "\t2006-03-01\t\t", &n);
    lethe_value at[2];
    lethe_values values;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_comparison c = {.ctx = ctx, .published = &p, .own_names = a->own_names};
    o_write_published(dirfd, text, n);
    if (a->map) o_write(dirfd, "map", a->map, strlen(a->map));
    snprintf(map, sizeof map, "%s/map", path);
    lethe_values_init(&values, lethe_adversary_linkage.options, at);
    c.values = &values;
    c.map = a->map ? map : NULL;
    lethe_err err = a->count_self ? lethe_values_set(&values, 0, "", NULL) : LETHE_OK;
    if (err == LETHE_OK) err = lethe_adversary_linkage.run(&c, doc, out);
    unlinkat(dirfd, "map", 0);
    o_folder_gone(dirfd, path);
    free(text);
    return err;
}

typedef struct replay {
    const char *original, *published; /* user TAB query TAB rank TAB url lines */
    const char *results;
    const lethe_json *manifest;
} replay;

/* user TAB query TAB rank TAB url lines with a time between. */
static inline char *l_clicks(const char *header, const char *lines, const char *time, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    fputs(header, f);
    for (const char *at = lines; *at;) {
        const char *user = strchr(at, '\t'), *query = strchr(user + 1, '\t');
        const char *lf = strchr(query, '\n');
        fprintf(f, "%.*s\t%s%.*s\n", (int)(query - at), at, time, (int)(lf - query), query);
        at = lf + 1;
    }
    fclose(f);
    return text;
}

static inline lethe_err l_replay(lethe_ctx *ctx, const replay *a, lethe_json_doc *doc,
                                 lethe_json *out)
{
    char path[64], results[80];
    size_t n, m;
    int dirfd = o_folder(path);
    char *original = l_clicks("", a->original, "2006-03-01 10:00:00", &n);
    char *published = l_clicks(L_HEADER, a->published, "2006-03-01", &m);
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_value at[2];
    lethe_values values;
    lethe_log *log = NULL;
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .manifest = a->manifest};
    lethe_comparison c = {.ctx = ctx, .published = &p};
    o_write_published(dirfd, published, m);
    o_write(dirfd, "results", a->results, strlen(a->results));
    snprintf(results, sizeof results, "%s/results", path);
    lethe_values_init(&values, lethe_adversary_replay.options, at);
    lethe_err err = lethe_values_set(&values, 0, results, NULL);
    c.values = &values;
    if (err == LETHE_OK) err = lethe_log_memory(ctx, (lethe_str){original, n}, &reading, &log);
    c.original = (lethe_data){.shape = LETHE_SHAPE_LOG, .log = log};
    if (err == LETHE_OK) err = lethe_adversary_replay.run(&c, doc, out);
    lethe_log_free(log);
    unlinkat(dirfd, "results", 0);
    o_folder_gone(dirfd, path);
    free(original);
    free(published);
    return err;
}

/* "components.mean" and such. */
static inline const lethe_json *l_find(const lethe_json *v, const char *path)
{
    while (v && *path) {
        char name[64];
        size_t n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        v = lethe_json_get(v, name);
        path += n + (path[n] == '.');
    }
    return v;
}
static inline double l_real(const lethe_json *v, const char *path)
{
    return lethe_json_real(l_find(v, path));
}
static inline int64_t l_count(const lethe_json *v, const char *path)
{
    return lethe_json_int(l_find(v, path));
}

#endif
