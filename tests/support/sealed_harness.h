/* SPDX-License-Identifier: Apache-2.0 */
/* sealed_harness.h - sealed logs for tests: rows sealed one after the other into a text. */
#ifndef LETHE_TESTS_SEALED_HARNESS_H
#define LETHE_TESTS_SEALED_HARNESS_H
#include <stdio.h>
#include <stdlib.h>
#include "algo/seal/boxes.h"

static inline void sealed_must(bool is)
{
    if (!is) abort();
}

static inline lethe_sealer *sealed_by(uint64_t seed, lethe_sealed_form form, int64_t epoch_s)
{
    lethe_secret *key = NULL;
    lethe_sealer *s = NULL;
    sealed_must(lethe_secret_from_seed(seed, &key) == LETHE_OK);
    sealed_must(lethe_sealer_new(key, &form, epoch_s, &s) == LETHE_OK);
    lethe_secret_free(key);
    return s;
}

static inline void sealed_put(lethe_buf *b, lethe_str s)
{
    sealed_must(lethe_buf_str(b, s) == LETHE_OK);
}

static inline void sealed_begin(lethe_buf *b, lethe_sealed_form form)
{
    char head[LETHE_SEALED_HEAD_MAX];
    b->n = 0;
    sealed_put(b, (lethe_str){head, lethe_sealed_head(&form, head)});
}

/* "user TAB id TAB share TAB box TAB time [TAB click]"; the time is written to the second. */
static inline void sealed_row(lethe_buf *b, const lethe_sealer *s, const char *user,
                              const char *query, int64_t time, const char *click)
{
    lethe_buf room = {0};
    lethe_seal seal;
    char text[20];
    sealed_must(lethe_seal_query(s, lethe_str_of(user), lethe_str_of(query), time, &room, &seal) ==
                LETHE_OK);
    lethe_time_format(time, LETHE_TIME_EXACT, text);
    lethe_str parts[] = {lethe_str_of(user), seal.id, seal.share, seal.box, lethe_str_of(text)};
    for (size_t i = 0; i < LETHE_COUNT(parts); i++) {
        if (i) sealed_put(b, LETHE_LIT("\t"));
        sealed_put(b, parts[i]);
    }
    if (click) {
        sealed_put(b, LETHE_LIT("\t"));
        sealed_put(b, lethe_str_of(click));
    }
    sealed_put(b, LETHE_LIT("\n"));
    lethe_buf_free(&room);
}

#endif
