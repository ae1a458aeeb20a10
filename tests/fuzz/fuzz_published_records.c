/* SPDX-License-Identifier: Apache-2.0 */
/* data.txt of any kind.
 *
 * What is taken is, byte for byte, what the records say written again: nothing was skipped,
 * repaired or reordered.  What is refused is said once, with a line that the file has. */
#include "model/published/published_records.h"
#include "text/normalize.h"
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

static void check_item(lethe_str item)
{
    REQUIRE(item.n > 0 && lethe_utf8_valid(item));
    for (size_t i = 0; i < item.n; i++)
        REQUIRE(item.at[i] && !strchr("\t\r\n ", item.at[i]));
}

static void record_put(const lethe_published_records *r, size_t record, lethe_buf *to)
{
    for (uint64_t i = r->start[record]; i < r->start[record + 1]; i++) {
        lethe_str item = lethe_dict_at(r->items, r->item[i]);
        check_item(item);
        if (i > r->start[record]) {
            REQUIRE(lethe_str_cmp(lethe_dict_at(r->items, r->item[i - 1]), item) <= 0);
            REQUIRE(lethe_buf_put(to, " ", 1) == LETHE_OK);
        }
        REQUIRE(lethe_buf_str(to, item) == LETHE_OK);
    }
    REQUIRE(lethe_buf_put(to, "\n", 1) == LETHE_OK);
}

static void check_taken(const lethe_published_records *r, lethe_str text)
{
    lethe_buf again = {0};
    REQUIRE(r->n > 0 && r->first[0] == 0 && r->first[r->n] == r->n_records);
    for (size_t i = 0; i < r->n; i++) {
        REQUIRE(r->first[i] < r->first[i + 1]);
        for (uint64_t line = r->first[i]; line < r->first[i + 1]; line++) {
            REQUIRE(lethe_published_record_of(r, line) == i);
            record_put(r, i, &again);
        }
    }
    REQUIRE(again.n == text.n && memcmp(again.at, text.at, text.n) == 0);
    lethe_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str text = {(const char *)data, n};
    said s = {0};
    lethe_ctx *ctx = NULL;
    lethe_published_records *r = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &s};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_err e = lethe_published_records_memory(ctx, text, &r);
    if (e == LETHE_OK) {
        REQUIRE(s.n == 0);
        check_taken(r, text);
    } else {
        uint64_t lines = 1;
        for (size_t i = 0; i < n; i++)
            lines += data[i] == '\n';
        REQUIRE(e == LETHE_EINPUT && !r && s.n == 1 && s.line >= 1 && s.line <= lines);
    }
    lethe_published_records_free(r);
    lethe_ctx_free(ctx);
    return 0;
}
