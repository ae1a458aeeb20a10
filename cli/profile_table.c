/* SPDX-License-Identifier: Apache-2.0 */
/* profile_table.c - shows what a table contains: the answer first, then what it rests on. */
#include "cli.h"

enum { NAME_WIDTH = 20, COMBINATIONS_SHOWN = 3 };

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

/* Columns that a text takes on a terminal: its characters, each of one column. */
static int columns_of(lethe_str s)
{
    int n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.at[i] & 0xC0) != 0x80;
    return n;
}

void print_padded(lethe_str s, int width)
{
    char x[SAFE_BYTES];
    const char *shown = safe(x, s);
    int n = columns_of(str_of(shown));
    size_t bytes = 0;
    for (int i = 0; shown[bytes] && i < width; i++) { // whole characters
        bytes++;
        while (((unsigned char)shown[bytes] & 0xC0) == 0x80)
            bytes++;
    }
    printf("%.*s%*s", (int)bytes, shown, n < width ? width - n : 0, "");
}

void print_names(const lethe_json *names, const char *between)
{
    for (size_t i = 0; i < lethe_json_count(names); i++) {
        if (i > 0) fputs(between, stdout);
        print_safe(stdout, lethe_json_text(lethe_json_at(names, i)), 64);
    }
}

/* --- the command to go on with --- */

/* A list of columns, or of what is said of each, as one word: names that hold anything unusual
 * stand in quotes as in CSV. */
static void print_list_word(const lethe_json *names)
{
    char text[SAFE_MAX];
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(names); i++) {
        const lethe_json *at = lethe_json_at(names, i), *column = member(at, "column");
        lethe_str name = lethe_json_text(column ? column : at);
        bool quoted = name.n > 0 && (memchr(name.at, ',', name.n) || memchr(name.at, '"', name.n));
        if (n + 2 * name.n + 4 > sizeof text) break;
        if (i > 0) text[n++] = ',';
        if (quoted) text[n++] = '"';
        for (size_t k = 0; k < name.n; k++) {
            if (name.at[k] == '"') text[n++] = '"';
            text[n++] = name.at[k];
        }
        if (quoted) text[n++] = '"';
    }
    print_shell_word(stdout, (lethe_str){text, n});
}

void print_command(const char *name, const char *input, const lethe_json *qi, const lethe_json *sa,
                   const char *rest)
{
    printf("  lethe %s ", name);
    if (input[0] == '-' && input[1]) fputs("./", stdout);
    print_shell_word(stdout, str_of(input));
    if (lethe_json_count(qi) > 0) {
        fputs(" --qi ", stdout);
        print_list_word(qi);
    }
    if (lethe_json_count(sa) > 0) {
        fputs(" --sa ", stdout);
        print_list_word(sa);
    }
    puts(rest);
}

/* --- the answer --- */

/* Eight columns: "  12.3 %"; a share that is not nothing does not look so. */
static void print_percent_of(const lethe_json *o, const char *name)
{
    double share = figure(o, name);
    if (share > 0 && share < 0.0005)
        fputs(" < 0.1 %", stdout);
    else
        printf("%6.1f %%", 100 * share);
}

static void print_risks(const lethe_json *m)
{
    const lethe_json *risk = member(m, "risk"), *prosecutor = member(risk, "prosecutor"),
                     *journalist = member(risk, "journalist");
    printf("  %-20s %8s  %8s  %14s\n", "risk of being found", "highest", "mean", "rows over 20 %");
    for (int i = 0; i < 2; i++) {
        const lethe_json *r = i == 0 ? prosecutor : journalist;
        printf("    %-18s ", i == 0 ? "prosecutor" : "journalist");
        if (!r) {
            puts("at worst the prosecutor's; --population FILE gives it");
            continue;
        }
        print_percent_of(r, "highest");
        fputs("  ", stdout);
        print_percent_of(r, "mean");
        fputs("        ", stdout);
        print_percent_of(r, "above_20");
        puts(i == 0 ? "   knows that the person is in the table"
                    : "   knows that the person is in the population");
    }
    printf("    %-18s %8s  ", "marketer", "");
    print_percent_of(risk, "marketer");
    printf("%19swants to find as many people as possible\n", "");
    int64_t lacking = journalist ? count(journalist, "groups_lacking") : 0;
    char x[32];
    if (lacking > 0)
        printf("    (%s groups have fewer rows in the population than in the table: is it the "
               "right one?)\n",
               grouped(x, lacking));
}

static void print_sensitive(const lethe_json *m)
{
    const lethe_json *list = member(m, "sensitive");
    if (!list) return;
    printf("\nWhat a group tells of a sensitive value (the worst group)\n  ");
    print_padded(str_of("column"), NAME_WIDTH);
    printf(" %10s %10s %14s %8s\n", "distinct l", "entropy l", "largest share", "t");
    for (size_t i = 0; i < lethe_json_count(list); i++) {
        const lethe_json *s = lethe_json_at(list, i);
        char x[32];
        fputs("  ", stdout);
        print_padded(lethe_json_text(member(s, "column")), NAME_WIDTH);
        printf(" %10s ", member(s, "theta") ? grouped(x, count(s, "distinct_l")) : "-");
        if (member(s, "t"))
            printf("%10.2f       %6.1f %% %8.3f\n", figure(s, "entropy_l"),
                   100 * figure(s, "theta"), figure(s, "t"));
        else // some values are `*`
            printf("%10s       %6.1f %% %8s\n", "-", 100 * figure(s, "theta"), "-");
    }
}

static void print_answer(const lethe_json *m)
{
    char x[32], y[32], z[32];
    const lethe_json *qi = member(m, "qi");
    if (lethe_json_count(qi) == 0) {
        puts("\nNo column can be a quasi-identifier: each has one value, or one per row.");
        return;
    }
    fputs("\nHow identifying it is, to anyone who knows ", stdout);
    print_names(qi, ", ");
    puts(lethe_json_bool(member(m, "qi_proposed")) ? " (proposed)" : "");
    printf("  %-20s ", "unique rows");
    print_percent_of(m, "unique_share");
    printf("   %s of %s rows have no equal\n", grouped(x, count(m, "unique_rows")),
           grouped(y, count(m, "rows")));
    printf("  %-20s %8s   the table is k-anonymous with k = %s%s\n", "smallest group",
           grouped(x, count(m, "smallest_k")), grouped(y, count(m, "smallest_k")),
           count(m, "smallest_k") == 1 ? ", which protects nobody" : "");
    printf("  %-20s %8s   of %.1f rows on average, at most %s\n", "groups",
           grouped(x, count(m, "groups")), figure(m, "mean_group"),
           grouped(z, count(m, "largest_group")));
    print_risks(m);
}

/* --- what it rests on --- */

static void print_columns(const lethe_json *m)
{
    const lethe_json *columns = member(m, "columns");
    char x[32], y[32];
    printf("\nColumns\n  ");
    print_padded(str_of("name"), NAME_WIDTH);
    printf(" %-10s %10s %9s %12s  %s\n", "type", "distinct", "missing", "unique rows",
           "commonest value");
    for (size_t i = 0; i < lethe_json_count(columns); i++) {
        const lethe_json *c = lethe_json_at(columns, i);
        lethe_str type = lethe_json_text(member(c, "type"));
        fputs("  ", stdout);
        print_padded(lethe_json_text(member(c, "name")), NAME_WIDTH);
        printf(" %-10.*s %10s %9s     ", (int)type.n, type.at, grouped(x, count(c, "distinct")),
               grouped(y, count(c, "missing")));
        print_percent_of(c, "unique_share");
        if (member(c, "commonest")) {
            fputs("  ", stdout);
            print_safe(stdout, lethe_json_text(member(c, "commonest")), 24);
            printf(" (%.1f %%)", 100 * figure(c, "commonest_share"));
        }
        putchar('\n');
    }
}

static void print_left_out(const lethe_json *m, const char *name, const char *why)
{
    const lethe_json *list = member(m, name);
    if (lethe_json_count(list) == 0) return;
    fputs("  left out: ", stdout);
    print_names(list, ", ");
    printf(" (%s)\n", why);
}

static void print_proposed(const lethe_json *list)
{
    puts("\nProposed quasi-identifiers, by how many rows they single out: a proposal from the data "
         "alone");
    fputs("  ", stdout);
    print_padded(str_of("column"), NAME_WIDTH);
    printf(" %8s  %8s %-*s %s\n", "alone", "in pair", NAME_WIDTH + 5, " with", "with all above");
    for (size_t i = 0; i < lethe_json_count(list); i++) {
        const lethe_json *p = lethe_json_at(list, i);
        fputs("  ", stdout);
        print_padded(lethe_json_text(member(p, "column")), NAME_WIDTH);
        putchar(' ');
        print_percent_of(p, "alone");
        fputs("  ", stdout);
        print_percent_of(p, "pair");
        fputs("  ", stdout);
        print_padded(lethe_json_text(member(p, "partner")), NAME_WIDTH + 5);
        fputs("      ", stdout);
        print_percent_of(p, "together");
        putchar('\n');
    }
}

/* The columns that were proposed, and those that were not, with the reason: the names of columns
 * that must not be published are never left out. */
static void print_proposal(const lethe_json *m, bool explain)
{
    const lethe_json *list = member(m, "proposal");
    if (!list) return;
    if (explain)
        print_proposed(list);
    else
        puts("");
    print_left_out(m, "identifiers", "direct identifiers: do not publish them");
    print_left_out(m, "free_texts", "free text, which may name people: do not publish it");
    if (explain) print_left_out(m, "constants", "one value: tells nobody apart");
    print_left_out(m, "not_proposed", "weaker than the sixteen that are proposed");
    print_folded(stdout,
                 str_of("Take out what nobody else can know of a person, and name what is to be "
                        "kept secret with --sa."),
                 "  ", "  ");
}

static void print_combinations(const lethe_json *m, size_t most)
{
    const lethe_json *list = member(m, "combinations");
    char x[32], y[32];
    if (count(m, "combinations_tried") == 0) return;
    puts("\nUp to three columns that single out most rows");
    if (lethe_json_count(list) == 0) puts("  none singles out a row");
    for (size_t i = 0; i < lethe_json_count(list) && i < most; i++) {
        const lethe_json *c = lethe_json_at(list, i);
        fputs("  ", stdout);
        print_percent_of(c, "unique_share");
        fputs("  ", stdout);
        print_names(member(c, "columns"), ", ");
        putchar('\n');
    }
    int64_t tried = count(m, "combinations_tried"), all = count(m, "combinations_all");
    if (tried < all)
        printf("  (%s of %s combinations were tried, of the columns that tell most rows apart: "
               "name columns with --qi)\n",
               grouped(x, tried), grouped(y, all));
}

static void print_next(const lethe_json *m, const char *input)
{
    const lethe_json *qi = member(m, "qi"), *sensitive = member(m, "sensitive");
    if (lethe_json_count(qi) == 0) return;
    puts("\nNext");
    if (lethe_json_bool(member(m, "qi_proposed")))
        print_command("profile", input, qi, NULL, " --sa COLUMN  # after a look at the list");
    else if (!sensitive)
        print_command("profile", input, qi, NULL, " --sa COLUMN  # what groups tell of it");
    print_command("check", input, qi, NULL, " -k 5  # is it safe as it is?");
    print_command("suggest", input, qi, sensitive, "  # methods that make it safe");
}

void print_table_profile(const lethe_json *m, const char *input, bool explain)
{
    char x[32], y[32];
    print_safe(stdout, str_of(input), SAFE_MAX);
    int64_t rows = count(m, "rows"), columns = (int64_t)lethe_json_count(member(m, "columns"));
    printf(": a table of %s row%s and %s column%s%s\n", grouped(x, rows), rows == 1 ? "" : "s",
           grouped(y, columns), columns == 1 ? "" : "s",
           lethe_json_bool(member(m, "detected")) ? " (not a log: no user and query columns)" : "");
    if (count(m, "rejected") > 0)
        printf("%s rows could not be read and are left out\n", grouped(x, count(m, "rejected")));
    print_answer(m);
    print_sensitive(m);
    if (explain) print_columns(m);
    print_proposal(m, explain);
    print_combinations(m, explain ? SIZE_MAX : COMBINATIONS_SHOWN);
    if (explain) print_histogram(m, "rows_by_group_size", "Rows by size of their group");
    print_next(m, input);
    if (!explain) puts("\n--explain adds each column, what it singles out, and sizes of groups");
}
