/* SPDX-License-Identifier: Apache-2.0 */
/* Single texts: the normal form, masks, words and hosts, as logs are read and methods see them. */
#include "lethe/text.h"
#include "algo/text/same_words.h"
#include "method/method.h"
#include "model/log/log.h"
#include "text/normalize.h"
#include "text/pii/pii.h"

enum { OPTIONS_MAX = 32, MEMORY_BYTES = 4 << 20 };

struct lethe_texts {
    lethe_ctx *ctx;
    lethe_detector detector;
    lethe_phrases *phrases; /* NULL: no list */
    lethe_wordnet *wn;      /* NULL: not needed so far */
    lethe_same_words words;
    lethe_buf repaired, normal, masked, host;
};

/* The choices and the default are those of the method. */
static lethe_err kinds_read(lethe_texts *t, const char *kinds)
{
    const lethe_option *table = lethe_method_scrub.options;
    lethe_value at[OPTIONS_MAX];
    lethe_values v;
    assert(lethe_option_count(table) <= OPTIONS_MAX);
    lethe_values_init(&v, table, at);
    for (size_t i = 0; kinds && i < v.n; i++)
        if (strcmp(table[i].name, "kinds") == 0)
            LETHE_TRY(lethe_values_set(&v, i, kinds, lethe_ctx_diag(t->ctx)));
    t->detector.kinds = (unsigned)lethe_count_of(&v, "kinds");
    return LETHE_OK;
}

lethe_err lethe_texts_new(lethe_ctx *ctx, const char *kinds, const char *list, lethe_texts **out)
{
    lethe_ctx_forget_error(ctx);
    lethe_texts *t = lethe_alloc(1, sizeof *t);
    if (!t) return lethe_no_memory(ctx);
    *t = (lethe_texts){.ctx = ctx, .words.cap_bytes = MEMORY_BYTES};
    lethe_err e = kinds_read(t, kinds);
    if (e == LETHE_OK && list) e = lethe_phrases_read(lethe_ctx_diag(ctx), list, &t->phrases);
    t->detector.phrases = t->phrases;
    if (e == LETHE_OK)
        *out = t;
    else
        lethe_texts_free(t);
    return e;
}

void lethe_texts_free(lethe_texts *t)
{
    if (!t) return;
    lethe_same_words_free(&t->words);
    lethe_wordnet_free(t->wn);
    lethe_phrases_free(t->phrases);
    lethe_buf_free(&t->repaired);
    lethe_buf_free(&t->normal);
    lethe_buf_free(&t->masked);
    lethe_buf_free(&t->host);
    lethe_free(t);
}

static lethe_err told(lethe_texts *t, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(t->ctx) : e;
}

lethe_err lethe_texts_normal(lethe_texts *t, lethe_str in, lethe_str *out)
{
    bool invalid;
    return told(t, lethe_normalize(in, &t->normal, out, &invalid));
}

lethe_err lethe_texts_scrub(lethe_texts *t, lethe_str in, lethe_str *out)
{
    const lethe_masking masking = {.detector = t->detector};
    uint64_t found[LETHE_N_PII] = {0};
    lethe_str normal, masked;
    LETHE_TRY(lethe_texts_normal(t, in, &normal));
    LETHE_TRY(told(t, lethe_pii_mask(&t->detector, normal, &t->masked, &masked, found)));
    bool left = masked.at != normal.at && lethe_masking_finds(&masking, masked);
    *out = left ? (lethe_str){"", 0} : masked;
    return LETHE_OK;
}

lethe_err lethe_texts_words_key(lethe_texts *t, lethe_str in, lethe_str *out)
{
    lethe_str normal;
    if (!t->wn) LETHE_TRY(lethe_wordnet_open_words(t->ctx, NULL, &t->wn));
    LETHE_TRY(lethe_texts_normal(t, in, &normal));
    return told(t, lethe_same_words_key(&t->words, t->wn, normal, out));
}

lethe_err lethe_texts_host(lethe_texts *t, lethe_str in, lethe_str *out)
{
    bool invalid;
    lethe_str valid;
    LETHE_TRY(told(t, lethe_utf8_repair(in, &t->repaired, &valid, &invalid)));
    LETHE_TRY(told(t, lethe_url_host(valid, &t->host, out)));
    if (lethe_is_pseudonym(*out)) out->n = 0; // it would pass for an identifier: not published
    return LETHE_OK;
}
