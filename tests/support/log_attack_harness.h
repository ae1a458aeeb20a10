/* SPDX-License-Identifier: Apache-2.0 */
/* log_attack_harness.h - any adversary of logs set upon a log and its release, both from text. */
#ifndef LETHE_TESTS_LOG_ATTACK_HARNESS_H
#define LETHE_TESTS_LOG_ATTACK_HARNESS_H
#include "attack/attack.h"
#include "published_harness.h"

typedef struct la_case {
    const lethe_adversary *adversary;
    const char *original;  /* lines of five columns */
    const char *published; /* the same, in any order */
    const char *map;       /* lines; NULL: none is given */
    const char *manifest;  /* NULL: none */
    const char *file;      /* what `NAME=@` names; NULL: nothing */
    bool own_names;
    uint64_t fail_at;       /* this allocation fails, and all after it; 0: none */
    const char *options[4]; /* NAME=VALUE each; NULL ends them */
} la_case;

static inline void la_values(const la_case *a, const char *file, lethe_values *v)
{
    for (const char *const *o = a->options; *o; o++) {
        size_t n = strcspn(*o, "="), i = 0;
        while (strncmp(v->table[i].name, *o, n) != 0 || v->table[i].name[n] != '\0')
            i++;
        const char *value = *o + n + 1;
        if (strcmp(value, "@") == 0) value = file;
        assert_int_equal(lethe_values_set(v, i, value, NULL), LETHE_OK);
    }
}

static inline lethe_err la_run(lethe_ctx *ctx, const la_case *a, lethe_json_doc *doc,
                               lethe_json *out)
{
    static const char *const names[] = {"map", "file"};
    char path[64], map[80], file[80], *text = NULL;
    size_t n;
    int dirfd = o_folder(path);
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_value at[8];
    lethe_values values;
    lethe_log *log = NULL;
    lethe_json_doc *manifest_doc = NULL;
    lethe_json *manifest = NULL;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n%s", a->published);
    fclose(f);
    o_write_published(dirfd, text, n);
    free(text);
    if (a->map) o_write(dirfd, "map", a->map, strlen(a->map));
    if (a->file) o_write(dirfd, "file", a->file, strlen(a->file));
    if (a->manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "manifest", lethe_str_of(a->manifest), &manifest_doc, &manifest),
            LETHE_OK);
    snprintf(map, sizeof map, "%s/map", path);
    lethe_values_init(&values, a->adversary->options, at);
    snprintf(file, sizeof file, "%s/file", path);
    la_values(a, file, &values);
    assert_int_equal(lethe_log_memory(ctx, lethe_str_of(a->original), &reading, &log), LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .manifest = manifest};
    lethe_comparison c = {.ctx = ctx,
                          .published = &p,
                          .original = {.shape = LETHE_SHAPE_LOG, .log = log},
                          .map = a->map ? map : NULL,
                          .own_names = a->own_names,
                          .values = &values};
    lethe_alloc_fail_at(a->fail_at);
    lethe_err e = a->adversary->run(&c, doc, out);
    lethe_alloc_fail_at(0);
    lethe_log_free(log);
    lethe_json_doc_free(manifest_doc);
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        unlinkat(dirfd, names[i], 0);
    o_folder_gone(dirfd, path);
    return e;
}

/* The figures as one line of JSON, to be freed with lethe_json_text_free(). */
static inline char *la_text(const la_case *a, unsigned threads)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, threads);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    if (la_run(ctx, a, doc, out) != LETHE_OK) fail_msg("%s", h.text);
    char *text = lethe_json_write(out, 0, NULL);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return text;
}

/* Every allocation fails in turn: nothing but LETHE_ENOMEM, and it is said. */
static inline void la_out_of_memory(const la_case *a)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        la_case failing = *a;
        failing.fail_at = n;
        h.n = 0;
        e = la_run(ctx, &failing, doc, out);
        lethe_json_doc_free(doc);
        if (e == LETHE_OK) break;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_true(h.n > 0 && n < 10000);
    }
    lethe_ctx_free(ctx);
}

/* A member of the answer, as "strategies/unique/success". */
static inline double la_real(const lethe_json *v, const char *path)
{
    while (v && *path) {
        char name[64];
        size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        v = lethe_json_get(v, name);
        path += n + (path[n] == '/');
    }
    return lethe_json_real(v);
}

static inline void la_is(const lethe_json *out, const char *path, double want, uint64_t seed)
{
    double got = la_real(out, path), far = got > want ? got - want : want - got;
    if (!(far < 1e-9))
        fail_msg("seed %llu: %s is %.12g, and should be %.12g", (unsigned long long)seed, path, got,
                 want);
}

/* The strategy with the greatest figure is named; of equal ones the first.  Which one. */
static inline size_t la_best(const lethe_json *out, const char *label, const char *what,
                             const char *const *names, const double *figure, size_t n,
                             uint64_t seed)
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        char path[96];
        snprintf(path, sizeof path, "strategies/%s/%s", names[i], what);
        la_is(out, path, figure[i], seed);
        if (figure[i] > figure[best] + 1e-9) best = i;
    }
    la_is(out, what, figure[best], seed);
    if (!lethe_str_eq(lethe_json_text(lethe_json_get(out, label)), lethe_str_of(names[best])))
        fail_msg("seed %llu: %s should be %s", (unsigned long long)seed, label, names[best]);
    return best;
}

#endif
