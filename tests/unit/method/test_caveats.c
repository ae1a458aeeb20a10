/* SPDX-License-Identifier: Apache-2.0 */
/* What each method warns of, by its options: a caveat may be left out only where it does not apply.
 * Defaults are in force like options that were given. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/base.h"
#include "model/tables.h"

enum { OPTIONS_MAX = 64 };

/* `text`: "name=value name=value". */
static void options_set(lethe_values *v, const lethe_method *m, lethe_value *at, char *text)
{
    char *save = NULL;
    lethe_values_init(v, m->options, at);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t i = 0;
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        while (i < v->n && strcmp(v->table[i].name, word) != 0)
            i++;
        if (i == v->n || lethe_values_set(v, i, value, NULL) != LETHE_OK)
            fail_msg("%s: no option %s=%s", m->name, word, value);
    }
}

static bool warns_of(const char *method, const char *options, const char *words)
{
    lethe_value at[OPTIONS_MAX];
    lethe_values v;
    char text[256];
    const char *warnings[LETHE_WARNS_MAX];
    const lethe_method *m = lethe_method_find(method);
    assert_non_null(m);
    assert_true(strlen(options) < sizeof text);
    options_set(&v, m, at, strcpy(text, options));
    assert_true(v.n <= OPTIONS_MAX);
    size_t n = m->warns ? m->warns(&v, warnings) : 0;
    assert_true(n <= LETHE_WARNS_MAX);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        found = found || strstr(warnings[i], words);
    for (const char *const *c = m->caveats; *c; c++)
        found = found || strstr(*c, words);
    return found;
}

static void caveats_are_there_where_they_apply(void **state)
{
    (void)state;
    static const struct {
        const char *method, *options, *words;
    } cases[] = {
        {"scrub", "", "the rest of a masked query stays"},
        {"scrub", "", "a mask still shows"},
        {"scrub", "action=drop", "Only forms are looked for"},
        {"scrub", "list=x", "the list is not part of the promise"},
        {"threshold", "", "perhaps only one, typed that very text"},
        {"threshold", "", "rows carry the most common of the texts"},
        {"threshold", "by=rows", "one person who repeats a text"},
        {"threshold", "by=queries", "one person who repeats a text"},
        {"threshold", "rare=hash", "guesses a text can confirm it"},
        {"split", "by=day", "A threshold must count persons"},
        {"split", "by=gap", "A threshold must count persons"},
        {"split", "by=interest", "stays together"},
        {"split", "by=interest", "only as far as clicks are published"},
        {"split", "by=interest results=x", "only as far as the texts show it"},
        {"split", "by=day", "begin where others end"},
        {"split", "by=gap", "begin where others end"},
        {"split", "by=interest", "begin where others end"},
        {"split", "by=query", "begin where others end"},
        {"seal", "keep-clicks=1", "stand beside the sealed queries"},
        {"microagg", "", "word for word"},
        {"microagg", "", "have no category"},
        {"microagg", "", "more often than the members asked it"},
        {"microagg", "list=paper", "drawn at random"},
        {"microagg", "synthetic=1", "names of categories"},
        {"microagg", "min-users=1", "only one user issued"},
        {"disconnect", "", "decided from this log alone"},
        {"disconnect", "targeted=none", "decided from this log alone"},
        {"disconnect", "targeted=none", "Vulnerable queries were kept"},
        {"clump", "", "share a more specific one"},
        {"clump", "as-published=1", "share a more specific one"},
        {"clump", "", "several IDs"},
        {"partition", "", "may be in several groups"},
        {"partition", "persons=record", "may be in several groups"},
        {"partition", "bag=1", "number of copies"},
        {"ssg", "", "need not be true of the record"},
        {"ssg", "centre=bag", "lists every term"},
        {"og", "sensitive=x", "Sensitive items are published unchanged"},
        {"og", "", "several IDs"},
        {"og", "persons=record", "Each record counts as a person"},
        {"og", "", "Some knowledge cannot be written"},
        {"mog", "", "The cut is the best one"},
        {"mm", "sensitive=x", "Sensitive items are published unchanged"},
        {"aa", "", "No item is treated as sensitive"},
        {"lplus", "theta=1/2", "or what else is known about a person"},
        {"lplus", "distinct-l=2", "or what else is known about a person"},
        {"incognito", "k=5", "or what else is known about a person"},
        {"anneal", "theta=1/2", "or what else is known about a person"},
        {"lplus", "theta=1/2", "The cut is the best one"},
        {"local", "k=5", "or what else is known about a person"},
        {"local", "k=5 sa=x", "The sensitive column has no requirement"},
        {"local", "k=5 ranges=age=values", "The ends of ranges are values that occur"},
        {"local", "k=5 suppress=0.1", "unusual persons are missing"},
        {"incognito", "k=5 sa=x", "The sensitive column has no requirement"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        if (!warns_of(cases[i].method, cases[i].options, cases[i].words))
            fail_msg("%s %s: no caveat '%s'", cases[i].method, cases[i].options, cases[i].words);
}

static void caveats_of_other_options_are_not_there(void **state)
{
    (void)state;
    assert_false(warns_of("scrub", "action=drop", "--action mask"));
    assert_false(warns_of("threshold", "same=exact", "--same words"));
    assert_false(warns_of("threshold", "", "--rare hash"));
    assert_false(warns_of("split", "by=interest", "--by day"));
    assert_false(warns_of("microagg", "synthetic=1", "word for word"));
    assert_false(warns_of("microagg", "list=paper", "more often than"));
    assert_false(warns_of("mm", "", "Sensitive items"));
    assert_false(warns_of("local", "k=5 ranges=age=5", "ends of ranges"));
    assert_false(warns_of("local", "k=5", "unusual persons"));
    assert_false(warns_of("local", "k=5", "The cut is the best one"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caveats_are_there_where_they_apply),
        cmocka_unit_test(caveats_of_other_options_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
