/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a directory: what is taken for one has the form of one, and survives being written
 * and read again. */
#include "core/mem.h"
#include "core/dict.h"
#include "model/knowledge/directory.h"
#include "model/tree/forest.h"
#include "text/normalize.h"
#include "fuzz.h"

enum { FOUND_MAX = 64 };

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void put(lethe_buf *b, lethe_str s) { MUST(lethe_buf_str(b, s) == LETHE_OK); }

static void look_at_categories(const lethe_directory *dir)
{
    uint32_t n = lethe_directory_categories(dir);
    MUST(n > 0);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t parent = lethe_directory_parent(dir, c), level = lethe_directory_level(dir, c);
        lethe_str name = lethe_directory_name(dir, c);
        MUST(name.n > 0 && lethe_utf8_valid(name) && !memchr(name.at, '/', name.n));
        MUST(name.at[0] != ' ' && name.at[name.n - 1] != ' ');
        MUST(parent == LETHE_NONE ? level == 1
                                  : parent < c && level == lethe_directory_level(dir, parent) + 1);
        MUST(level <= LETHE_PATH_LEVELS_MAX);
    }
}

static void put_path(lethe_buf *b, const lethe_directory *dir, uint32_t category)
{
    uint32_t n = lethe_directory_level(dir, category), *up = calloc(n, sizeof *up);
    MUST(up);
    for (uint32_t i = n, c = category; i-- > 0; c = lethe_directory_parent(dir, c))
        up[i] = c;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) put(b, LETHE_LIT("/"));
        put(b, lethe_directory_name(dir, up[i]));
    }
    free(up);
}

/* The term of a line: found, none of its categories twice.  It is written as lines of its own. */
static void look_at_term(const lethe_directory *dir, lethe_str field, lethe_buf *lines)
{
    uint32_t found[FOUND_MAX];
    lethe_buf buf = {0};
    lethe_str term;
    bool invalid;
    MUST(lethe_normalize(field, &buf, &term, &invalid) == LETHE_OK && !invalid && term.n > 0);
    size_t n = lethe_directory_find(dir, term, FOUND_MAX, found);
    MUST(n > 0 && lethe_directory_find(dir, term, 0, found) == 0);
    for (size_t i = 0; i < n; i++) {
        MUST(found[i] < lethe_directory_categories(dir));
        for (size_t j = 0; j < i; j++)
            MUST(found[i] != found[j]);
        put(lines, term);
        put(lines, LETHE_LIT("\t"));
        put_path(lines, dir, found[i]);
        put(lines, LETHE_LIT("\textra\n"));
    }
    lethe_buf_free(&buf);
}

static void look_at_terms(const lethe_directory *dir, lethe_str text, lethe_buf *lines)
{
    const char *at = text.at, *end = text.at + text.n;
    if (text.n >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (at < end && lines->n < (size_t)1 << 20) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((lf ? lf : end) - at);
        const char *tab = n ? memchr(at, '\t', n) : NULL;
        if (tab) look_at_term(dir, (lethe_str){at, (size_t)(tab - at)}, lines);
        at += n + 1;
    }
}

static void same_again(const lethe_directory *dir, lethe_str lines)
{
    lethe_directory *again = NULL;
    lethe_buf second = {0};
    MUST(lethe_directory_memory(ctx, lines, &again) == LETHE_OK);
    MUST(lethe_directory_categories(again) <= lethe_directory_categories(dir));
    look_at_terms(again, lines, &second);
    lethe_buf_free(&second);
    lethe_directory_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_directory *dir = NULL;
    lethe_buf lines = {0};
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_str text = {n ? (const char *)data : "", n};
    lethe_err e = lethe_directory_memory(ctx, text, &dir);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (dir != NULL));
    if (!dir) return 0;
    look_at_categories(dir);
    bool plain =
        n < 2 || !(data[0] == 0x1F || data[0] == 0x28 || data[0] == 0xFD || data[0] == 'B');
    if (plain) { /* else it may be compressed */
        look_at_terms(dir, text, &lines);
        same_again(dir, (lethe_str){(const char *)lines.at, lines.n});
    }
    lethe_buf_free(&lines);
    lethe_directory_free(dir);
    return 0;
}
