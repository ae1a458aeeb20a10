/* SPDX-License-Identifier: Apache-2.0 */
/* Which actions of User Behavior Insights count as clicks, and which ones occur: their names are
 * free, so whoever counts some must be told which there are. */
#include "model/log/log_internal.h"
#include "text/normalize.h"
#include <stdio.h>
#include <strings.h>

/* --- --actions --- */

lethe_err lethe_ubi_actions_parse(lethe_diag *d, const char *text, lethe_ubi_actions *out)
{
    *out = (lethe_ubi_actions){0};
    for (const char *p = text, *end; p; p = *end ? end + 1 : NULL) {
        end = strchrnul(p, ',');
        lethe_str name = lethe_field_trim((lethe_str){p, (size_t)(end - p)});
        if (name.n == 0)
            return lethe_fail(d, LETHE_EUSAGE, "--actions: an empty name among '%s'", text);
        if (lethe_ubi_action_asked(out, name) < out->n)
            return lethe_fail(d, LETHE_EUSAGE, "--actions: a name twice among '%s'", text);
        if (out->n == LETHE_UBI_ACTIONS_MAX)
            return lethe_fail(d, LETHE_EUSAGE, "--actions: more than %d names",
                              LETHE_UBI_ACTIONS_MAX);
        out->at[out->n++] = name;
    }
    return LETHE_OK;
}

bool lethe_log_actions_fit(const char *text)
{
    lethe_ubi_actions actions;
    return lethe_ubi_actions_parse(NULL, text, &actions) == LETHE_OK;
}

size_t lethe_ubi_action_asked(const lethe_ubi_actions *asked, lethe_str name)
{
    size_t i = 0;
    while (i < asked->n && !lethe_str_eq(asked->at[i], name))
        i++;
    return i;
}

/* Whatever their case: applications call them `impression`, `product_impressions`. */
static bool is_impression(lethe_str name)
{
    static const char word[] = "impression";
    for (size_t i = 0; i + strlen(word) <= name.n; i++)
        if (strncasecmp(name.at + i, word, strlen(word)) == 0) return true;
    return false;
}

bool lethe_ubi_action_counts(const lethe_ubi_actions *asked, lethe_str name)
{
    if (asked->n > 0) return lethe_ubi_action_asked(asked, name) < asked->n;
    return name.n > 0 && !is_impression(name);
}

/* --- which ones there are --- */

/* A name that may be shown: what an application calls its actions, not something that a person
 * has typed. */
static bool is_plain(lethe_str name)
{
    return name.n <= LETHE_UBI_NAME_BYTES && lethe_is_bare_word(name);
}

static lethe_str name_of(const lethe_ubi_action *a) { return (lethe_str){a->name, a->n_name}; }

/* Only the least names by bytes are kept.  One of the least of a whole file is among the least of
 * each part of it, so what is kept is counted in full, for any number of workers. */
static void put(lethe_ubi_seen *s, lethe_str name, uint64_t n, uint64_t left)
{
    size_t i = 0;
    while (i < s->n_names && lethe_str_cmp(name_of(&s->names[i]), name) < 0)
        i++;
    bool known = i < s->n_names && lethe_str_eq(name_of(&s->names[i]), name);
    if (!known && i == LETHE_UBI_NAMES) return;
    if (!known) {
        s->n_names += s->n_names < LETHE_UBI_NAMES;
        memmove(&s->names[i + 1], &s->names[i], (s->n_names - i - 1) * sizeof *s->names);
        s->names[i] = (lethe_ubi_action){.n_name = (uint8_t)name.n};
        memcpy(s->names[i].name, name.at, name.n);
    }
    s->names[i].n += n;
    s->names[i].left += left;
}

void lethe_ubi_action_note(lethe_ubi_seen *s, const lethe_ubi_actions *asked, lethe_str name,
                           bool left)
{
    size_t i = lethe_ubi_action_asked(asked, name);
    if (i < asked->n) s->asked[i]++;
    s->events++;
    s->others += left;
    if (is_plain(name)) put(s, name, 1, left);
}

void lethe_ubi_seen_add(lethe_ubi_seen *to, const lethe_ubi_seen *from)
{
    to->documents += from->documents;
    to->events += from->events;
    to->others += from->others;
    to->unranked += from->unranked;
    to->last_action = LETHE_MAX(to->last_action, from->last_action);
    for (size_t i = 0; i < LETHE_UBI_ACTIONS_MAX; i++)
        to->asked[i] += from->asked[i];
    for (size_t i = 0; i < from->n_names; i++)
        put(to, name_of(&from->names[i]), from->names[i].n, from->names[i].left);
}

static uint64_t count_of(const lethe_ubi_action *a, bool left) { return left ? a->left : a->n; }

/* The most frequent first. */
void lethe_ubi_actions_show(const lethe_ubi_seen *s, bool left, char out[LETHE_UBI_SHOWN])
{
    enum { SHOWN = 8 };
    bool shown[LETHE_UBI_NAMES] = {false};
    uint64_t rest = left ? s->others : s->events;
    size_t n = 0;
    out[0] = '\0';
    for (size_t k = 0; k < SHOWN; k++) {
        size_t most = s->n_names;
        for (size_t i = 0; i < s->n_names; i++)
            if (!shown[i] && (most == s->n_names ||
                              count_of(&s->names[i], left) > count_of(&s->names[most], left)))
                most = i;
        uint64_t of = most < s->n_names ? count_of(&s->names[most], left) : 0;
        if (of == 0) break;
        shown[most] = true;
        rest -= of;
        n += (size_t)snprintf(out + n, LETHE_UBI_SHOWN - n, "%s%.*s %llu", n ? ", " : "",
                              (int)s->names[most].n_name, s->names[most].name,
                              (unsigned long long)of);
    }
    if (rest > 0)
        snprintf(out + n, LETHE_UBI_SHOWN - n, "%s %llu", n ? ", others" : "without a plain name",
                 (unsigned long long)rest);
}

lethe_err lethe_ubi_actions_check(lethe_diag *d, const lethe_ubi_actions *asked,
                                  const lethe_ubi_seen *s, bool quiet)
{
    char there[LETHE_UBI_SHOWN], name[64];
    size_t missing = 0;
    if (asked->n == 0) return LETHE_OK;
    lethe_ubi_actions_show(s, false, there);
    for (size_t i = 0; i < asked->n; i++)
        missing += s->asked[i] == 0;
    bool none = missing == asked->n && s->events > 0;
    for (size_t i = 0; i < asked->n && !(quiet && !none); i++) {
        if (s->asked[i] > 0) continue;
        lethe_show(name, sizeof name, asked->at[i]);
        if (s->events == 0)
            lethe_warn(d, "--actions: no event has the action '%s': there are no events", name);
        else if (!none)
            lethe_warn(d, "--actions: no event has the action '%s': there are %s", name, there);
        else
            return lethe_fail(d, LETHE_EINPUT,
                              "--actions: no event has the action '%s'%s: there are %s", name,
                              missing > 1 ? " or another one named" : "", there);
    }
    return LETHE_OK;
}
