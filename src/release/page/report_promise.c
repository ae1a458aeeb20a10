/* SPDX-License-Identifier: Apache-2.0 */
/* report_promise.c - what a claim means, in words that need no mathematics.  Each sentence says no
 * more than the notion's checker decides, or the pipeline has decided before. */
#include "check/check.h"
#include "release/page/report_page.h"
#include <math.h>
#include <stdio.h>

/* --- the sentences --- */

/* Said of a claim if its `member` is as `is` says: NULL for always, "*" there, "-" not there, "!x"
 * there and not x, ">1",
 * "<1", "=0" by number, else this text.  In braces, from the claim: {k} as it is, {k-1} one less,
 * {k-1 others} with that word,
 * {%h} a share as per cent, {/l} the share 1/l as per cent, {:gap} seconds as a span of time,
 * {kinds} and {columns} a list in words. */
typedef struct sentence {
    const char *notion, *member, *is, *text;
} sentence;

static const sentence sentences[] = {
    {"scrubbed", NULL, NULL,
     "In the published queries and clicked addresses the detectors of this program find none of "
     "the following: {kinds}."},
    {"scrubbed", NULL, NULL,
     "This is a promise about forms that a program can recognize. It does not promise that "
     "nobody is named: names of people and places are not looked for unless a list of them was "
     "given."},

    {"query-threshold", "by", "users",
     "Every query text in this release has at least {t} different users. (If texts with the same "
     "words were counted as one, fewer users may have typed exactly this text.)"},
    {"query-threshold", "by", "queries",
     "Every query text in this release was asked at least {t} times. These are queries, not "
     "people: one person who asks the same thing {t} times is enough."},
    {"query-threshold", "by", "rows",
     "Every query text in this release is in at least {t} rows. These are rows, not people: one "
     "person can be behind all of them."},
    {"query-threshold", "rare", "hash",
     "Rarer texts are replaced by a code (# and 32 digits) that only the holder of the key can "
     "compute. It shows that the same hidden text occurs again, not what it is."},

    {"query-threshold", "clicked", "threshold",
     "The same is true of every clicked address in this release: as many clicked it."},

    {"value-threshold", NULL, NULL,
     "Every value that is published in a further column ({columns}) is in rows of at least {t} "
     "different users. Rarer values were left out, and their fields are empty."},
    {"value-threshold", NULL, NULL,
     "This is a promise about each value alone. A combination of values, of one column or several, "
     "may belong to one person."},

    {"counted-threshold", "by", "users",
     "Every text in this release is counted with at least {t} different users. Nothing says who "
     "they are, or what else they asked."},
    {"counted-threshold", "by", "queries",
     "Every text in this release is counted with at least {t} queries. These are queries, not "
     "people: one person who asks the same thing {t} times is enough."},
    {"counted-threshold", "by", "rows",
     "Every text in this release is counted with at least {t} rows. These are rows, not people: "
     "one person can be behind all of them."},
    {"counted-threshold", NULL, NULL,
     "The counts were counted a second time, from the rows of the input, before the release "
     "appeared. The published file cannot show that they are true."},

    {"sealed", NULL, NULL,
     "Every query is locked in a box. Each user who issued it holds one of {n} possible shares "
     "of its key, and {t} different shares open it. So anyone can read those queries of which "
     "{t} different shares are published; a query that fewer than {t} users issued cannot be "
     "opened from the release alone."},
    {"sealed", NULL, NULL,
     "The check covers the form of the release: that no column shows a query, and that no user "
     "shows two shares of one. That the boxes stay closed depends on the encryption, and on the "
     "key being kept secret or forgotten."},
    {"sealed", "clicks", "true",
     "Ranks and clicked addresses are published with the locked queries and are not locked."},
    {"sealed", "clicks", "false", "Ranks and clicked addresses are not published."},

    {"personas", NULL, NULL,
     "What one person asked is published under several names, called personas, so that it cannot "
     "simply be read as one list."},
    {"personas", "by", "day",
     "As far as the published times show, no persona spans 24 hours or more."},
    {"personas", "by", "gap",
     "As far as the published times show, no persona has a pause longer than {:gap}."},
    {"personas", "by", "interest",
     "After its first query, every query of a persona resembles an earlier one of the same "
     "persona: a persona is an interest, not a person."},
    {"personas", "by", "query", "No two queries share a name."},
    {"personas", NULL, NULL,
     "It does not promise that the personas of one person cannot be linked again, nor that a "
     "single query names nobody."},

    {"user-k-anonymity", NULL, NULL,
     "Every published user has exactly the same rows as at least {k-1 others}. Anyone who looks "
     "for a person by what they searched finds at least {k} users who look the same, and cannot "
     "tell from the release which of them it is."},

    {"disconnected", "density", "=0",
     "No two published queries share a clicked address. Asking two of them again and comparing "
     "the answers therefore does not reveal which address was clicked."},
    {"disconnected", "density", ">0",
     "Of all pairs of published queries, at most {%density} share a clicked address. For these "
     "pairs, asking both again and comparing the answers can still reveal which address was "
     "clicked."},
    {"disconnected", "m", "*",
     "Where addresses are published as identifiers, a query has none, or at least {m}, and each of "
     "them once: no count tells which result one is. A guess is right for one in {m} at most."},
    {"disconnected", "k", "*",
     "Where the results of a published query are known, it has at least {k} of them."},
    {"disconnected", "K", "*",
     "Where the results of a published query are known, they come from at least {K} different "
     "sites."},

    {"record-k-anonymity", NULL, NULL,
     "Every published record is the same, item for item, as at least {k-1 others}. Anyone who "
     "looks for a person's record finds at least {k} that fit equally well, and cannot tell "
     "which of them it is."},
    {"record-k-anonymity", "persons", "-",
     "Each such group belongs to at least {k} different persons. They were counted before "
     "publication; from the release alone, anyone can count the equal records."},
    {"record-k-anonymity", "term-persons", "*",
     "Each published item, or a term below it, was used by at least {term-persons} persons of the "
     "input. They were counted before publication; from the release alone, nobody can."},
    {"record-k-anonymity", "persons", "record",
     "Records were counted, not persons: where one person owns several records of a group, fewer "
     "than {k} persons stand behind it."},

    {"kl-privacy", "n", "=0",
     "Suppose somebody knows up to {m} things that a person's record holds. They find no record "
     "that fits, or at least {k}: a chance of 1 in {k} at most to pick the right one."},
    {"kl-privacy", "n", ">0",
     "Suppose somebody knows up to {m} things that a person's record holds, and up to {n} that it "
     "does not hold. They find no record that fits, or at least {k}: a chance of 1 in {k} at most "
     "to pick the right one."},
    {"kl-privacy", "l", ">1",
     "And of the records that fit, at most {/l} hold any one of the items that were named as "
     "sensitive."},
    {"kl-privacy", "sensitive_known", ">0",
     "The same is true of somebody who also knows up to {sensitive_known} of the person's "
     "sensitive items, and of the other sensitive items."},
    {"kl-privacy", "persons", "record",
     "Records were counted, not persons: one person may own several of those that fit."},

    {"coherence", NULL, NULL,
     "Suppose somebody knows up to {p} of the public items of a person's set. They find no set "
     "that holds them, or at least {k}: a chance of 1 in {k} at most to pick the right one."},
    {"coherence", "h", "<1",
     "And of the sets that hold them, at most {%h} hold any one of the items that were named as "
     "sensitive."},
    {"coherence", "persons", "record",
     "Sets were counted, not persons: one person may own several of those that fit."},

    {"l-plus-diversity", NULL, NULL,
     "Rows that agree in all columns by which a person could be looked up form a group."},
    {"l-plus-diversity", "theta", "!listed",
     "In no group does one sensitive value make up more than {%theta} of the rows. Anyone who "
     "finds a person's group can name the person's value with no more certainty than that."},
    {"l-plus-diversity", "theta", "listed",
     "In no group does a sensitive value make up more of the rows than the share that was set "
     "for this value. Anyone who finds a person's group can name the person's value with no more "
     "certainty than that."},
    {"l-plus-diversity", "counting", "fixed-cut",
     "Values were starred so that no commonest value stands out in its group. If the groups did "
     "not "
     "depend on the sensitive values, anyone who counts stars, and to whom all values and all rows "
     "of a group are alike, would be no surer than that either. The groups of this release were "
     "chosen by the sensitive values: what that tells is not limited."},
    {"k-anonymity", NULL, NULL,
     "Every row agrees with at least {k-1 others} in all columns by which a person could be "
     "looked up. Anyone who looks for a person finds at least {k} rows that fit, and cannot tell "
     "which it is."},
    {"distinct-l", NULL, NULL,
     "Rows that agree in all columns by which a person could be looked up form a group, and every "
     "group shows at least {l} different sensitive values."},
    {"entropy-l", NULL, NULL,
     "Rows that agree in all columns by which a person could be looked up form a group, and in "
     "every group the sensitive values are as mixed as {%l} values that are equally frequent "
     "(measured by entropy)."},
    {"recursive-cl", NULL, NULL,
     "Rows that agree in all columns by which a person could be looked up form a group. In every "
     "group the most frequent sensitive value has fewer rows than {%c} times those of the values "
     "from number {l} on, counted from the most frequent."},
    {"t-closeness", NULL, NULL,
     "Rows that agree in all columns by which a person could be looked up form a group. In every "
     "group the sensitive values are distributed as in the whole table, up to {%t} of the greatest "
     "possible distance. The smaller this limit is, the less a person's group tells beyond what "
     "the whole table does."},
    {"k-map", NULL, NULL,
     "Of the population that this table was taken from, at least {k} persons have the published "
     "values of every row, whether they are in the table or not. The population itself is not "
     "published; whoever has it can check this."},
};

static const struct {
    const char *notion, *title;
} titles[] = {
    {"scrubbed", "Personal data of known forms is removed"},
    {"query-threshold", "Rare queries are left out"},
    {"value-threshold", "Rare values of further columns are left out"},
    {"counted-threshold", "Rare queries are left out of the counts"},
    {"sealed", "Rare queries are locked"},
    {"personas", "A person's searches are split"},
    {"user-k-anonymity", "Users look alike"},
    {"disconnected", "Comparing queries does not reveal clicked addresses"},
    {"record-k-anonymity", "Records look alike"},
    {"kl-privacy", "A few known facts find nobody"},
    {"coherence", "A few known items find nobody"},
    {"l-plus-diversity", "Sensitive values cannot be inferred with certainty"},
    {"k-anonymity", "Rows look alike"},
    {"distinct-l", "Groups show different sensitive values"},
    {"entropy-l", "Sensitive values are mixed in every group"},
    {"recursive-cl", "No sensitive value dominates a group"},
    {"t-closeness", "Groups resemble the whole table, up to a limit"},
    {"k-map", "Many persons of the population fit every row"},
};

/* --- filling them in --- */

static const struct {
    const char *kind, *words;
} kinds[] = {
    {"ssn", "US social security numbers"},
    {"card", "payment card numbers"},
    {"phone", "phone numbers"},
    {"email", "e-mail addresses"},
    {"ip", "internet (IP) addresses"},
    {"number", "other numbers of seven digits and more"},
    {"address", "street addresses"},
    {"url", "web addresses with a path"},
    {"iban", "bank account numbers (IBAN)"},
    {"id", "national identifiers of some European countries"},
    {"birth", "dates of birth"},
    {"plate", "number plates of the United Kingdom and Germany"},
    {"person", "names of persons, as far as they are recognized"},
    {"place", "names of towns, as far as they are recognized"},
};

/* What stands for the words between braces; NULL: the claim does not have it. */
static const char *filled(lethe_page *p, const lethe_json *claim, const char *word)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    static const char others[] = " others";
    char name[32], shown[40];
    char sign = strchr("%/:", word[0]) ? word[0] : 0;
    snprintf(name, sizeof name, "%s", word + (sign != 0));
    size_t n_name = strlen(name), n_others = sizeof others - 1;
    bool with_others = n_name > n_others && strcmp(name + n_name - n_others, others) == 0;
    if (with_others) name[n_name -= n_others] = '\0';
    bool less = n_name > 2 && strcmp(name + n_name - 2, "-1") == 0;
    if (less) name[n_name - 2] = '\0';
    const lethe_json *v = lethe_json_get(claim, name);
    double x = lethe_json_real(v);
    if (strcmp(name, "kinds") == 0 || strcmp(name, "columns") == 0) {
        const char *all = "";
        size_t n = lethe_json_count(v);
        for (size_t i = 0; i < n; i++) {
            const char *words = lethe_page_value(p, lethe_json_at(v, i));
            for (size_t k = 0; k < LETHE_COUNT(kinds); k++)
                if (strcmp(kinds[k].kind, words) == 0) words = kinds[k].words;
            all = lethe_page_format(p, "%s%s%s", all,
                                    i == 0       ? ""
                                    : i + 1 == n ? " and "
                                                 : ", ",
                                    words);
        }
        return lethe_json_kind(v) == LETHE_JSON_ARRAY ? all : NULL;
    }
    if (sign == '%' && lethe_json_kind(v) == LETHE_JSON_TEXT) {
        const char *text = lethe_page_value(p, v); // "1/3"
        size_t n = strlen(text);
        bool whole = n > 2 && strcmp(text + n - 2, "/1") == 0;
        return whole ? lethe_page_format(p, "%.*s", (int)n - 2, text) : text;
    }
    if (!lethe_page_is_number(v)) return NULL;
    if (sign == '%')
        return lethe_page_format(p, "%s", lethe_number_show(shown, x, LETHE_UNIT_SHARE));
    if (sign == '/')
        return x > 0 ? lethe_page_format(p, "%s", lethe_number_show(shown, 1 / x, LETHE_UNIT_SHARE))
                     : NULL;
    if (sign == ':') {
        int64_t s = lethe_json_int(v);
        for (size_t i = 0; i < LETHE_COUNT(units); i++)
            if (s % units[i].seconds == 0 && s >= units[i].seconds)
                return lethe_page_format(p, "%lld %s%s", (long long)(s / units[i].seconds),
                                         units[i].name, s == units[i].seconds ? "" : "s");
        return lethe_page_format(p, "%lld seconds", (long long)s);
    }
    lethe_number_show(shown, x - less, LETHE_UNIT_COUNT);
    if (with_others)
        return lethe_page_format(p, "%s other%s", shown, fabs(x - less - 1) < 1e-12 ? "" : "s");
    return lethe_page_format(p, "%s", shown);
}

static bool applies(const sentence *s, const lethe_json *claim)
{
    const lethe_json *v = s->member ? lethe_json_get(claim, s->member) : NULL;
    double x = lethe_json_real(v);
    if (!s->member || !s->is) return true;
    if (strcmp(s->is, "*") == 0) return v != NULL;
    if (strcmp(s->is, "-") == 0) return v == NULL;
    if (s->is[0] == '!') return v && !lethe_str_eq(lethe_json_text(v), lethe_str_of(s->is + 1));
    if (strchr("<>=", s->is[0])) {
        double to = s->is[1] - '0';
        if (!lethe_page_is_number(v)) return false;
        return s->is[0] == '<' ? x < to : s->is[0] == '>' ? x > to : fabs(x - to) < 1e-12;
    }
    if (lethe_json_kind(v) == LETHE_JSON_BOOL)
        return strcmp(s->is, lethe_json_bool(v) ? "true" : "false") == 0;
    return lethe_str_eq(lethe_json_text(v), lethe_str_of(s->is));
}

/* NULL: something that it speaks of is not in the claim, and half a sentence would mislead. */
static const char *fill_in(lethe_page *p, const sentence *s, const lethe_json *claim)
{
    const char *all = "", *from = s->text;
    for (const char *open; (open = strchr(from, '{'));) {
        const char *close = strchr(open, '}');
        char word[32];
        assert(close && (size_t)(close - open) <= sizeof word);
        snprintf(word, sizeof word, "%.*s", (int)(close - open - 1), open + 1);
        const char *with = filled(p, claim, word);
        if (!with) return NULL;
        all = lethe_page_format(p, "%s%.*s%s", all, (int)(open - from), from, with);
        from = close + 1;
    }
    return lethe_page_format(p, "%s%s", all, from);
}

/* --- a claim --- */

const char *lethe_page_notion(lethe_page *p, const lethe_json *claim)
{
    lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
    for (size_t i = 0; i < LETHE_COUNT(titles); i++)
        if (lethe_str_eq(name, lethe_str_of(titles[i].notion))) return titles[i].title;
    return lethe_page_copy(p, name);
}

static void formally(lethe_page *p, const lethe_json *claim)
{
    lethe_html *h = &p->h;
    lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
    const lethe_notion *notion = lethe_notion_find(name);
    const char *with = lethe_page_parameters(p, claim, "notion");
    lethe_html_begin(h, "p");
    lethe_html_attr(h, "class", "formal");
    lethe_html_words(h, "Formally: ");
    lethe_html_begin(h, "code");
    lethe_html_text(h, name);
    lethe_html_end(h);
    if (with[0]) lethe_html_format(h, " with %s", with);
    if (notion) lethe_html_format(h, ". It holds if %s", notion->holds);
    lethe_html_words(h, ".");
    lethe_html_end(h);
}

/* "" where it promises something. */
static const char *nothing_of(lethe_page *p, const lethe_json *check)
{
    return lethe_page_copy(p, lethe_json_text(lethe_json_get(check, "nothing")));
}

const char *lethe_page_nothing(lethe_page *p, const lethe_json *check)
{
    const char *nothing = nothing_of(p, check);
    if (!nothing[0]) return NULL;
    return strstr(nothing, " promises nothing: ") ? "promises nothing" : "promises next to nothing";
}

const char *lethe_page_nothing_at_all(lethe_page *p, const lethe_json *verdict)
{
    const char *all = NULL;
    const lethe_json *checks = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const char *one = lethe_page_nothing(p, lethe_json_at(checks, i));
        if (!one) return NULL;
        if (!all || strlen(one) > strlen(all)) all = one; // next to nothing is more than nothing
    }
    return all;
}

void lethe_page_promise(lethe_page *p, const lethe_json *claim, const lethe_json *check)
{
    lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
    const char *nothing = nothing_of(p, check);
    bool any = false;
    lethe_html_leaf(&p->h, "h3", NULL, lethe_page_notion(p, claim));
    if (nothing[0]) {
        lethe_html_begin(&p->h, "p");
        lethe_html_attr(&p->h, "class", "verdict bad");
        lethe_html_leaf(&p->h, "strong", NULL, lethe_page_sentence(p, nothing));
        lethe_html_end(&p->h);
    }
    for (size_t i = 0; i < LETHE_COUNT(sentences); i++) {
        const sentence *s = &sentences[i];
        if (!lethe_str_eq(name, lethe_str_of(s->notion)) || !applies(s, claim)) continue;
        const char *text = fill_in(p, s, claim);
        if (text) lethe_page_paragraph(p, text);
        any = any || text;
    }
    if (!any)
        lethe_page_paragraph(p, "This version of the program has no explanation of this promise.");
    formally(p, claim);
}
