/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - the figures of a report in words, as the tables of figures have them. */
#include "cli.h"

enum { SHOWN_MAX = 10 }; /* elements of an array; --json has the rest */

/* Is it a part of 1, shown in percent? */
static bool is_share(const lethe_figure *f)
{
    if (f->unit) return f->unit[0] == '%';
    return f->kind == LETHE_FIGURE_SHARE || f->kind == LETHE_FIGURE_SHARES;
}

static const char *unit_of(const lethe_figure *f)
{
    return f->unit ? f->unit : is_share(f) ? "%" : "";
}

const char *figure_label(const lethe_figure *f, char out[LABEL_BYTES])
{
    snprintf(out, LABEL_BYTES, "%s", f->label ? f->label : f->name);
    for (char *c = out; !f->label && *c; c++)
        if (*c == '_') *c = ' ';
    return out;
}

static void print_word(FILE *to, lethe_str word)
{
    fputc(' ', to);
    print_safe(to, word, 40);
}

/* One value per level, or names; "-" where a level has no value. */
static void print_array(FILE *to, const lethe_json *v, const lethe_figure *f)
{
    char x[32];
    size_t n = lethe_json_count(v);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        const lethe_json *at = lethe_json_at(v, i);
        if (lethe_json_kind(at) == LETHE_JSON_INT)
            fprintf(to, " %s", grouped(x, lethe_json_int(at)));
        else if (lethe_json_kind(at) == LETHE_JSON_REAL && is_share(f))
            fprintf(to, " %.1f", 100 * lethe_json_real(at));
        else if (lethe_json_kind(at) == LETHE_JSON_REAL)
            fprintf(to, " %.4f", lethe_json_real(at));
        else if (lethe_json_kind(at) == LETHE_JSON_TEXT)
            print_word(to, lethe_json_text(at));
        else
            fputs(" -", to);
    }
    if (n > SHOWN_MAX) fprintf(to, " ... (%s)", grouped(x, (int64_t)n));
    if (n == 0) fputs(" none", to);
    if (n > 0 && *unit_of(f)) fprintf(to, " %s", unit_of(f));
}

/* The members that are not zero; of an array, its length. */
static void print_parts(FILE *to, const lethe_json *v, const lethe_figure *f)
{
    char x[32];
    const char *gap = " ";
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        const lethe_json *at = lethe_json_at(v, i);
        int64_t n = lethe_json_kind(at) == LETHE_JSON_ARRAY ? (int64_t)lethe_json_count(at)
                                                            : lethe_json_int(at);
        if (n == 0) continue;
        fputs(gap, to);
        print_safe(to, lethe_json_name(v, i), SAFE_MAX);
        fprintf(to, " %s", grouped(x, n));
        gap = ", ";
    }
    if (*gap == ' ')
        fputs(" none", to);
    else if (*unit_of(f))
        fprintf(to, " (%s)", unit_of(f));
}

void print_figure_meaning(FILE *to, const lethe_figure *f)
{
    char first[80];
    snprintf(first, sizeof first, "    %s: ", f->name);
    print_folded(to, str_of(f->meaning), first, "    ");
}

bool figure_shown(const lethe_figure *f, const lethe_json *v, bool explain)
{
    lethe_json_type kind = lethe_json_kind(v);
    if (kind == LETHE_JSON_NULL || kind == LETHE_JSON_TEXT) return false;
    bool none = (kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL) && lethe_json_real(v) == 0;
    return explain || !(f->detail || (none && f->better < 0));
}

void print_figure(FILE *to, int width, const lethe_figure *f, const lethe_json *v)
{
    char x[32], label[LABEL_BYTES];
    const char *unit = unit_of(f);
    fprintf(to, "  %-*s ", width, figure_label(f, label));
    lethe_json_type kind = lethe_json_kind(v);
    if (kind == LETHE_JSON_ARRAY)
        print_array(to, v, f);
    else if (kind == LETHE_JSON_OBJECT)
        print_parts(to, v, f);
    else if (kind == LETHE_JSON_BOOL)
        fputs(lethe_json_bool(v) ? " yes" : " no", to);
    else if (kind == LETHE_JSON_INT && !is_share(f))
        fprintf(to, " %s%s%s", grouped(x, lethe_json_int(v)), *unit ? " " : "", unit);
    else {
        fputc(' ', to);
        print_real(to, lethe_json_real(v), unit);
    }
    fputc('\n', to);
}
