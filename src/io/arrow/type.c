/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas into types.  The formats are those of the specification of the Arrow C data interface. */
#include "io/arrow/type.h"

enum { PRECISION_MAX = 38, SCALE_MAX = 76 };

/* --- formats of one letter --- */

typedef struct plain_format {
    char letter;
    lethe_arrow_type type;
} plain_format;

static const plain_format plain[] = {
    {'n', {.kind = LETHE_ARROW_NULL}},
    {'b', {.kind = LETHE_ARROW_BOOL}},
    {'c', {.kind = LETHE_ARROW_INT, .width = 1, .is_signed = true}},
    {'C', {.kind = LETHE_ARROW_INT, .width = 1}},
    {'s', {.kind = LETHE_ARROW_INT, .width = 2, .is_signed = true}},
    {'S', {.kind = LETHE_ARROW_INT, .width = 2}},
    {'i', {.kind = LETHE_ARROW_INT, .width = 4, .is_signed = true}},
    {'I', {.kind = LETHE_ARROW_INT, .width = 4}},
    {'l', {.kind = LETHE_ARROW_INT, .width = 8, .is_signed = true}},
    {'L', {.kind = LETHE_ARROW_INT, .width = 8}},
    {'e', {.kind = LETHE_ARROW_FLOAT, .width = 2}},
    {'f', {.kind = LETHE_ARROW_FLOAT, .width = 4}},
    {'g', {.kind = LETHE_ARROW_FLOAT, .width = 8}},
    {'u', {.kind = LETHE_ARROW_TEXT, .width = 4}},
    {'U', {.kind = LETHE_ARROW_TEXT, .width = 8}},
    {'z', {.kind = LETHE_ARROW_TEXT, .width = 4, .is_binary = true}},
    {'Z', {.kind = LETHE_ARROW_TEXT, .width = 8, .is_binary = true}},
};

static bool plain_read(const char *format, lethe_arrow_type *t)
{
    for (size_t i = 0; i < LETHE_COUNT(plain); i++)
        if (format[0] == plain[i].letter && format[1] == '\0') {
            *t = plain[i].type;
            return true;
        }
    return false;
}

/* --- times --- */

/* Units per second of the letter that says so; 0: it is none. */
static int64_t unit_of(char letter)
{
    switch (letter) {
    case 's':
        return 1;
    case 'm':
        return 1000;
    case 'u':
        return 1000000;
    case 'n':
        return 1000000000;
    default:
        return 0;
    }
}

static bool two_digits(const char *s, int64_t *out)
{
    if (s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9') return false;
    *out = (s[0] - '0') * 10 + (s[1] - '0');
    return true;
}

/* "+02:00", "-0730", "+02", and names of UTC. */
static bool zone_offset(const char *zone, int64_t *seconds)
{
    static const char *const utc[] = {"UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "Zulu", "utc"};
    int64_t hours, minutes = 0;
    *seconds = 0;
    for (size_t i = 0; i < LETHE_COUNT(utc); i++)
        if (strcmp(zone, utc[i]) == 0) return true;
    if ((zone[0] != '+' && zone[0] != '-') || !two_digits(zone + 1, &hours)) return false;
    const char *rest = zone + 3;
    if (*rest == ':') rest++;
    if (*rest && (!two_digits(rest, &minutes) || rest[2])) return false;
    if (hours > 24 || minutes > 59) return false;
    *seconds = (hours * 60 + minutes) * 60 * (zone[0] == '-' ? -1 : 1);
    return true;
}

static lethe_err timestamp_read(lethe_arena *a, const char *format, lethe_arrow_type *t,
                                lethe_arrow_fault *fault)
{
    int64_t unit = unit_of(format[2]);
    if (unit == 0 || format[3] != ':') {
        fault->cause = "a timestamp without unit or zone";
        return LETHE_OK;
    }
    *t = (lethe_arrow_type){.kind = LETHE_ARROW_TIMESTAMP, .width = 8, .per_second = unit};
    const char *zone = format + 4;
    if (*zone == '\0' || zone_offset(zone, &t->zone_s)) return LETHE_OK;
    t->zone = lethe_arena_dup(a, lethe_str_of(zone));
    return t->zone ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_err time_read(lethe_arena *a, const char *format, lethe_arrow_type *t,
                           lethe_arrow_fault *fault)
{
    int64_t unit = format[1] ? unit_of(format[2]) : 0;
    switch (format[1]) {
    case 's':
        return timestamp_read(a, format, t, fault);
    case 'd':
        if (strcmp(format, "tdD") == 0)
            *t = (lethe_arrow_type){.kind = LETHE_ARROW_DATE, .width = 4};
        else if (strcmp(format, "tdm") == 0)
            *t = (lethe_arrow_type){.kind = LETHE_ARROW_DATE, .width = 8, .per_second = 1000};
        else
            fault->cause = "a date of no known unit";
        return LETHE_OK;
    case 't':
        *t = (lethe_arrow_type){
            .kind = LETHE_ARROW_TIME, .width = unit <= 1000 ? 4 : 8, .per_second = unit};
        if (unit == 0 || format[3]) fault->cause = "a time of no known unit";
        return LETHE_OK;
    case 'D':
        fault->type = "a duration";
        return LETHE_OK;
    case 'i':
        fault->type = "an interval";
        return LETHE_OK;
    default:
        fault->type = "unknown";
        return LETHE_OK;
    }
}

/* --- numbers in formats --- */

/* A number at *s, which goes behind it. */
static bool number_take(const char **s, int64_t *out)
{
    const char *p = *s;
    bool negative = *p == '-';
    p += negative;
    uint64_t v = 0;
    const char *first = p;
    for (; *p >= '0' && *p <= '9' && p - first < 10; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    if (p == first) return false;
    *out = negative ? -(int64_t)v : (int64_t)v;
    *s = p;
    return true;
}

static void decimal_read(const char *format, lethe_arrow_type *t, lethe_arrow_fault *fault)
{
    int64_t precision, scale, bits = 128;
    const char *p = format + 2;
    bool good = format[1] == ':' && number_take(&p, &precision) && *p == ',' &&
                (p++, number_take(&p, &scale));
    if (good && *p == ',') good = (p++, number_take(&p, &bits));
    if (!good || *p || precision < 1) {
        fault->cause = "a decimal without precision and scale";
        return;
    }
    bool known = bits == 32 || bits == 64 || bits == 128;
    if (!known || precision > PRECISION_MAX || scale > SCALE_MAX || scale < -SCALE_MAX)
        fault->type = bits == 256 ? "a decimal of 256 bits" : "a decimal of unusual size";
    else
        *t = (lethe_arrow_type){
            .kind = LETHE_ARROW_DECIMAL, .width = (unsigned)bits / 8, .scale = (int)scale};
}

/* "w:42": the length that all values have. */
static void length_read(const char *p, lethe_arrow_type *t, lethe_arrow_fault *fault)
{
    if (!number_take(&p, &t->fixed) || *p || t->fixed < 0 || t->fixed > INT32_MAX)
        fault->cause = "a fixed length that is none";
}

/* --- all formats --- */

static void list_read(const char *format, lethe_arrow_type *t, lethe_arrow_fault *fault)
{
    static const struct {
        const char *format, *words;
    } others[] = {{"+s", "a struct"}, {"+m", "a map"}, {"+r", "run-end encoded"}};
    const char *p = format + 1;
    bool view = *p == 'v';
    p += view;
    if ((*p == 'l' || *p == 'L') && !p[1]) {
        *t = (lethe_arrow_type){.kind = view ? LETHE_ARROW_LIST_VIEW : LETHE_ARROW_LIST,
                                .width = *p == 'L' ? 8 : 4};
        return;
    }
    if (!view && p[0] == 'w' && p[1] == ':') {
        *t = (lethe_arrow_type){.kind = LETHE_ARROW_LIST_FIXED};
        length_read(p + 2, t, fault);
        return;
    }
    fault->type = strncmp(format, "+u", 2) == 0 ? "a union" : "unknown";
    for (size_t i = 0; i < LETHE_COUNT(others); i++)
        if (strcmp(format, others[i].format) == 0) fault->type = others[i].words;
}

static lethe_err format_read(lethe_arena *a, const char *format, lethe_arrow_type *t,
                             lethe_arrow_fault *fault)
{
    if (plain_read(format, t)) return LETHE_OK;
    switch (format[0]) {
    case 'd':
        decimal_read(format, t, fault);
        return LETHE_OK;
    case 'v':
        *t = (lethe_arrow_type){.kind = LETHE_ARROW_VIEW, .is_binary = format[1] == 'z'};
        if ((format[1] != 'u' && format[1] != 'z') || format[2]) fault->type = "unknown";
        return LETHE_OK;
    case 'w':
        *t = (lethe_arrow_type){.kind = LETHE_ARROW_FIXED, .is_binary = true};
        if (format[1] == ':')
            length_read(format + 2, t, fault);
        else
            fault->cause = "a fixed length that is none";
        return LETHE_OK;
    case 't':
        return time_read(a, format, t, fault);
    case '+':
        list_read(format, t, fault);
        return LETHE_OK;
    default:
        fault->type = "unknown";
        return LETHE_OK;
    }
}

/* Inside a dictionary or list: no list, and no dictionary in a dictionary. */
static lethe_err type_read(lethe_arena *a, const struct ArrowSchema *s, bool in_list,
                           bool in_dictionary, lethe_arrow_type **out, lethe_arrow_fault *fault)
{
    lethe_arrow_type *t = lethe_new(a, lethe_arrow_type, 1);
    const struct ArrowSchema *inner = NULL;
    if (!t) return LETHE_ENOMEM;
    if (!s || !s->format) {
        fault->cause = "a schema without a format";
        return LETHE_OK;
    }
    LETHE_TRY(format_read(a, s->format, t, fault));
    if (fault->type || fault->cause) return LETHE_OK;
    if (lethe_arrow_is_list(t)) {
        if (in_list || in_dictionary)
            fault->type = in_list ? "a list of lists" : "a dictionary of lists";
        else if (s->n_children != 1 || !s->children || !s->children[0])
            fault->cause = "a list without items";
        else
            inner = s->children[0];
    }
    if (s->dictionary) {
        if (t->kind != LETHE_ARROW_INT || in_dictionary)
            fault->cause = "a dictionary that is not looked up by a whole number";
        t->kind = LETHE_ARROW_DICTIONARY;
        inner = s->dictionary;
    }
    if (fault->type || fault->cause) return LETHE_OK;
    if (inner)
        LETHE_TRY(type_read(a, inner, in_list || !s->dictionary, in_dictionary || s->dictionary,
                            &t->values, fault));
    if (!fault->type && !fault->cause) *out = t;
    return LETHE_OK;
}

lethe_err lethe_arrow_type_read(lethe_arena *a, const struct ArrowSchema *s, lethe_arrow_type **out,
                                lethe_arrow_fault *fault)
{
    *fault = (lethe_arrow_fault){0};
    return type_read(a, s, false, false, out, fault);
}
