/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of records.  First byte: how many records are published; then lines of records up to a line
 * that is a single dot; the rest is the map.
 *
 * What is taken gives every published line to one record; written again it is taken alike. */
#include "model/records/record_map.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

static void hear(void *user, const lethe_message *m)
{
    *(unsigned *)user += m->severity == LETHE_ERROR;
}

static void check_taken(lethe_ctx *ctx, const lethe_records *r, uint64_t n, const uint64_t *line)
{
    bool seen[256] = {false};
    uint64_t count = 0, *again = NULL;
    lethe_buf b = {0};
    lethe_arena *a = lethe_arena_new();
    REQUIRE(a);
    for (size_t i = 0; i < r->n; i++) {
        REQUIRE(lethe_record_map_put(r, i, line[i], &b) == LETHE_OK);
        if (line[i] == LETHE_NOT_PUBLISHED) continue;
        REQUIRE(line[i] < n && !seen[line[i]]);
        seen[line[i]] = true;
        count++;
    }
    REQUIRE(count == n);
    lethe_err e = lethe_record_map_memory(ctx, (lethe_str){(char *)b.at, b.n}, r, n, a, &again);
    // an ID that begins with a byte order mark, or like a compressed file, is not read back
    if (e == LETHE_OK) REQUIRE(memcmp(again, line, r->n * sizeof *line) == 0);
    if (b.n > 0 && b.at[0] > ' ' && b.at[0] < 'B') REQUIRE(e == LETHE_OK);
    lethe_arena_free(a);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *dot = n > 1 ? memmem(data + 1, n - 1, "\n.\n", 3) : NULL;
    if (!dot) return 0;
    lethe_str lines = {(const char *)data + 1, (size_t)(dot - data)};
    lethe_str map = {(const char *)dot + 3, n - (size_t)(dot - data) - 3};
    unsigned said = 0;
    uint64_t *line = NULL;
    lethe_ctx *ctx = NULL;
    lethe_records *r = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &said};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_arena *a = lethe_arena_new();
    REQUIRE(a);
    if (lethe_records_memory(ctx, lines, true, &r) == LETHE_OK) {
        said = 0;
        lethe_err e = lethe_record_map_memory(ctx, map, r, data[0], a, &line);
        if (e == LETHE_OK)
            check_taken(ctx, r, data[0], line);
        else
            REQUIRE(e == LETHE_EINPUT && !line && said == 1);
    }
    lethe_records_free(r);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
    return 0;
}
