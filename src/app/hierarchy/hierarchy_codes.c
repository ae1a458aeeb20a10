/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_codes.c - prefixes of codes of one length, such as ZIP codes; groups from a list; and
 * neither: all values below the root. */
#include "app/hierarchy/hierarchy.h"
#include "core/parse.h"
#include "core/sort.h"
#include "lexicon/value_groups.h"
#include <stdio.h>
#include <stdlib.h>

/* The values in the order of their bytes; NULL: no memory. */
static lethe_str *values_sort(const lethe_column_values *c)
{
    lethe_str *sorted = lethe_new(c->arena, lethe_str, c->n);
    if (!sorted) return NULL;
    memcpy(sorted, c->at, c->n * sizeof *sorted);
    qsort(sorted, c->n, sizeof *sorted, lethe_strs_cmp);
    return sorted;
}

/* --- codes --- */

enum { PREFIXES_MAX = 64, CODE_MAX = 64 };

/* Letters, digits and what stands between them; no star, which marks what was cut off. */
static bool is_code(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i] < ' ' || s.at[i] > '~' || s.at[i] == '*') return false;
    return s.n >= 2 && s.n <= CODE_MAX;
}

bool lethe_values_are_codes(const lethe_column_values *c)
{
    for (size_t i = 0; i < c->n; i++) {
        lethe_str s = c->at[i];
        bool digit = false;
        if (s.n != c->at[0].n || s.n < 3 || !is_code(s)) return false;
        for (size_t k = 0; k < s.n; k++) {
            bool is_digit = s.at[k] >= '0' && s.at[k] <= '9',
                 letter = (s.at[k] >= 'a' && s.at[k] <= 'z') || (s.at[k] >= 'A' && s.at[k] <= 'Z');
            if (!is_digit && !letter) return false;
            digit = digit || is_digit;
        }
        if (!digit) return false;
    }
    return c->n > 0;
}

static lethe_err prefixes_parse(const lethe_column_values *c, const char *text, size_t length,
                                size_t *keep, size_t *n)
{
    static const char want[] = "is not a list of falling lengths below that of the codes";
    *n = 0;
    for (const char *from = text;; from++) {
        size_t part = strcspn(from, ",");
        uint64_t x;
        if (!lethe_parse_u64(lethe_str_trim((lethe_str){from, part}), &x) || x == 0 ||
            x >= (*n ? keep[*n - 1] : length) || *n == PREFIXES_MAX)
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--prefixes: '%s' %s, which have %zu", text,
                              want, length);
        keep[(*n)++] = (size_t)x;
        from += part;
        if (!*from) return LETHE_OK;
    }
}

/* One character less at a time; of long codes more, so that there are seven lengths at most. */
static void prefixes_choose(size_t length, size_t *keep, size_t *n)
{
    size_t step = (length + 7) / 8;
    *n = 0;
    for (size_t left = length; left > step; left -= step)
        keep[(*n)++] = left - step;
}

static lethe_err codes_check(const lethe_column_values *c)
{
    char fault[120];
    for (size_t i = 0; i < c->n; i++) {
        if (!is_code(c->at[i]))
            return lethe_value_fail(c, i,
                                    "is not a code of 2 to 64 printable characters of ASCII, "
                                    "other than '*'");
        if (c->at[i].n == c->at[0].n) continue;
        snprintf(fault, sizeof fault, "has %zu characters, and the value of row %llu has %zu",
                 c->at[i].n, (unsigned long long)c->row[0], c->at[0].n);
        return lethe_value_fail(c, i, fault);
    }
    return LETHE_OK;
}

lethe_err lethe_ladders_codes(const lethe_column_values *c, const char *prefixes,
                              lethe_ladders *out)
{
    size_t keep[PREFIXES_MAX], n, length = c->at[0].n;
    LETHE_TRY(codes_check(c));
    if (prefixes)
        LETHE_TRY(prefixes_parse(c, prefixes, length, keep, &n));
    else
        prefixes_choose(length, keep, &n);
    LETHE_TRY(lethe_ladders_new(c, c->n, n, out));
    lethe_str *sorted = values_sort(c), told = lethe_ladders_text(c, "codes; prefixes of");
    if (!sorted) return lethe_no_memory(c->ctx);
    for (size_t i = 0; i < c->n; i++) {
        out->leaf[i] = sorted[i];
        for (size_t k = 0; k < n; k++) {
            char label[CODE_MAX];
            memset(label, '*', length);
            memcpy(label, sorted[i].at, keep[k]);
            lethe_str text = lethe_ladders_text(c, "%.*s", (int)length, label);
            if (!text.at) return lethe_no_memory(c->ctx);
            out->label[i * n + k] = text;
        }
    }
    for (size_t k = 0; told.at && k < n; k++)
        told = lethe_ladders_text(c, "%s%s %zu", told.at, k ? "," : "", keep[k]);
    if (told.at && n > 0) told = lethe_ladders_text(c, "%s characters", told.at);
    out->told = told.at;
    return out->told ? LETHE_OK : lethe_no_memory(c->ctx);
}

/* --- groups --- */

/* Values that the list lacks, named as far as there is room. */
static void lacking_warn(const lethe_column_values *c, const lethe_str *lacking, size_t n,
                         const char *path)
{
    enum { NAMED = 5 };
    char names[NAMED * 84 + 8] = "";
    size_t at = 0;
    for (size_t i = 0; i < n && i < NAMED; i++) {
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'", i ? ", " : "");
        at += lethe_show(names + at, 80, lacking[i]);
        at += (size_t)snprintf(names + at, sizeof names - at, "'");
    }
    lethe_warn(lethe_ctx_diag(c->ctx),
               "%zu value%s not in '%s', and stand%s directly below '*': %s%s", n,
               n == 1 ? " is" : "s are", path, n == 1 ? "s" : "", names, n > NAMED ? ", ..." : "");
}

/* The groups above a name; where there are fewer than levels, the last is repeated, which is one
 * node: so a group stands on one level with those beside it. */
static void groups_above(const lethe_value_groups *g, uint32_t name, lethe_str *label, size_t n)
{
    lethe_str last = LETHE_LIT("*");
    for (size_t k = 0; k < n; k++) {
        uint32_t above = name == LETHE_NONE ? LETHE_NONE : g->parent[name];
        if (above != LETHE_NONE) {
            last = lethe_dict_at(g->names, above);
            name = above;
        } else {
            name = LETHE_NONE;
        }
        label[k] = last;
    }
}

/* Copies what is in the list's own memory. */
static lethe_err names_keep(const lethe_column_values *c, lethe_str *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        name[i].at = lethe_arena_dup(c->arena, name[i]);
        if (!name[i].at) return lethe_no_memory(c->ctx);
    }
    return LETHE_OK;
}

static lethe_err groups_make(const lethe_column_values *c, const lethe_value_groups *g,
                             const char *path, lethe_ladders *out)
{
    size_t n_lacking = 0, n = 0;
    lethe_str *lacking = lethe_new(c->arena, lethe_str, c->n + 1),
              *leaf = lethe_new(c->arena, lethe_str, c->n + lethe_dict_count(g->names));
    if (!lacking || !leaf) return lethe_no_memory(c->ctx);
    // all values of the list, and those of the column that it lacks
    for (uint32_t i = 0; i < lethe_dict_count(g->names); i++)
        if (g->is_value[i]) leaf[n++] = lethe_dict_at(g->names, i);
    for (size_t i = 0; i < c->n; i++) {
        uint32_t name = lethe_dict_find(g->names, c->at[i]);
        if (name != LETHE_NONE && g->is_value[name]) continue;
        leaf[n++] = c->at[i];
        if (name == LETHE_NONE) lacking[n_lacking++] = c->at[i]; // else it is called as a group
    }
    qsort(leaf, n, sizeof *leaf, lethe_strs_cmp);
    LETHE_TRY(lethe_ladders_new(c, n, g->depth, out));
    for (size_t i = 0; i < n; i++) {
        out->leaf[i] = leaf[i];
        groups_above(g, lethe_dict_find(g->names, leaf[i]), &out->label[i * g->depth], g->depth);
    }
    LETHE_TRY(names_keep(c, out->leaf, n));
    LETHE_TRY(names_keep(c, out->label, n * g->depth));
    if (n_lacking > 0) lacking_warn(c, lacking, n_lacking, path);
    out->told = "categories; groups from the list";
    return LETHE_OK;
}

lethe_err lethe_ladders_groups(const lethe_column_values *c, const char *path, lethe_ladders *out)
{
    lethe_value_groups g = {0};
    LETHE_TRY(lethe_value_groups_read(c->ctx, path, &g));
    lethe_err e = groups_make(c, &g, path, out);
    lethe_value_groups_free(&g);
    return e;
}

lethe_err lethe_ladders_flat(const lethe_column_values *c, lethe_ladders *out)
{
    LETHE_TRY(lethe_ladders_new(c, c->n, 0, out));
    lethe_str *sorted = values_sort(c);
    if (!sorted) return lethe_no_memory(c->ctx);
    memcpy(out->leaf, sorted, c->n * sizeof *sorted);
    out->told = "categories; all values below '*'";
    return LETHE_OK;
}
