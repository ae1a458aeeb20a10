/* SPDX-License-Identifier: Apache-2.0 */
/* counts.tsv of any kind.
 *
 * What is taken is, byte for byte, what its items and counts say written again, in falling order
 * and each item once: nothing was skipped, repaired or reordered.  What is refused is said once,
 * with a line that the file has. */
#include "core/mem.h"
#include "model/published/published_counts.h"
#include "text/normalize.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

typedef struct said {
    uint32_t n;
    uint64_t line;
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    REQUIRE(m->severity == LETHE_ERROR && m->text[0]);
    s->n++;
    s->line = m->line;
}

typedef struct taken {
    lethe_buf again, normal;
    uint64_t before, n;
} taken;

/* Is there a line of this item already? */
static bool is_there(const taken *t, lethe_str item)
{
    const char *at = (const char *)t->again.at, *end = at + t->again.n;
    while (at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        const char *tab = memchr(at, '\t', (size_t)(lf - at));
        if (lethe_str_eq(item, (lethe_str){at, (size_t)(tab - at)}) && at > (char *)t->again.at)
            return true;
        at = lf + 1;
    }
    return false;
}

static lethe_err on_item(void *arg, lethe_str item, uint64_t count)
{
    taken *t = arg;
    char number[32];
    lethe_str normal;
    bool invalid;
    REQUIRE(lethe_normalize(item, &t->normal, &normal, &invalid) == LETHE_OK && !invalid);
    REQUIRE(item.n > 0 && lethe_str_eq(item, normal) && !memchr(item.at, '\t', item.n));
    REQUIRE(count > 0 && (t->n == 0 || count <= t->before));
    int n = snprintf(number, sizeof number, "\t%llu\n", (unsigned long long)count);
    REQUIRE(lethe_buf_str(&t->again, item) == LETHE_OK);
    REQUIRE(lethe_buf_put(&t->again, number, (size_t)n) == LETHE_OK);
    t->before = count;
    t->n++;
    return LETHE_OK;
}

static void check_taken(const taken *t, lethe_str text)
{
    taken seen = {0};
    REQUIRE(t->n > 0 && t->again.n == text.n && memcmp(t->again.at, text.at, text.n) == 0);
    if (t->n > 100) return; // every pair is looked at
    const char *at = text.at, *end = at + text.n;
    for (uint64_t i = 0; at < end; i++) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        const char *tab = memchr(at, '\t', (size_t)(lf - at));
        if (i > 0) REQUIRE(!is_there(&seen, (lethe_str){at, (size_t)(tab - at)}));
        REQUIRE(lethe_buf_put(&seen.again, at, (size_t)(lf - at) + 1) == LETHE_OK);
        at = lf + 1;
    }
    lethe_buf_free(&seen.again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str text = {(const char *)data, n};
    said s = {0};
    taken t = {0};
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &s};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    REQUIRE(lethe_buf_str(&t.again, LETHE_LIT(LETHE_COUNTS_HEADER)) == LETHE_OK);
    lethe_err e = lethe_counts_memory(ctx, text, on_item, &t);
    if (e == LETHE_OK) {
        REQUIRE(s.n == 0);
        check_taken(&t, text);
    } else {
        uint64_t lines = 1;
        for (size_t i = 0; i < n; i++)
            lines += data[i] == '\n';
        REQUIRE(e == LETHE_EINPUT && s.n == 1 && s.line >= 1 && s.line <= lines);
    }
    lethe_buf_free(&t.again);
    lethe_buf_free(&t.normal);
    lethe_ctx_free(ctx);
    return 0;
}
