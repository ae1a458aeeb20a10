/* SPDX-License-Identifier: Apache-2.0 */
/* release_harness.h - a folder to work in, a log in it, and jobs over it: for tests of the
 * pipeline. */
#ifndef LETHE_TESTS_RELEASE_HARNESS_H
#define LETHE_TESTS_RELEASE_HARNESS_H
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "release/commands.h"
#include "core/base.h"
#include "core/ctx.h"
#include "io/write/sink.h"
#include "model/map.h"

typedef struct ground {
    char dir[256];
    char log[300], out[300], map[300], key[300];
    char said[4096]; /* every message, a line each */
} ground;

static inline void g_hear(void *user, const lethe_message *m)
{
    ground *g = user;
    size_t n = strlen(g->said);
    snprintf(g->said + n, sizeof g->said - n, "%s\n", m->text);
}

static inline void g_begin(ground *g)
{
    *g = (ground){0};
    struct stat st;
    const char *base = getenv("TMPDIR");
    if (!base || strlen(base) > 200)
        base = stat("/dev/shm", &st) == 0 && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(g->dir, sizeof g->dir, "%s/lethe-test-XXXXXX", base);
    if (!mkdtemp(g->dir)) abort();
    snprintf(g->log, sizeof g->log, "%s/log.tsv", g->dir);
    snprintf(g->out, sizeof g->out, "%s/release", g->dir);
    snprintf(g->map, sizeof g->map, "%s/map.tsv", g->dir);
    snprintf(g->key, sizeof g->key, "%s/key", g->dir);
}

static inline lethe_ctx *g_ctx(ground *g, unsigned n_threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = n_threads,
                        .memory_bytes = 64 << 20,
                        .spill_dir = g->dir,
                        .on_message = g_hear,
                        .user = g};
    if (lethe_ctx_new(&s, &ctx) != LETHE_OK) abort();
    return ctx;
}

static inline void g_remove(const char *path)
{
    DIR *dir = opendir(path);
    char inner[1024];
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= (int)sizeof inner) abort();
        if (unlink(inner) != 0) g_remove(inner);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

static inline void g_end(ground *g) { g_remove(g->dir); }

static inline void g_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) abort();
}

/* A whole file, malloc'd and NUL-ended; NULL: it is not there. */
static inline char *g_read(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = NULL;
    size_t n = 0, got;
    do {
        text = realloc(text, n + 65537);
        if (!text) abort();
        n += got = fread(text + n, 1, 65536, f);
    } while (got > 0);
    fclose(f);
    text[n] = '\0';
    return text;
}

static inline char *g_data(const ground *g)
{
    char path[320];
    snprintf(path, sizeof path, "%s/data.tsv", g->out);
    return g_read(path);
}

/* The first line that the map of the release must have. */
static inline void g_map_head(const ground *g, char head[LETHE_MAP_HEAD_BYTES])
{
    char digest[LETHE_DIGEST_CHARS + 1];
    uint64_t bytes;
    lethe_ctx *ctx = NULL;
    int dirfd = open(g->out, O_RDONLY | O_DIRECTORY);
    if (dirfd < 0 || lethe_ctx_new(NULL, &ctx) != LETHE_OK ||
        lethe_file_digest(ctx, dirfd, "manifest.json", digest, &bytes) != LETHE_OK)
        abort();
    lethe_ctx_free(ctx);
    close(dirfd);
    lethe_map_head(head, digest);
}

/* The lines of the map behind the first, which must name the release; malloc'd. */
static inline char *g_read_map(const ground *g)
{
    char head[LETHE_MAP_HEAD_BYTES];
    char *text = g_read(g->map);
    g_map_head(g, head);
    size_t n = strlen(head);
    if (!text || strncmp(text, head, n) != 0) abort();
    memmove(text, text + n, strlen(text) - n + 1);
    return text;
}

/* Names in the ground, sorted, parted by spaces. */
static inline const char *g_names(const ground *g)
{
    static char text[1024];
    struct dirent **names;
    int n = scandir(g->dir, &names, NULL, alphasort);
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        size_t at = strlen(text);
        if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0)
            snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0) free(names);
    return text;
}

/* One step of a method with its options at their fallbacks, or as given: "t=5 by=rows". */
typedef struct steps {
    lethe_step at[4];
    lethe_value values[4][16];
    char words[4][512];
    size_t n;
} steps;

static inline void s_add(steps *s, const lethe_method *m, const char *options)
{
    lethe_values *v = &s->at[s->n].values;
    s->at[s->n].method = m;
    lethe_values_init(v, m->options, s->values[s->n]);
    snprintf(s->words[s->n], sizeof s->words[0], "%s", options);
    char *save = NULL;
    for (char *word = strtok_r(s->words[s->n], " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(word, '=');
        size_t i = 0;
        if (!eq) abort();
        *eq = '\0';
        while (i < v->n && strcmp(v->table[i].name, word) != 0)
            i++;
        if (i == v->n || lethe_values_set(v, i, eq + 1, NULL) != LETHE_OK) abort();
    }
    s->n++;
}

static inline lethe_release_job g_job(const ground *g, const steps *s, const char *const *inputs)
{
    return (lethe_release_job){
        .inputs = inputs,
        .n_inputs = 1,
        .steps = s->at,
        .n_steps = s->n,
        .out = g->out,
        .publishing = {.keep_users = true, .times = LETHE_TIMES_EXACT, .urls = LETHE_URLS_KEEP}};
}

#endif
