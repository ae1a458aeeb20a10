/* SPDX-License-Identifier: Apache-2.0 */
/* identity_harness.h - the adversary `identity` set upon a log and its release, both from text. */
#ifndef LETHE_TESTS_IDENTITY_HARNESS_H
#define LETHE_TESTS_IDENTITY_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "attack/attack.h"
#include "model/knowledge/truth.h"

typedef struct attack {
    const char *original, *published; /* log lines: user TAB query TAB time */
    const char *truth;                /* with header */
    const char *map;                  /* lines, or NULL: none is given */
    const char *known;                /* NULL: the default */
    bool keep_users;                  /* does the release say so? */
} attack;

/* user TAB query lines as a published log. */
static inline void a_publish(int dirfd, const char *lines)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (const char *at = lines; *at;) {
        const char *lf = strchr(at, '\n');
        fprintf(f, "%.*s\t2006-03-01\t\t\n", (int)(lf - at), at);
        at = lf + 1;
    }
    fclose(f);
    o_write_published(dirfd, text, n);
    free(text);
}

static inline char *a_original(const char *lines, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    for (const char *at = lines; *at;) {
        const char *lf = strchr(at, '\n');
        fprintf(f, "%.*s\t2006-03-01 10:00:00\n", (int)(lf - at), at);
        at = lf + 1;
    }
    fclose(f);
    return text;
}

static inline lethe_err a_compare(lethe_ctx *ctx, const attack *a, int dirfd, const char *folder,
                                  lethe_log *log, lethe_json_doc *doc, lethe_json *out)
{
    char truth[128], map[128];
    lethe_value at[8];
    lethe_values values;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_comparison c = {
        .ctx = ctx, .published = &p, .original = {.shape = LETHE_SHAPE_LOG, .log = log}};
    snprintf(truth, sizeof truth, "%s/truth", folder);
    snprintf(map, sizeof map, "%s/map", folder);
    lethe_values_init(&values, lethe_adversary_identity.options, at);
    for (size_t i = 0; i < values.n; i++) {
        const char *name = values.table[i].name;
        const char *text = strcmp(name, "truth") == 0 ? truth : a->known;
        if (text) assert_int_equal(lethe_values_set(&values, i, text, NULL), LETHE_OK);
    }
    c.values = &values;
    c.map = a->map ? map : NULL;
    c.own_names = a->keep_users;
    return lethe_adversary_identity.run(&c, doc, out);
}

static inline lethe_err a_run(lethe_ctx *ctx, const attack *a, lethe_json_doc *doc, lethe_json *out)
{
    char path[64];
    size_t n;
    int dirfd = o_folder(path);
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log *log = NULL;
    char *text = a_original(a->original, &n);
    a_publish(dirfd, a->published);
    o_write(dirfd, "truth", a->truth, strlen(a->truth));
    if (a->map) o_write(dirfd, "map", a->map, strlen(a->map));
    lethe_err err = lethe_log_memory(ctx, (lethe_str){text, n}, &reading, &log);
    if (err == LETHE_OK) err = a_compare(ctx, a, dirfd, path, log, doc, out);
    lethe_log_free(log);
    unlinkat(dirfd, "truth", 0);
    unlinkat(dirfd, "map", 0);
    o_folder_gone(dirfd, path);
    free(text);
    return err;
}

static inline int64_t a_count(const lethe_json *out, const char *kind, const char *name)
{
    const lethe_json *o = lethe_json_get(lethe_json_get(out, "kinds"), kind);
    return lethe_json_int(lethe_json_get(o, name));
}

#endif
