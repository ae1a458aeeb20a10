/* SPDX-License-Identifier: Apache-2.0 */
/* directory_harness.h - small things that tests of directories share: a context that keeps what was
 * said, and a term's categories as one line. */
#ifndef LETHE_TESTS_DIRECTORY_HARNESS_H
#define LETHE_TESTS_DIRECTORY_HARNESS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/ctx.h"
#include "core/dict.h"
#include "model/knowledge/directory.h"

typedef struct said {
    char text[512], file[256], notes[1024];
    uint64_t line;
    uint32_t column;
    unsigned errors;
} said;

static inline void keep_said(void *arg, const lethe_message *m)
{
    said *s = arg;
    if (m->severity != LETHE_ERROR) {
        size_t n = strlen(s->notes);
        snprintf(s->notes + n, sizeof s->notes - n, "%s\n", m->text);
        return;
    }
    snprintf(s->text, sizeof s->text, "%s", m->text);
    snprintf(s->file, sizeof s->file, "%s", m->file ? m->file : "");
    s->line = m->line;
    s->column = m->column;
    s->errors++;
}

static inline lethe_ctx *ctx_of(unsigned threads, uint64_t memory, said *s)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = threads,
                               .memory_bytes = memory,
                               .on_message = s ? keep_said : NULL,
                               .user = s};
    if (lethe_ctx_new(&settings, &ctx) != LETHE_OK) abort();
    return ctx;
}

/* A category's path, into `out`; for small ones. */
static inline size_t path_text(const lethe_directory *dir, uint32_t category, char *out)
{
    uint32_t up[64], n = 0;
    size_t len = 0;
    for (uint32_t c = category; c != LETHE_NONE && n < 64; c = lethe_directory_parent(dir, c))
        up[n++] = c;
    while (n-- > 0) {
        lethe_str name = lethe_directory_name(dir, up[n]);
        memcpy(out + len, name.at, name.n);
        len += name.n;
        if (n > 0) out[len++] = '/';
    }
    out[len] = '\0';
    return len;
}

/* The categories of a term, " | " between them. */
static inline const char *of_term(const lethe_directory *dir, const char *term)
{
    static char out[1 << 16];
    uint32_t found[128];
    size_t n = lethe_directory_find(dir, lethe_str_of(term), 128, found), len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (i > 0) len += (size_t)sprintf(out + len, " | ");
        len += path_text(dir, found[i], out + len);
    }
    return out;
}

/* A file with these bytes, under a name of its own. */
static inline const char *file_of(const char *bytes, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/lethe-directory-XXXXXX");
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) abort();
    return path;
}

#endif
