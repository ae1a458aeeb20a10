/* SPDX-License-Identifier: Apache-2.0 */
/* A document that is read, written and read again is the same, however it is indented. */
#include "io/json/json.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
    if (!holds) abort();
}

static bool same(const lethe_json *a, const lethe_json *b)
{
    if (lethe_json_kind(a) != lethe_json_kind(b) || lethe_json_count(a) != lethe_json_count(b))
        return false;
    double x = lethe_json_real(a), y = lethe_json_real(b);
    if (memcmp(&x, &y, sizeof x) != 0 || lethe_json_int(a) != lethe_json_int(b) ||
        lethe_json_bool(a) != lethe_json_bool(b) ||
        !lethe_str_eq(lethe_json_text(a), lethe_json_text(b)))
        return false;
    for (size_t i = 0; i < lethe_json_count(a); i++)
        if (!lethe_str_eq(lethe_json_name(a, i), lethe_json_name(b, i)) ||
            !same(lethe_json_at(a, i), lethe_json_at(b, i)))
            return false;
    return true;
}

static void said(void *ctx, const lethe_message *m)
{
    const size_t *n = ctx;
    must(m->line >= 1 && m->column >= 1 && m->column <= *n + 1);
    must(strncmp(m->text, "not valid JSON: ", 16) == 0 && m->text[16]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_json_doc *doc, *again;
    lethe_json *v, *back;
    lethe_diag *d = lethe_diag_new(said, &n);
    lethe_err e = lethe_json_parse(d, "fuzz", (lethe_str){(const char *)data, n}, &doc, &v);
    lethe_diag_free(d);
    must(e == LETHE_OK || e == LETHE_EINPUT);
    if (e != LETHE_OK) return 0;
    for (int indent = 0; indent <= 2; indent += 2) {
        size_t n_text, n_again;
        char *text = lethe_json_write(v, indent, &n_text);
        must(strlen(text) == n_text); // no NUL in it
        must(lethe_json_parse(NULL, "", (lethe_str){text, n_text}, &again, &back) == LETHE_OK);
        must(same(v, back));
        char *twice = lethe_json_write(back, indent, &n_again);
        must(n_again == n_text && memcmp(text, twice, n_text) == 0);
        lethe_json_text_free(text);
        lethe_json_text_free(twice);
        lethe_json_doc_free(again);
    }
    lethe_json_doc_free(doc);
    return 0;
}
