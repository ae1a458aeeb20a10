/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables: parsing and checking values, and writing them to and reading them from a
 * manifest. */
#include "io/json/option.h"
#include "core/parse.h"
#include <math.h>
#include <stdio.h>

/* A maximum from here on, near the end of int64_t, stands for none. */
#define NO_END 9e18

size_t lethe_option_count(const lethe_option *table)
{
    size_t n = 0;
    while (table && table[n].name)
        n++;
    return n;
}

/* The number of `text` among "a|b|c"; -1: not one of them. */
static int64_t choice_number(const char *choices, lethe_str text)
{
    int64_t number = 0;
    for (const char *p = choices;; number++) {
        const char *bar = strchrnul(p, '|');
        if (lethe_str_eq((lethe_str){p, (size_t)(bar - p)}, text)) return number;
        if (!*bar) return -1;
        p = bar + 1;
    }
}

/* The bits of "a,c" among "a|b|c"; 0: one is not among them, or is there twice. */
static int64_t set_bits(const char *choices, const char *text)
{
    int64_t bits = 0;
    for (const char *p = text;;) {
        const char *comma = strchrnul(p, ',');
        int64_t number = choice_number(choices, (lethe_str){p, (size_t)(comma - p)});
        if (number < 0 || (bits >> number & 1)) return 0;
        bits |= (int64_t)1 << number;
        if (!*comma) return bits;
        p = comma + 1;
    }
}

/* Is the text one of the option's words? */
static bool word_parse(const lethe_option *o, const char *text, lethe_value *v)
{
    int64_t number = o->word ? choice_number(o->word, lethe_str_of(text)) : -1;
    if (number < 0) return false;
    v->word = true;
    v->count = number;
    return true;
}

/* "1/3": the double that its decimals are read as. */
static bool fraction_parse(lethe_str s, double *out)
{
    const char *slash = memchr(s.at, '/', s.n);
    uint64_t num, den;
    if (!slash) return false;
    lethe_str above = {s.at, (size_t)(slash - s.at)}, below = {slash + 1, s.n - above.n - 1};
    if (!lethe_parse_u64(above, &num) || !lethe_parse_u64(below, &den)) return false;
    // both are exact doubles, so that the quotient is the one nearest to the fraction
    if (den == 0 || num > UINT64_C(1) << 53 || den > UINT64_C(1) << 53) return false;
    *out = (double)num / (double)den;
    return true;
}

/* Writes the number a text stands for into `v`; false where it does not fit the option's type. */
static bool number_parse(const lethe_option *o, const char *text, lethe_value *v)
{
    lethe_str s = lethe_str_of(text);
    uint64_t size;
    switch (o->type) {
    case LETHE_OPT_FLAG:
        v->count = 1;
        return true;
    case LETHE_OPT_COUNT:
        if (!lethe_parse_i64(s, &v->count)) return false;
        v->real = (double)v->count;
        return true;
    case LETHE_OPT_REAL:
        v->count = o->unit && s.n > 1 && s.at[s.n - 1] == o->unit;
        s.n -= (size_t)v->count;
        return lethe_parse_real(s, &v->real) || fraction_parse(s, &v->real);
    case LETHE_OPT_CHOICE:
        v->count = choice_number(o->arg, s);
        return v->count >= 0;
    case LETHE_OPT_SET:
        v->count = set_bits(o->arg, text);
        return v->count != 0;
    case LETHE_OPT_TEXT:
        return true;
    case LETHE_OPT_PATH:
        return s.n > 0;
    case LETHE_OPT_DURATION:
        if (!lethe_parse_duration(s, &v->count)) return false;
        v->real = (double)v->count;
        return true;
    case LETHE_OPT_SIZE:
        if (!lethe_parse_size(s, &size) || size > INT64_MAX) return false;
        v->count = (int64_t)size;
        v->real = (double)size;
        return true;
    }
    return false;
}

static bool value_parse(const lethe_option *o, const char *text, lethe_value *v)
{
    return word_parse(o, text, v) || number_parse(o, text, v);
}

void lethe_values_init(lethe_values *v, const lethe_option *table, lethe_value *at)
{
    *v = (lethe_values){.table = table, .at = at, .n = lethe_option_count(table)};
    for (size_t i = 0; i < v->n; i++) {
        at[i] = (lethe_value){.text = table[i].fallback};
        if (!table[i].fallback) continue;
        at[i].present = value_parse(&table[i], table[i].fallback, &at[i]);
        assert(at[i].present); // a fallback that its own row refuses is our bug
    }
}

/* "-k" or "--gap": how the user knows the option. */
static const char *shown_name(const lethe_option *o, char out[40])
{
    if (o->letter && strlen(o->name) == 1)
        snprintf(out, 40, "-%c", o->letter);
    else
        snprintf(out, 40, "--%s", o->name);
    return out;
}

static lethe_err refuse(const lethe_option *o, const char *text, lethe_diag *d)
{
    static const char *const wanted[] = {
        [LETHE_OPT_FLAG] = "no value",
        [LETHE_OPT_COUNT] = "a whole number",
        [LETHE_OPT_REAL] = "a number",
        [LETHE_OPT_TEXT] = "a text",
        [LETHE_OPT_PATH] = "a file name",
        [LETHE_OPT_DURATION] = "a duration such as 90s, 60m, 1h or 2d",
        [LETHE_OPT_SIZE] = "a size such as 200M or 4G",
    };
    char name[40];
    if (o->type == LETHE_OPT_CHOICE)
        return lethe_fail(d, LETHE_EUSAGE, "%s: '%s' is not one of %s", shown_name(o, name), text,
                          o->arg);
    if (o->type == LETHE_OPT_SET)
        return lethe_fail(d, LETHE_EUSAGE, "%s: '%s' is not a list of %s, each once, with commas",
                          shown_name(o, name), text, o->arg);
    char unit[] = {',', ' ', 'X', o->unit, 0}; // "a number, Xl, or auto"
    return lethe_fail(d, LETHE_EUSAGE, "%s: '%s' is not %s%s%s%s", shown_name(o, name), text,
                      wanted[o->type], o->unit ? unit : "", o->word ? ", or " : "",
                      o->word ? o->word : "");
}

/* A bound as the user would type it: 16M, not 16777216. */
static const char *shown_bound(const lethe_option *o, double bound, char out[40])
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t unit = 0;
    if (o->type == LETHE_OPT_SIZE)
        for (; unit + 1 < LETHE_COUNT(units) && bound >= 1024 && fmod(bound, 1024) == 0; unit++)
            bound /= 1024;
    snprintf(out, 40, "%.15g%s", bound, o->type == LETHE_OPT_DURATION ? "s" : units[unit]);
    return out;
}

lethe_err lethe_values_set(lethe_values *v, size_t i, const char *text, lethe_diag *d)
{
    const lethe_option *o = &v->table[i];
    lethe_value new_value = {.given = true, .present = true, .text = text};
    if (!value_parse(o, text, &new_value)) return refuse(o, text, d);
    if ((o->min != 0 || o->max != 0) && !new_value.word &&
        (new_value.real < o->min || new_value.real > o->max)) {
        char name[40], min[40], max[40];
        shown_name(o, name);
        shown_bound(o, o->min, min);
        if (o->max >= NO_END)
            return lethe_fail(d, LETHE_EUSAGE, "%s: %s is out of range (%s or more)", name, text,
                              min);
        return lethe_fail(d, LETHE_EUSAGE, "%s: %s is out of range (%s to %s)", name, text, min,
                          shown_bound(o, o->max, max));
    }
    v->at[i] = new_value;
    return LETHE_OK;
}

lethe_err lethe_values_check(const lethe_values *v, const char *command, lethe_diag *d)
{
    char name[40];
    for (size_t i = 0; i < v->n; i++)
        if (v->table[i].required && !v->at[i].present)
            return lethe_fail(d, LETHE_EUSAGE, "%s needs %s", command,
                              shown_name(&v->table[i], name));
    return LETHE_OK;
}

const lethe_value *lethe_value_find(const lethe_values *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->table[i].name, name) == 0) return &v->at[i];
    return NULL;
}

const lethe_value *lethe_value_of(const lethe_values *v, const char *name)
{
    const lethe_value *found = lethe_value_find(v, name);
    assert(found); // no such option in the table is our bug
    return found;
}

static lethe_json *value_json(lethe_json_doc *doc, const lethe_option *o, const lethe_value *v)
{
    if (o->type == LETHE_OPT_FLAG) return lethe_json_new_bool(doc, v->present);
    if (!v->present) return NULL;
    if (v->word) return lethe_json_new_text(doc, lethe_str_of(v->text));
    if (o->type == LETHE_OPT_PATH) return v->given ? lethe_json_new_bool(doc, true) : NULL;
    switch (o->type) {
    case LETHE_OPT_COUNT:
        return lethe_json_new_int(doc, v->count);
    case LETHE_OPT_REAL:
        return v->count ? lethe_json_new_text(doc, lethe_str_of(v->text))
                        : lethe_json_new_real(doc, v->real);
    default:
        return lethe_json_new_text(doc, lethe_str_of(v->text));
    }
}

/* A path is secret; a word in its place is not. */
static bool is_spelled(const lethe_option *o, const lethe_value *v)
{
    return !o->secret && (o->type != LETHE_OPT_PATH || v->word);
}

/* Is it written whether there is a path? */
static bool is_told(const lethe_option *o)
{
    return !o->secret && o->type == LETHE_OPT_PATH && o->told;
}

lethe_json *lethe_values_json(lethe_json_doc *doc, const lethe_values *v)
{
    lethe_json *object = lethe_json_object(doc);
    for (size_t i = 0; i < v->n; i++) {
        const lethe_option *o = &v->table[i];
        if (!is_spelled(o, &v->at[i]) && !is_told(o)) continue;
        lethe_json *value = value_json(doc, o, &v->at[i]);
        if (value) lethe_json_set(doc, object, o->name, value);
    }
    return object;
}

static lethe_err value_read(lethe_arena *a, lethe_values *v, size_t i, const lethe_json *member,
                            lethe_diag *d)
{
    lethe_json_type kind = lethe_json_kind(member);
    if (is_told(&v->table[i]) && kind == LETHE_JSON_BOOL) {
        if (!lethe_json_bool(member)) return LETHE_EINPUT;
        v->at[i] = (lethe_value){.given = true, .present = true};
        return LETHE_OK;
    }
    if (v->table[i].type == LETHE_OPT_FLAG) {
        if (kind != LETHE_JSON_BOOL) return LETHE_EINPUT;
        bool on = lethe_json_bool(member);
        v->at[i] = (lethe_value){.given = on, .present = on, .count = on};
        return LETHE_OK;
    }
    char *text = NULL;
    if (kind == LETHE_JSON_TEXT)
        text = lethe_arena_dup(a, lethe_json_text(member));
    else if (kind == LETHE_JSON_INT)
        text = lethe_arena_printf(a, "%lld", (long long)lethe_json_int(member));
    else if (kind == LETHE_JSON_REAL)
        text = lethe_arena_printf(a, "%.17g", lethe_json_real(member));
    else
        return LETHE_EINPUT;
    if (!text) return lethe_no_memory(d);
    lethe_err e = lethe_values_set(v, i, text, NULL);
    return e == LETHE_OK && is_spelled(&v->table[i], &v->at[i]) ? LETHE_OK : LETHE_EINPUT;
}

lethe_err lethe_values_read(lethe_arena *a, lethe_values *v, const lethe_json *object,
                            lethe_diag *d)
{
    for (size_t m = 0, n = lethe_json_count(object); m < n; m++) {
        lethe_str name = lethe_json_name(object, m);
        size_t i = 0;
        while (i < v->n && !lethe_str_eq(lethe_str_of(v->table[i].name), name))
            i++;
        lethe_err e = i < v->n ? value_read(a, v, i, lethe_json_at(object, m), d) : LETHE_EINPUT;
        if (e == LETHE_EINPUT)
            return lethe_fail(
                d, e, "parameter '%.*s' is unknown to this command, or its value is not accepted",
                (int)LETHE_MIN(name.n, 40), name.at);
        LETHE_TRY(e);
    }
    return LETHE_OK;
}
