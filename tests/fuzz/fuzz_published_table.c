/* SPDX-License-Identifier: Apache-2.0 */
/* data.csv, and taxonomy.tsv of a table with the quasi-identifiers a and b, of any kind.
 *
 * What is taken is, byte for byte, what was read written again: nothing was skipped, repaired or
 * reordered, and no table has two forms.  What is refused is said once, with a line that the file
 * has. */
#include "fuzz.h"
#include "model/published/published_table.h"
#include "text/normalize.h"

typedef struct said {
    uint32_t n;
    uint64_t line;
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    MUST(m->severity == LETHE_ERROR && m->text[0]);
    s->n++;
    s->line = m->line;
}

/* --- data.csv --- */

static void field_put(lethe_buf *to, lethe_str field, bool alone)
{
    bool quoted = alone && field.n == 0;
    MUST(lethe_utf8_valid(field));
    for (size_t i = 0; i < field.n; i++) {
        MUST(field.at[i] && !strchr("\t\r\n", field.at[i]));
        quoted |= field.at[i] == ',' || field.at[i] == '"';
    }
    if (quoted) MUST(lethe_buf_put(to, "\"", 1) == LETHE_OK);
    for (size_t i = 0; i < field.n; i++)
        MUST(lethe_buf_put(to, "\"\"", field.at[i] == '"') == LETHE_OK &&
             lethe_buf_put(to, &field.at[i], 1) == LETHE_OK);
    if (quoted) MUST(lethe_buf_put(to, "\"", 1) == LETHE_OK);
}

static void check_columns(const lethe_published_table *t)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        const lethe_published_column *x = &t->column[c];
        uint32_t next = 0; // values are numbered as they come
        MUST(x->name.n > 0 && lethe_published_column_find(t, x->name) == c);
        for (size_t r = 0; r < t->n; r++) {
            MUST(x->code[r] <= next);
            next += x->code[r] == next;
        }
        MUST(next == lethe_dict_count(x->values));
    }
}

static void check_table(const lethe_published_table *t, lethe_str text)
{
    lethe_buf again = {0};
    size_t before = 0, n_before = 0;
    MUST(t->n > 0 && t->n_columns > 0);
    check_columns(t);
    for (size_t r = 0; r <= t->n; r++) { // the header is line 0
        size_t began = again.n;
        for (size_t c = 0; c < t->n_columns; c++) {
            const lethe_published_column *x = &t->column[c];
            lethe_str field = r == 0 ? x->name : lethe_dict_at(x->values, x->code[r - 1]);
            if (c > 0) MUST(lethe_buf_put(&again, ",", 1) == LETHE_OK);
            field_put(&again, field, t->n_columns == 1);
        }
        lethe_str line = {(const char *)again.at + began, again.n - began},
                  last = {(const char *)again.at + before, n_before};
        if (r > 1) MUST(lethe_str_cmp(last, line) <= 0);
        before = began;
        n_before = line.n;
        MUST(lethe_buf_put(&again, "\n", 1) == LETHE_OK);
    }
    MUST(again.n == text.n && memcmp(again.at, text.at, text.n) == 0);
    lethe_buf_free(&again);
}

/* --- taxonomy.tsv --- */

static void node_put(const lethe_published_hierarchy *h, uint32_t v, lethe_buf *to)
{
    lethe_str name = lethe_dict_at(h->names, v);
    MUST(name.n > 0 && lethe_utf8_valid(name));
    MUST(lethe_buf_str(to, h->column) == LETHE_OK && lethe_buf_put(to, "=", 1) == LETHE_OK &&
         lethe_buf_str(to, name) == LETHE_OK);
}

static void check_hierarchies(const lethe_published_hierarchies *all, lethe_str text)
{
    lethe_buf again = {0};
    char leaves[32];
    MUST(all->n == 2);
    for (size_t i = 0; i < all->n; i++) {
        const lethe_published_hierarchy *h = &all->at[i];
        MUST(h->n > 0 && h->n == lethe_dict_count(h->names) && h->parent[0] == LETHE_NONE);
        for (uint32_t v = 0; v < h->n; v++) {
            node_put(h, v, &again);
            MUST(lethe_buf_put(&again, "\t", 1) == LETHE_OK);
            if (v > 0) {
                MUST(h->parent[v] < v && h->leaves[h->parent[v]] >= h->leaves[v]);
                node_put(h, h->parent[v], &again);
            }
            int n = snprintf(leaves, sizeof leaves, "\t%llu\n", (unsigned long long)h->leaves[v]);
            MUST(lethe_buf_put(&again, leaves, (size_t)n) == LETHE_OK);
        }
    }
    MUST(again.n == text.n && memcmp(again.at, text.at, text.n) == 0);
    lethe_buf_free(&again);
}

static void check_refused(lethe_err e, const said *s, lethe_str text)
{
    uint64_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.at[i] == '\n';
    MUST(e == LETHE_EINPUT && s->n == 1 && s->line >= 1 && s->line <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const lethe_str columns[] = {{"a", 1}, {"b", 1}};
    lethe_str text = {(const char *)data, n};
    said s = {0};
    lethe_ctx *ctx = NULL;
    lethe_published_table *t = NULL;
    lethe_published_hierarchies *all = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &s};
    MUST(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_err e = lethe_published_table_memory(ctx, text, &t);
    MUST((e == LETHE_OK) == (t != NULL) && (t == NULL) == (s.n == 1));
    if (t)
        check_table(t, text);
    else
        check_refused(e, &s, text);
    s = (said){0};
    e = lethe_published_hierarchies_memory(ctx, text, columns, 2, &all);
    MUST((e == LETHE_OK) == (all != NULL) && (all == NULL) == (s.n == 1));
    if (all)
        check_hierarchies(all, text);
    else
        check_refused(e, &s, text);
    lethe_published_table_free(t);
    lethe_published_hierarchies_free(all);
    lethe_ctx_free(ctx);
    return 0;
}
