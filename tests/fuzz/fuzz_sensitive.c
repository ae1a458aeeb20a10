/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of sensitive items, the user's and a release's.
 *
 * What is taken for the former has names that can be items, each once, with rising lines; they can
 * be written, and what is written is taken for the latter.  What is taken for the latter is what
 * would be written of it, byte for byte.  What is refused is said once. */
#include "core/mem.h"
#include "model/knowledge/sensitive.h"
#include "text/normalize.h"
#include "fuzz.h"

static void hear(void *user, const lethe_message *m)
{
    MUST(m->severity == LETHE_ERROR && m->text[0]);
    ++*(unsigned *)user;
}

static void names_check(const lethe_dict *names)
{
    for (uint32_t i = 0; i < lethe_dict_count(names); i++) {
        lethe_str name = lethe_dict_at(names, i);
        MUST(name.n > 0 && lethe_utf8_valid(name));
        for (size_t k = 0; k < name.n; k++)
            MUST(!strchr(" \t\r\n", name.at[k])); // a NUL is found, too
    }
}

/* The names of `from` are those of `to`, which has none besides. */
static void same_names(const lethe_dict *from, const lethe_dict *to)
{
    MUST(lethe_dict_count(from) == lethe_dict_count(to));
    for (uint32_t i = 0; i < lethe_dict_count(from); i++)
        MUST(lethe_dict_find(to, lethe_dict_at(from, i)) != LETHE_NONE);
}

static void list_check(lethe_ctx *ctx, lethe_str text, lethe_naming naming, unsigned *said)
{
    lethe_sensitive *s = NULL;
    lethe_dict *again = NULL;
    lethe_buf b = {0};
    lethe_err e = lethe_sensitive_memory(ctx, text, naming, &s);
    MUST(e == LETHE_OK ? s && *said == 0 : !s && *said == 1);
    *said = 0;
    if (e != LETHE_OK) return;
    uint32_t n = lethe_dict_count(s->names);
    MUST(n > 0 && s->file[0]);
    names_check(s->names);
    for (uint32_t i = 0; i < n; i++)
        MUST(s->line[i] > (i ? s->line[i - 1] : 0));
    MUST(lethe_sensitive_write(lethe_ctx_diag(ctx), s->names, &b) == LETHE_OK);
    lethe_str written = {(const char *)b.at, b.n};
    MUST(lethe_published_sensitive_memory(ctx, written, &again) == LETHE_OK);
    same_names(s->names, again);
    lethe_dict_free(again);
    lethe_buf_free(&b);
    lethe_sensitive_free(s);
}

static void published_check(lethe_ctx *ctx, lethe_str text, unsigned *said)
{
    lethe_dict *names = NULL;
    lethe_buf b = {0};
    lethe_err e = lethe_published_sensitive_memory(ctx, text, &names);
    MUST(e == LETHE_OK ? names && *said == 0 : !names && *said == 1);
    *said = 0;
    if (e != LETHE_OK) return;
    names_check(names);
    MUST(lethe_sensitive_write(lethe_ctx_diag(ctx), names, &b) == LETHE_OK);
    MUST(lethe_str_eq(text, (lethe_str){(const char *)b.at, b.n}));
    lethe_dict_free(names);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    unsigned said = 0;
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &said};
    lethe_str text = {(const char *)data, n};
    MUST(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    list_check(ctx, text, LETHE_NAMES_ITEMS, &said);
    list_check(ctx, text, LETHE_NAMES_TERMS, &said);
    published_check(ctx, text, &said);
    lethe_ctx_free(ctx);
    return 0;
}
