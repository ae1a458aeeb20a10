/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a sealed log: what is taken for a row has the form of one, decodes, and written
 * again is the same line; the counts add up. */
#include "core/base.h"
#include "model/log/sealed.h"
#include "fuzz.h"
#include <sodium.h>

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

typedef struct seen {
    lethe_str text;
    lethe_sealed_form *form;
    uint64_t rows, last_line;
} seen;

/* libsodium, which knows nothing of ours, writes what we decoded. */
static void decode_and_encode(const lethe_sealed_row *row)
{
    uint8_t id[LETHE_SEALED_ID_BYTES], share[LETHE_SEALED_SHARE_BYTES];
    char hex[80];
    size_t n = row->box_bytes, cap = lethe_base64_chars(n) + 1;
    uint8_t *box = malloc(n);
    char *base64 = malloc(cap);
    MUST(box && base64);
    lethe_sealed_id(row, id);
    lethe_sealed_share(row, share);
    lethe_sealed_box(row, box);
    sodium_bin2hex(hex, sizeof hex, id, sizeof id);
    MUST(lethe_str_eq(row->id, lethe_str_of(hex)));
    sodium_bin2hex(hex, sizeof hex, share, sizeof share);
    MUST(lethe_str_eq(row->share_hex, lethe_str_of(hex)));
    sodium_bin2base64(base64, cap, box, n, sodium_base64_VARIANT_ORIGINAL);
    MUST(lethe_str_eq(row->box, lethe_str_of(base64)));
    MUST(lethe_sealed_padded(n - LETHE_SEALED_TAG - 1) == n - LETHE_SEALED_TAG);
    free(box);
    free(base64);
}

static lethe_err look_at(void *arg, unsigned w, const lethe_sealed_row *row)
{
    seen *s = arg;
    char head[300];
    (void)w;
    MUST(row->line > s->last_line && row->line > 2);
    s->last_line = row->line;
    s->rows++;
    MUST(row->user.n > 0 && row->index >= 1 && row->index <= s->form->n);
    decode_and_encode(row);
    // the fields and what parts them are the line, byte by byte
    int n = snprintf(head, sizeof head, "\t%.*s\t%u:%.*s\t", (int)row->id.n, row->id.at, row->index,
                     (int)row->share_hex.n, row->share_hex.at);
    MUST(memcmp(row->user.at + row->user.n, head, (size_t)n) == 0);
    MUST(row->user.at + row->user.n + n == row->box.at);
    MUST(row->box.at[row->box.n] == '\t' && row->box.at + row->box.n + 1 == row->time_text.at);
    const char *end =
        s->form->clicks ? row->url.at + row->url.n : row->time_text.at + row->time_text.n;
    MUST(*end == '\n');
    if (s->form->clicks) MUST(row->rank_text.at + row->rank_text.n + 1 == row->url.at);
    MUST((row->time == LETHE_NO_TIME) == (row->time_text.n == 0));
    return LETHE_OK;
}

static void head_again(const seen *s, const lethe_sealed_form *form)
{
    char head[LETHE_SEALED_HEAD_MAX];
    size_t n = lethe_sealed_head(form, head), mark = 0;
    MUST(!lethe_sealed_form_fault(form));
    if (s->text.n >= 3 && memcmp(s->text.at, "\xef\xbb\xbf", 3) == 0) mark = 3;
    MUST(s->text.n - mark >= n && memcmp(s->text.at + mark, head, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_sealed_form form = {0};
    seen s = {.text = {n ? (const char *)data : "", n}, .form = &form};
    lethe_sealed_walk how = {.row = look_at, .arg = &s};
    lethe_rejects rejects = {0};
    lethe_sealed_counts counts = {0};
    lethe_source *source = NULL;
    static const uint8_t compressed[][2] = {{0x1f, 0x8b}, {0x28, 0xb5}, {0xfd, '7'}, {'B', 'Z'}};
    for (size_t i = 0; i < LETHE_COUNT(compressed); i++) // what is in there is not in `data`
        if (n >= 2 && memcmp(data, compressed[i], 2) == 0) return 0;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    MUST(lethe_source_memory(lethe_ctx_diag(ctx), s.text, &source) == LETHE_OK);
    lethe_err e = lethe_sealed_read(ctx, source, &how, &form, &rejects, &counts);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST(counts.lines == counts.rows + counts.rejected && counts.rows == s.rows);
    MUST(e != LETHE_OK || counts.rows > 0);
    if (counts.lines > 0) head_again(&s, &form);
    lethe_rejects_free(&rejects);
    return 0;
}
