/* SPDX-License-Identifier: Apache-2.0 */
/* claims.c - a claim of a release in words, for a person at a terminal. */
#include "cli.h"
#include <stdlib.h>

/* How a parameter is shown; those that are not listed, as "name = value". */
enum look {
    LOOK_WORD,  /* "name value" */
    LOOK_SPAN,  /* "name 1 hour" */
    LOOK_START, /* "name 1234abcd..." */
    LOOK_IF_SO, /* `words` if it is true, or text, and nothing if it is false */
    LOOK_EITHER /* `words` or `otherwise` */
};
static const struct parameter {
    const char *name;
    enum look look;
    const char *words, *otherwise;
} parameters[] = {
    {"by", LOOK_WORD, NULL, NULL},
    {"gap", LOOK_SPAN, NULL, NULL},
    {"kinds", LOOK_WORD, NULL, NULL},
    {"columns", LOOK_WORD, NULL, NULL},
    {"rare", LOOK_IF_SO, "rare texts hashed", NULL},
    {"clicked", LOOK_IF_SO, "clicked addresses too", NULL},
    {"persons", LOOK_IF_SO, "counting records", NULL},
    {"strict", LOOK_IF_SO, "strict", NULL},
    {"groups", LOOK_IF_SO, "overlapping groups", NULL},
    {"counting", LOOK_IF_SO, "counting considered for a fixed cut", NULL},
    {"distance", LOOK_WORD, NULL, NULL},
    {"population", LOOK_START, NULL, NULL},
    {"scheme", LOOK_WORD, NULL, NULL},
    {"clicks", LOOK_EITHER, "with clicks", "without clicks"},
};

/* What a check adds to the parameters of its claim. */
static const char *const not_parameters[] = {"notion",  "holds",          "decided",
                                             "if",      "undecided",      "because",
                                             "nothing", "counterexample", "needs"};

static bool is(lethe_str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

static const struct parameter *parameter_find(lethe_str name)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (is(name, parameters[i].name)) return &parameters[i];
    return NULL;
}

/* As many elements as fit into a line, and how many more there are. */
static void list_print(FILE *f, const lethe_json *v)
{
    enum { LIST_BYTES = 52, NAME_BYTES = 24 };
    size_t n = lethe_json_count(v), bytes = 0;
    for (size_t i = 0; i < n; i++) {
        lethe_str name = lethe_json_text(lethe_json_at(v, i));
        bytes += (name.n < NAME_BYTES ? name.n : NAME_BYTES) + 2;
        if (i > 0 && bytes > LIST_BYTES) {
            fprintf(f, " and %zu more", n - i);
            return;
        }
        if (i > 0) fputs(", ", f);
        print_safe(f, name, NAME_BYTES);
    }
}

static void value_print(FILE *f, const lethe_json *v)
{
    enum { VALUE_BYTES = 40 };
    size_t n;
    lethe_json_type kind = lethe_json_kind(v);
    if (kind == LETHE_JSON_TEXT) {
        print_safe(f, lethe_json_text(v), VALUE_BYTES);
    } else if (kind == LETHE_JSON_REAL) {
        fprintf(f, "%.15g", lethe_json_real(v));
    } else if (kind == LETHE_JSON_ARRAY) {
        list_print(f, v);
    } else {
        char *text = lethe_json_write(v, 0, &n);
        if (text) print_safe(f, (lethe_str){text, n}, VALUE_BYTES);
        lethe_json_text_free(text);
    }
}

/* Seconds in the largest unit that divides them. */
static void span_print(FILE *f, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    char x[32];
    size_t i = 0;
    while (seconds % units[i].seconds != 0 || (seconds < units[i].seconds && units[i].seconds > 1))
        i++;
    int64_t n = seconds / units[i].seconds;
    fprintf(f, "%s %s%s", grouped(x, n), units[i].name, n == 1 ? "" : "s");
}

static void parameter_print(FILE *f, lethe_str name, const lethe_json *v)
{
    enum { NAME_BYTES = 24, START_BYTES = 12, VALUE_BYTES = 40 };
    const struct parameter *p = parameter_find(name);
    bool so = lethe_json_kind(v) == LETHE_JSON_TEXT || lethe_json_bool(v);
    if (p && p->words) {
        fputs(so ? p->words : p->otherwise, f);
        return;
    }
    if (is(name, "theta") && is(lethe_json_text(v), "listed")) {
        fputs("theta as listed in theta.tsv", f);
        return;
    }
    print_safe(f, name, NAME_BYTES);
    fputs(p ? " " : " = ", f);
    lethe_str text = lethe_json_text(v);
    if (p && p->look == LOOK_SPAN && lethe_json_kind(v) == LETHE_JSON_INT) {
        span_print(f, lethe_json_int(v));
    } else if (p && p->look == LOOK_START && text.n > START_BYTES) {
        print_safe(f, text, START_BYTES);
    } else if (text.n > 2 && memcmp(text.at + text.n - 2, "/1", 2) == 0) { // a whole number
        print_safe(f, (lethe_str){text.at, text.n - 2}, VALUE_BYTES);
    } else {
        value_print(f, v);
    }
}

/* Does the parameter say anything? */
static bool is_shown(lethe_str name, const lethe_json *v)
{
    const struct parameter *p = parameter_find(name);
    for (size_t i = 0; i < sizeof not_parameters / sizeof *not_parameters; i++)
        if (is(name, not_parameters[i])) return false;
    return !p || p->look != LOOK_IF_SO || lethe_json_kind(v) == LETHE_JSON_TEXT ||
           lethe_json_bool(v);
}

char *claim_parameters(const lethe_json *claim)
{
    char *text = NULL;
    size_t n = 0;
    bool any = false;
    FILE *f = open_memstream(&text, &n);
    if (!f) return NULL;
    for (int lists = 0; lists < 2; lists++) // last, as they have commas too
        for (size_t i = 0; i < lethe_json_count(claim); i++) {
            lethe_str name = lethe_json_name(claim, i);
            const lethe_json *v = lethe_json_at(claim, i);
            if (!is_shown(name, v) || (lethe_json_kind(v) == LETHE_JSON_ARRAY) != lists) continue;
            if (any) fputs(", ", f);
            parameter_print(f, name, v);
            any = true;
        }
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

lethe_str claim_nothing(const lethe_json *check)
{
    static const char promises[] = " promises ";
    lethe_str s = lethe_json_text(lethe_json_get(check, "nothing"));
    for (size_t at = 0; at + sizeof promises - 1 < s.n; at++)
        if (memcmp(s.at + at, promises, sizeof promises - 1) == 0) {
            s = (lethe_str){s.at + at + 1, s.n - at - 1};
            break;
        }
    if (s.n > 0 && s.at[s.n - 1] == '.') s.n--;
    return s;
}
