/* SPDX-License-Identifier: Apache-2.0 */
/* Further columns of a log (--keep): how they are asked for, and under which names they are
 * published.  The names follow from what is asked for alone, so that a manifest tells the header of
 * data.tsv whatever the files were like. */
#include "model/log/log_internal.h"
#include "text/normalize.h"
#include "core/parse.h"
#include <stdio.h>

enum { SHOWN = 120 };

static lethe_err bad_keep(lethe_diag *d, lethe_str name, const char *why)
{
    char shown[SHOWN];
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d, LETHE_EUSAGE, "--keep: '%s' %s", shown, why);
}

static bool is_number(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i] < '0' || s.at[i] > '9') return false;
    return s.n > 0;
}

uint32_t lethe_keep_number(lethe_str asked)
{
    uint64_t n = 0;
    bool is = is_number(asked) && asked.at[0] != '0' && lethe_parse_u64(asked, &n);
    return is && n <= LETHE_POSITION_MAX ? (uint32_t)n : 0;
}

lethe_str lethe_keep_name(const lethe_keep *k, size_t i, char buf[LETHE_KEEP_NAME_MAX])
{
    uint32_t number = lethe_keep_number(k->at[i]);
    if (!number) return k->at[i];
    int n = snprintf(buf, LETHE_KEEP_NAME_MAX, "column%u", (unsigned)number);
    return (lethe_str){buf, (size_t)n};
}

/* C0, DEL, or C1 (which is C2 80 to C2 9F in UTF-8). */
static bool has_control(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.at[i], next = i + 1 < s.n ? (uint8_t)s.at[i + 1] : 0xFF;
        if (c < 0x20 || c == 0x7F || (c == 0xC2 && next < 0xA0)) return true;
    }
    return false;
}

/* Why there cannot be a column of this name; NULL: there can. */
static const char *name_fault(lethe_str name)
{
    static const char *const taken[] = {"AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"};
    if (name.n > LETHE_KEEP_NAME_MAX) return "is too long for the name of a column";
    if (has_control(name) || !lethe_utf8_valid(name) || memchr(name.at, ',', name.n) ||
        lethe_field_trim(name).n != name.n)
        return "cannot be the name of a column: it has a control character, a comma or spaces at "
               "its ends, or is not UTF-8 (the column's number can be given)";
    if (is_number(name) && !lethe_keep_number(name))
        return "is no column: numbers go from 1 to 4096";
    for (size_t i = 0; i < LETHE_COUNT(taken); i++)
        if (lethe_same_letters(name, lethe_str_of(taken[i])))
            return "is the name of a column that every release has";
    return NULL;
}

lethe_err lethe_keep_check(lethe_diag *d, const lethe_keep *k)
{
    char one[LETHE_KEEP_NAME_MAX], other[LETHE_KEEP_NAME_MAX];
    if (k->n > LETHE_KEEP_MAX)
        return lethe_fail(d, LETHE_EUSAGE, "--keep: too many columns: the limit is %d",
                          LETHE_KEEP_MAX);
    for (size_t i = 0; i < k->n; i++) {
        if (k->at[i].n == 0)
            return lethe_fail(d, LETHE_EUSAGE, "--keep: the name of a column is empty");
        const char *fault = name_fault(k->at[i]);
        if (fault) return bad_keep(d, k->at[i], fault);
        lethe_str name = lethe_keep_name(k, i, one);
        for (size_t j = 0; j < i; j++)
            if (lethe_str_eq(name, lethe_keep_name(k, j, other)))
                return bad_keep(d, k->at[i], "is given twice");
    }
    return LETHE_OK;
}

lethe_err lethe_keep_parse(lethe_diag *d, const char *text, lethe_keep *out)
{
    lethe_keep k = {.n = 0};
    for (const char *p = text; p; p++) {
        size_t n = strcspn(p, ",");
        if (k.n == LETHE_KEEP_MAX)
            return lethe_fail(d, LETHE_EUSAGE, "--keep: too many columns: the limit is %d",
                              LETHE_KEEP_MAX);
        k.at[k.n++] = lethe_field_trim((lethe_str){p, n});
        p += n;
        if (*p == '\0') break;
    }
    LETHE_TRY(lethe_keep_check(d, &k));
    *out = k;
    return LETHE_OK;
}

bool lethe_keep_is(const lethe_keep *asked, const lethe_keep *published)
{
    char buf[LETHE_KEEP_NAME_MAX];
    if ((asked ? asked->n : 0) != published->n) return false;
    for (size_t i = 0; i < published->n; i++)
        if (!lethe_str_eq(lethe_keep_name(asked, i, buf), published->at[i])) return false;
    return true;
}

bool lethe_keep_header(lethe_str tail, lethe_keep *out)
{
    *out = (lethe_keep){.n = 0};
    while (tail.n > 0) {
        if (tail.at[0] != '\t' || out->n == LETHE_KEEP_MAX) return false;
        tail = (lethe_str){tail.at + 1, tail.n - 1};
        const char *tab = tail.n ? memchr(tail.at, '\t', tail.n) : NULL;
        lethe_str name = {tail.at, tab ? (size_t)(tab - tail.at) : tail.n};
        if (is_number(name)) return false; // it would be published as column7
        out->at[out->n++] = name;
        tail = (lethe_str){tail.at + name.n, tail.n - name.n};
    }
    return lethe_keep_check(NULL, out) == LETHE_OK;
}
