/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - argv against the option tables. */
#include "cli.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

lethe_err misuse(const char *whose, const char *fmt, ...)
{
    char text[2 * SAFE_MAX]; // arguments may hold anything, and a terminal gets none of it raw
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fputs("lethe: ", stderr);
    print_safe(stderr, str_of(text), sizeof text);
    if (whose)
        fprintf(stderr, " (see 'lethe %s --help')\n", whose);
    else
        fputs(" (see 'lethe help')\n", stderr);
    return LETHE_EUSAGE;
}

/* The same for a name that does not exist, with the name that was probably meant, if any. */
static lethe_err misuse_name(const char *whose, const char *what, lethe_str typed, lethe_str meant)
{
    if (meant.n == 0) return misuse(whose, "%s '%.*s'", what, (int)typed.n, typed.at);
    char x[SAFE_BYTES];
    fprintf(stderr, "lethe: %s '%s' (did you mean '%.*s'?)\n", what, safe(x, typed), (int)meant.n,
            meant.at);
    return LETHE_EUSAGE;
}

lethe_err misuse_command(const char *name)
{
    nearest near = {.typed = str_of(name)};
    lethe_command c;
    for (size_t i = 0; command_at(i, &c); i++)
        nearest_offer(&near, str_of(c.name));
    return misuse_name(NULL, "unknown command", near.typed, near.name);
}

static lethe_err no_memory(void)
{
    fputs("lethe: out of memory\n", stderr);
    return LETHE_ENOMEM;
}

static lethe_err stage_begin(arguments *a, const char *name)
{
    stage *grown = realloc(a->stages, (a->n_stages + 1) * sizeof *grown);
    if (!grown) return no_memory();
    a->stages = grown;
    stage *s = &a->stages[a->n_stages];
    if (!command_find(name, &s->command)) return misuse_command(name);
    if (a->n_stages > 0 && !is_method(&s->command))
        return misuse(NULL, "'%s' cannot follow --then: it is not a method", name);
    if (a->n_stages == 1 && !is_method(&a->stages[0].command))
        return misuse(a->stages[0].command.name,
                      "'%s' cannot be followed by --then: it is not a method",
                      a->stages[0].command.name);
    lethe_value *at = calloc(lethe_option_count(s->command.options) + 1, sizeof *at);
    if (!at) return no_memory();
    lethe_values_init(&s->values, s->command.options, at);
    a->n_stages++;
    return LETHE_OK;
}

/* An option: its table (the command's own, or the common one) and its place in it. */
typedef struct place {
    lethe_values *values;
    size_t i;
} place;

static bool option_is(const lethe_option *o, const char *name, size_t n, char letter)
{
    if (letter) return o->letter == letter;
    return strlen(o->name) == n && memcmp(o->name, name, n) == 0 && !(o->letter && n == 1);
}

static bool place_find(arguments *a, const char *name, size_t n, char letter, place *out)
{
    stage *s = &a->stages[a->n_stages - 1];
    lethe_values *tables[] = {&s->values, &a->common};
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < tables[t]->n; i++) {
            const lethe_option *o = &tables[t]->table[i];
            if (!option_is(o, name, n, letter)) continue;
            if (t == 1 && !common_applies(o, &s->command)) continue;
            *out = (place){tables[t], i};
            return true;
        }
    return false;
}

/* `typed` has its dashes, and no value. */
static lethe_err misuse_option(const arguments *a, lethe_str typed)
{
    const lethe_command *c = &a->stages[a->n_stages - 1].command;
    const lethe_option *tables[] = {c->options, common_options}, *meant = NULL;
    size_t dashes = typed.at[1] == '-' ? 2 : 1;
    nearest near = {.typed = {typed.at + dashes, typed.n - dashes}};
    for (int t = 0; t < 2; t++)
        for (const lethe_option *o = tables[t]; o && o->name; o++)
            if ((t == 0 || common_applies(o, c)) && nearest_offer(&near, str_of(o->name)))
                meant = o;
    char what[64], name[64];
    snprintf(what, sizeof what, "%s has no option", c->name);
    if (!meant) return misuse_name(c->name, what, typed, (lethe_str){0});
    int n = snprintf(name, sizeof name, meant->name[1] ? "--%s" : "-%s", meant->name);
    return misuse_name(c->name, what, typed, (lethe_str){name, (size_t)n});
}

/* Notes what was typed for the request; an option of the program itself is none of it. */
static lethe_err given_add(arguments *a, const lethe_option *o, const char *value)
{
    const lethe_option *shared = lethe_common_options(),
                       *own = a->stages[a->n_stages - 1].command.options;
    bool ours = true;
    for (; shared->name && ours; shared++)
        ours = strcmp(shared->name, o->name) != 0;
    for (; own && own->name && ours; own++)
        ours = strcmp(own->name, o->name) != 0;
    if (ours) return LETHE_OK;
    given *grown = realloc(a->given, (a->n_given + 1) * sizeof *grown);
    if (!grown) return no_memory();
    a->given = grown;
    grown[a->n_given++] = (given){a->n_stages - 1, o->name, value};
    return LETHE_OK;
}

/* A value that is no choice of the option, but nearly one: says which. */
static lethe_err choice_check(const char *whose, const lethe_option *o, const char *value)
{
    nearest near = {.typed = str_of(value)};
    for (const char *at = o->arg; *at;) {
        size_t n = strcspn(at, "|");
        nearest_offer(&near, (lethe_str){at, n});
        at += n + (at[n] == '|');
    }
    if (near.name.n == 0 || near.distance == 0) return LETHE_OK; // lethe_values_set decides
    return misuse(whose, "--%s: '%s' is not one of %s; did you mean '%.*s'?", o->name, value,
                  o->arg, (int)near.name.n, near.name.at);
}

/* A list that is given twice: the second would silently take the place of the first. */
static bool is_second_list(const place *p)
{
    const char *arg = p->values->table[p->i].arg;
    size_t n = arg ? strlen(arg) : 0;
    return p->values->at[p->i].given && n > 4 && strcmp(arg + n - 4, ",...") == 0;
}

/* Takes the option at argv[*i], and its value from there or from the next word. */
static lethe_err option_take(arguments *a, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *whose = a->stages[a->n_stages - 1].command.name, *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t n = is_long ? strcspn(name, "=") : 1;
    place p;
    if (!place_find(a, name, n, is_long ? 0 : name[0], &p))
        return misuse_option(a, (lethe_str){word, n + (is_long ? 2 : 1)});
    const lethe_option *o = &p.values->table[p.i];
    if (is_second_list(&p))
        return misuse(whose, "%.*s is given twice: give it once, with all in one list",
                      (int)n + (is_long ? 2 : 1), word);
    if (is_long && name[n] == '=') value = name + n + 1;
    if (!is_long && name[1]) value = name + 1;
    if (o->type == LETHE_OPT_FLAG) {
        if (value) return misuse(whose, "%.*s takes no value", (int)n + (is_long ? 2 : 1), word);
        value = "";
    } else if (!value) {
        if (*i + 1 >= argc) return misuse(whose, "%s needs a value", word);
        value = argv[++*i];
    }
    lethe_err e = o->type == LETHE_OPT_CHOICE ? choice_check(whose, o, value) : LETHE_OK;
    if (e == LETHE_OK) e = lethe_values_set(p.values, p.i, value, a->diag);
    return e == LETHE_OK ? given_add(a, o, value) : e;
}

static lethe_err operand_take(arguments *a, const char *word)
{
    if (a->n_stages > 1)
        return misuse(a->stages[0].command.name, "'%s': inputs must come before --then", word);
    a->operands[a->n_operands++] = word;
    return LETHE_OK;
}

static lethe_err words_take(int argc, char **argv, arguments *a)
{
    bool options_end = false;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        lethe_err e;
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (!options_end && strcmp(word, "--then") == 0) {
            if (++i >= argc) return misuse(NULL, "--then needs a method");
            e = stage_begin(a, argv[i]);
        } else if (!options_end && word[0] == '-' && word[1]) {
            e = option_take(a, argc, argv, &i);
        } else {
            e = operand_take(a, word);
        }
        if (e != LETHE_OK) return e;
    }
    return LETHE_OK;
}

static lethe_err arguments_check(const arguments *a)
{
    const lethe_command *c = &a->stages[0].command;
    if (common(a, "help")->given) return LETHE_OK;
    bool many = strstr(c->operands, "..."), optional = c->operands[0] == '[' || !c->operands[0];
    if (a->n_operands == 0 && !optional)
        return misuse(c->name, "%s needs %s", c->name, c->operands);
    if (a->n_operands > (c->operands[0] ? 1 : 0) && !many)
        return misuse(c->name, "unexpected argument '%s'", a->operands[c->operands[0] ? 1 : 0]);
    for (size_t i = 0; i < a->n_stages; i++) {
        lethe_err e = lethe_values_check(&a->stages[i].values, a->stages[i].command.name, a->diag);
        if (e != LETHE_OK) return e;
    }
    return LETHE_OK;
}

lethe_err arguments_parse(int argc, char **argv, lethe_diag *d, arguments *a)
{
    *a = (arguments){.diag = d, .words = argv};
    if (argc < 2) return misuse(NULL, "no command given");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    lethe_value *at = calloc(lethe_option_count(common_options), sizeof *at);
    a->operands = calloc((size_t)argc, sizeof *a->operands);
    if (!at || !a->operands) {
        free(at);
        return no_memory();
    }
    lethe_values_init(&a->common, common_options, at);
    lethe_err e = stage_begin(a, name);
    if (e == LETHE_OK) e = words_take(argc, argv, a);
    return e == LETHE_OK ? arguments_check(a) : e;
}

void arguments_free(arguments *a)
{
    for (size_t i = 0; i < a->n_stages; i++)
        free(a->stages[i].values.at);
    free(a->stages);
    free(a->common.at);
    free(a->given);
    free(a->operands);
}

const lethe_value *common(const arguments *a, const char *name)
{
    return lethe_value_of(&a->common, name);
}
