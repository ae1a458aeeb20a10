/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.c - how candidates are shown: while they are tried, and where none is worth
 * publishing. */
#include "candidates.h"
#include <string.h>
#include <unistd.h>

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

bool wants_lines(const arguments *a)
{
    return !common(a, "quiet")->given && !wants_json(a) &&
           (common(a, "no-progress")->given || !isatty(STDERR_FILENO));
}

void print_risk(FILE *f, const lethe_json *risk)
{
    if (risk)
        fprintf(f, "risk %5.1f %%", 100 * lethe_json_real(risk));
    else
        fputs("no user to find", f);
}

void candidate_line(const lethe_json *row, size_t i, size_t n)
{
    char x[SAFE_BYTES];
    const lethe_json *error = member(row, "error"), *kept = member(row, "kept_for"),
                     *one = member(row, "kept_for_goal");
    fprintf(stderr, "lethe: %2zu of %zu: %-22s ", i + 1, n,
            safe(x, lethe_json_text(member(row, "label"))));
    if (lethe_json_kind(error) == LETHE_JSON_TEXT) {
        fprintf(stderr, "%s\n", safe(x, lethe_json_text(error)));
        return;
    }
    if (one) fprintf(stderr, "keeps %5.1f %%, ", 100 * lethe_json_real(one));
    for (size_t k = 0; !one && k < lethe_json_count(kept); k++)
        fprintf(stderr, "%s %.1f %%, ", safe(x, lethe_json_name(kept, k)),
                100 * lethe_json_real(lethe_json_at(kept, k)));
    print_risk(stderr, member(row, "exposure"));
    fputc('\n', stderr);
}

static bool is_text(lethe_str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

void print_instead(const lethe_json *metrics)
{
    const lethe_json *i = member(metrics, "instead");
    lethe_str shape = lethe_json_text(member(metrics, "shape"));
    char x[SAFE_BYTES], y[SAFE_BYTES];
    if (i) {
        printf("What could be published instead\n  %s keeps %.1f %% for %s, ",
               safe(x, lethe_json_text(member(i, "label"))), 100 * figure(i, "kept_for_goal"),
               safe(y, lethe_json_text(member(i, "goal"))));
        print_risk(stdout, figure(i, "risk") > 0 ? member(i, "risk") : NULL);
        fputs("\n  ", stdout);
        print_safe(stdout, lethe_json_text(member(i, "command")), SIZE_MAX);
        putchar('\n');
    } else if (member(metrics, "not_tried")) {
        puts("What was not tried may still do: give it more time (--within) or memory (--memory).");
    } else if (is_text(shape, "table")) {
        print_folded(
            stdout,
            str_of("A table has no counts to publish instead. Leave out a column: one that "
                   "no option names is not published. 'lethe profile' shows which single "
                   "people out."),
            "", "");
    } else if (is_text(shape, "records")) {
        print_folded(stdout,
                     str_of("Records have no counts to publish instead. Leave out rare items, "
                            "or give a taxonomy (--taxonomy) that generalizes them; among more "
                            "people each is harder to find."),
                     "", "");
    } else {
        puts("A list of counts keeps too little: among more people more queries are common.");
    }
}
