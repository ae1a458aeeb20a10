/* SPDX-License-Identifier: Apache-2.0 */
/* Which column is where: from --columns, from a header that names columns, or by the AOL order. */
#include "model/log/log_internal.h"
#include "io/read/fields.h"
#include "model/table/table.h"
#include "core/parse.h"
#include <stdio.h>

/* Lines looked at when guessing. */
#define GUESS_LINES 100
#define COLUMNS_TEXT_MAX 4096

static const char *const keys[LETHE_COLS] = {"user", "query", "time", "rank", "url"};

/* Names that logs use, the surest first, in lower case. */
#define KNOWN_MAX 6
static const char *const known[LETHE_COLS][KNOWN_MAX] = {
    {"anonid", "user", "user_id", "userid", "client_id"},
    {"query", "q", "text", "user_query"},
    {"querytime", "time", "timestamp", "date"},
    {"itemrank", "rank", "position"},
    {"clickurl", "url", "click_url"},
};
/* As the AOL log spells them, for JSON Lines, whose names are told apart by case. */
static const char *const aol_names[LETHE_COLS] = {"AnonID", "Query", "QueryTime", "ItemRank",
                                                  "ClickURL"};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

bool lethe_same_letters(lethe_str a, lethe_str b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.at[i]) != lower(b.at[i])) return false;
    return true;
}

/* --- --users-with and --columns --- */

bool lethe_users_with_parse(const char *s, lethe_read_options *r)
{
    uint64_t min, max;
    const char *dash = strchr(s, '-');
    lethe_str low = {s, dash ? (size_t)(dash - s) : strlen(s)};
    if (!lethe_parse_u64(low, &min)) return false;
    max = dash ? UINT64_MAX : min;
    if (dash && dash[1] != '\0' && !lethe_parse_u64(lethe_str_of(dash + 1), &max)) return false;
    if (min > max) return false;
    r->has_users_with = true;
    r->users_with_min = min;
    r->users_with_max = max;
    return true;
}

bool lethe_null_text_is(const char *null_texts, lethe_str field)
{
    field = lethe_str_trim(field);
    for (const char *at = null_texts; field.n > 0; at++) {
        size_t n = strcspn(at, ",");
        if (n == field.n && memcmp(at, field.at, n) == 0) return true;
        at += n;
        if (!*at) break;
    }
    return false;
}

const char *lethe_option_of_logs(const lethe_read_options *r)
{
    return r->has_users_with ? "users-with"
           : r->columns      ? "columns"
           : r->time_format  ? "time-format"
           : r->actions      ? "actions"
                             : NULL;
}

static lethe_err bad_columns(lethe_diag *d, const char *text, const char *why, lethe_str what)
{
    return lethe_fail(d, LETHE_EUSAGE, "bad columns '%s': %s%s%.*s%s", text, why,
                      what.n ? " '" : "", (int)LETHE_MIN(what.n, (size_t)200),
                      what.n ? what.at : "", what.n ? "'" : "");
}

static lethe_err columns_item(lethe_diag *d, lethe_arena *a, const char *text, lethe_str item,
                              lethe_log_columns *out)
{
    const char *eq = item.n ? memchr(item.at, '=', item.n) : NULL;
    if (!eq) return bad_columns(d, text, "not KEY=COLUMN:", item);
    lethe_str key = lethe_str_trim((lethe_str){item.at, (size_t)(eq - item.at)});
    lethe_str value = lethe_str_trim((lethe_str){eq + 1, item.n - (size_t)(eq - item.at) - 1});
    size_t c = 0;
    while (c < LETHE_COLS && !lethe_str_eq(key, lethe_str_of(keys[c])))
        c++;
    if (c == LETHE_COLS)
        return bad_columns(d, text, "keys are user, query, time, rank, url, not", key);
    if (out->at[c].position || out->at[c].name) return bad_columns(d, text, "twice", key);
    if (value.n == 0) return bad_columns(d, text, "no column for", key);
    // A position, where the value is a number, else a name.
    bool digits = value.n > 0;
    for (size_t i = 0; i < value.n; i++)
        digits &= value.at[i] >= '0' && value.at[i] <= '9';
    if (!digits) {
        out->at[c].name = lethe_arena_dup(a, value);
        return out->at[c].name ? LETHE_OK : lethe_no_memory(d);
    }
    uint64_t position = 0;
    if (!lethe_parse_u64(value, &position) || position == 0 || position > LETHE_POSITION_MAX)
        return bad_columns(d, text, "positions go from 1 to 4096, not", value);
    out->at[c].position = (uint32_t)position;
    return LETHE_OK;
}

static bool same_choice(const lethe_choice *a, const lethe_choice *b)
{
    if (a->position || b->position) return a->position == b->position;
    return a->name && b->name && strcmp(a->name, b->name) == 0;
}

lethe_err lethe_log_columns_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                  lethe_log_columns *out)
{
    *out = (lethe_log_columns){.given = text != NULL};
    if (!text) return LETHE_OK;
    if (strlen(text) > COLUMNS_TEXT_MAX) return lethe_fail(d, LETHE_EUSAGE, "columns: too long");
    for (const char *p = text;; p++) {
        size_t n = strcspn(p, ",");
        LETHE_TRY(columns_item(d, a, text, (lethe_str){p, n}, out));
        p += n;
        if (*p == '\0') break;
    }
    for (size_t c = 0; c < LETHE_COLS; c++)
        for (size_t b = 0; b < c; b++)
            if ((out->at[c].position || out->at[c].name) && same_choice(&out->at[b], &out->at[c]))
                return bad_columns(d, text, "one column for two keys, the second being",
                                   lethe_str_of(keys[c]));
    return LETHE_OK;
}

/* --- the first line --- */

typedef struct first_line {
    lethe_str *fields; /* LETHE_POSITION_MAX at most */
    uint32_t n;
    uint32_t used; /* physical lines; 0: there is no whole first line */
    lethe_buf scratch;
    lethe_tsv tsv;
} first_line;

static lethe_err first_line_read(const lethe_layout *l, lethe_str text, bool whole, first_line *out)
{
    lethe_str line;
    uint32_t used = 1;
    bool more = false;
    if (l->kind == LETHE_LAYOUT_CSV) {
        lethe_csv csv = lethe_csv_begin(text, l->delimiter);
        lethe_csv_fault fault = LETHE_CSV_OK;
        LETHE_TRY(lethe_csv_next(&csv, &out->scratch, out->fields, LETHE_POSITION_MAX, &out->n,
                                 &line, &used, &fault, &more));
        more = more && fault == LETHE_CSV_OK;
    } else {
        out->tsv = lethe_tsv_begin(text, l->delimiter);
        more = lethe_tsv_next(&out->tsv, out->fields, LETHE_POSITION_MAX, &out->n, &line);
    }
    if (!more || line.n > LETHE_LINE_MAX) return LETHE_OK;
    if (!whole && line.at + line.n >= text.at + text.n) return LETHE_OK; // its end was not seen
    out->used = line.n > 0 ? used : 0;
    out->n = LETHE_MIN(out->n, (uint32_t)LETHE_POSITION_MAX);
    return LETHE_OK;
}

/* The field called `name`, exactly or, if none is, but for the case of letters; LETHE_ABSENT. */
static uint32_t find_name(const first_line *first, lethe_str name, bool exactly, uint32_t from)
{
    for (uint32_t i = from; i < first->n; i++) {
        lethe_str f = lethe_str_trim(first->fields[i]);
        if (exactly ? lethe_str_eq(f, name) : lethe_same_letters(f, name)) return i;
    }
    return LETHE_ABSENT;
}

/* A number is the name of a column first, where there is such a name for sure. */
static uint32_t find_number(const lethe_layout *l, const first_line *first, uint32_t number)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%u", (unsigned)number);
    uint32_t at =
        l->headed ? find_name(first, (lethe_str){digits, (size_t)n}, true, 0) : LETHE_ABSENT;
    return at != LETHE_ABSENT ? at : number - 1;
}

static bool is_known(lethe_str field, lethe_log_column c)
{
    for (size_t i = 0; i < KNOWN_MAX && known[c][i]; i++)
        if (lethe_same_letters(lethe_str_trim(field), lethe_str_of(known[c][i]))) return true;
    return false;
}

/* Is the first line a header, if its columns are where the layout says? */
static bool looks_like_header(const lethe_layout *l, const first_line *first)
{
    if (first->used == 0) return false;
    if (l->headed) return true;
    for (size_t c = LETHE_COL_USER; c <= LETHE_COL_TIME; c++)
        if (l->at[c] != LETHE_ABSENT && l->at[c] >= first->n) return false;
    if (l->has_time) {
        lethe_str time = lethe_str_trim(first->fields[l->at[LETHE_COL_TIME]]);
        return !lethe_time_possible(&l->times, time);
    }
    return is_known(first->fields[l->at[LETHE_COL_USER]], LETHE_COL_USER) &&
           is_known(first->fields[l->at[LETHE_COL_QUERY]], LETHE_COL_QUERY);
}

/* --- TSV and CSV --- */

/* Columns at places of their own: a line must reach user, query and time; rank and URL may be
 * missing at its end, and there may be more. */
static void set_places(lethe_layout *l, const uint32_t at[LETHE_COLS])
{
    memcpy(l->at, at, sizeof l->at);
    l->has_time = at[LETHE_COL_TIME] != LETHE_ABSENT;
    l->n_least = 0;
    for (size_t c = LETHE_COL_USER; c <= LETHE_COL_TIME; c++)
        if (at[c] != LETHE_ABSENT) l->n_least = LETHE_MAX(l->n_least, at[c] + 1);
    l->n_most = UINT32_MAX;
}

/* Could the first line be data?  Then what it holds is not shown as names of columns. */
static bool may_be_data(const lethe_layout *l, const first_line *first)
{
    enum { NAME_MAX_BYTES = 64 };
    if (l->headed) return false;
    for (uint32_t i = 0; i < first->n; i++) {
        lethe_str f = lethe_str_trim(first->fields[i]);
        bool digits = f.n > 0;
        for (size_t k = 0; k < f.n; k++)
            digits &= f.at[k] >= '0' && f.at[k] <= '9';
        if (f.n == 0 || f.n > NAME_MAX_BYTES || digits || lethe_time_possible(&l->times, f))
            return true;
    }
    return first->used == 0;
}

/* The header has no such column as an option asks for. */
static lethe_err no_column(lethe_diag *d, const char *file, const char *option, lethe_str name,
                           const lethe_layout *l, const first_line *first)
{
    if (may_be_data(l, first))
        return lethe_fail_at(d, LETHE_EINPUT, file, 1, 0, "no column is called '%.*s'%s",
                             (int)name.n, name.at,
                             first->used == 0 ? ""
                                              : ", and this does not look like a header: give the "
                                                "columns by number");
    for (uint32_t i = 0; i < first->n; i++)
        first->fields[i] = lethe_str_trim(first->fields[i]);
    lethe_column_asked asked = {.err = LETHE_EINPUT, .file = file, .line = 1, .option = option};
    return lethe_column_unknown(d, &asked, name, first->fields, first->n);
}

static bool is_taken(const uint32_t at[LETHE_COLS], uint32_t place)
{
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (at[c] == place) return true;
    return false;
}

static void show_places(char text[128], const uint32_t at[LETHE_COLS], const bool shown[LETHE_COLS])
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (shown[c] && at[c] != LETHE_ABSENT)
            n += (size_t)snprintf(text + n, 128 - n, "%s%s=%u", n ? "," : "", keys[c],
                                  (unsigned)(at[c] + 1));
}

/* What --columns does not name is where it would be without it: under a known name of the header,
 * or in its AOL place, if that is free.  A time there must be one, and rank and URL are taken only
 * if all before them are in their places.  *named: the header told. */
static void complete_places(const lethe_layout *l, const first_line *first, bool by_name,
                            uint32_t at[LETHE_COLS], bool *named)
{
    bool data = !by_name && may_be_data(l, first);
    *named = by_name;
    for (size_t c = 0; c < LETHE_COLS && !data; c++)
        for (size_t i = 0; i < KNOWN_MAX && known[c][i] && at[c] == LETHE_ABSENT; i++) {
            uint32_t place = find_name(first, lethe_str_of(known[c][i]), false, 0);
            if (place != LETHE_ABSENT && !is_taken(at, place)) at[c] = place;
            *named |= at[c] != LETHE_ABSENT;
        }
    bool in_order = data && first->n <= LETHE_COLS;
    for (uint32_t c = 0; c < LETHE_COLS && data; c++) {
        bool fits = c < first->n && !is_taken(at, c) && (c <= LETHE_COL_TIME || in_order);
        if (c == LETHE_COL_TIME && fits)
            fits = lethe_time_possible(&l->times, lethe_str_trim(first->fields[c]));
        if (at[c] == LETHE_ABSENT && fits) at[c] = c;
        in_order = in_order && at[c] == c;
    }
}

static lethe_err settle_given(lethe_diag *d, const char *file, const lethe_log_columns *columns,
                              const first_line *first, bool quiet, lethe_layout *l)
{
    uint32_t at[LETHE_COLS];
    bool by_name = false, named, added[LETHE_COLS], any = false;
    for (size_t c = 0; c < LETHE_COLS; c++) {
        const lethe_choice *k = &columns->at[c];
        at[c] = k->position ? find_number(l, first, k->position) : LETHE_ABSENT;
        if (!k->name) continue;
        by_name = true;
        lethe_str name = lethe_str_of(k->name);
        if (first->used > 0) at[c] = find_name(first, name, true, 0);
        bool exactly = at[c] != LETHE_ABSENT;
        if (first->used > 0 && !exactly) at[c] = find_name(first, name, false, 0);
        if (at[c] != LETHE_ABSENT && find_name(first, name, exactly, at[c] + 1) != LETHE_ABSENT)
            return lethe_fail(d, LETHE_EINPUT, "'%s': two columns are called '%s'", file, k->name);
        if (at[c] == LETHE_ABSENT) return no_column(d, file, "--columns", name, l, first);
    }
    for (size_t c = 0; c < LETHE_COLS; c++)
        for (size_t b = 0; b < c; b++)
            if (at[c] != LETHE_ABSENT && at[b] == at[c])
                return lethe_fail(d, LETHE_EUSAGE, "'%s': %s and %s are the same column", file,
                                  keys[b], keys[c]);
    for (size_t c = 0; c < LETHE_COLS; c++)
        added[c] = at[c] == LETHE_ABSENT;
    complete_places(l, first, by_name, at, &named);
    for (size_t c = 0; c < LETHE_COLS; c++) {
        any |= added[c] && at[c] != LETHE_ABSENT;
        if (c <= LETHE_COL_QUERY && at[c] == LETHE_ABSENT)
            return lethe_fail(d, LETHE_EINPUT,
                              "'%s': cannot tell which column is the %s: name it with --columns",
                              file, keys[c]);
    }
    if (any && !quiet) {
        char text[128];
        show_places(text, at, added);
        lethe_note(d, "'%s': columns that --columns does not name: %s", file, text);
    }
    set_places(l, at);
    if (!quiet && !l->has_time)
        lethe_warn(d,
                   "'%s': no column is known to be the time: no times are read (--columns time= "
                   "names it)",
                   file);
    if (named || looks_like_header(l, first)) l->header_lines = first->used;
    return LETHE_OK;
}

static bool is_aol_order(const uint32_t at[LETHE_COLS], uint32_t n_fields)
{
    for (uint32_t c = 0; c < LETHE_COLS; c++)
        if ((c <= LETHE_COL_TIME || c < n_fields) && at[c] != c) return false;
    return n_fields <= LETHE_COLS;
}

/* A header that does not name all that is needed: AOL's order is a guess, which a note says.  Where
 * a name contradicts it, nothing is guessed: users published as queries cannot be taken back. */
static lethe_err doubt_header(lethe_diag *d, const char *file, const uint32_t at[LETHE_COLS],
                              bool quiet)
{
    for (uint32_t c = LETHE_COL_USER; c <= LETHE_COL_TIME; c++)
        if (at[c] != LETHE_ABSENT && at[c] != c)
            return lethe_fail_at(d, LETHE_EINPUT, file, 1, at[c] + 1,
                                 "the header names the %s here, but not all of user, query and "
                                 "time: name them with --columns",
                                 keys[c]);
    if (!quiet)
        lethe_note(d,
                   "'%s': the header has no known names for user, query and time: the columns are "
                   "taken as user, query, time, rank, URL (change this with --columns)",
                   file);
    return LETHE_OK;
}

/* The header that lethe itself writes, perhaps with further columns. */
static bool is_own_header(const first_line *first)
{
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (first->n < LETHE_COLS || !lethe_str_eq(first->fields[c], lethe_str_of(aol_names[c])))
            return false;
    return true;
}

/* Without --columns.  A header that names user and query elsewhere than AOL has them is believed;
 * one that leaves the time unnamed only if it cannot be in its AOL place, so that no times are lost
 * in silence.  For TSV the time must be named too: that is the AOL layout until proven otherwise.
 */
static lethe_err settle_guessed(lethe_diag *d, const char *file, const first_line *first,
                                bool quiet, lethe_layout *l)
{
    uint32_t at[LETHE_COLS];
    bool named = false;
    // The places that a header gives by names known to us. *found: enough of them to go by.
    if (first->used > 0) {
        for (size_t c = 0; c < LETHE_COLS; c++) {
            at[c] = LETHE_ABSENT;
            for (size_t i = 0; i < KNOWN_MAX && known[c][i] && at[c] == LETHE_ABSENT; i++)
                at[c] = find_name(first, lethe_str_of(known[c][i]), false, 0);
        }
        named = at[LETHE_COL_USER] != LETHE_ABSENT && at[LETHE_COL_QUERY] != LETHE_ABSENT;
        for (size_t c = 0; named && c < LETHE_COLS; c++) {
            uint32_t again =
                at[c] == LETHE_ABSENT
                    ? LETHE_ABSENT
                    : find_name(first, lethe_str_trim(first->fields[at[c]]), false, at[c] + 1);
            if (again != LETHE_ABSENT)
                return lethe_fail_at(d, LETHE_EINPUT, file, 1, again + 1,
                                     "two columns are called '%s'; say which by --columns",
                                     keys[c]);
        }
    }
    if (named && at[LETHE_COL_TIME] == LETHE_ABSENT)
        named = l->kind == LETHE_LAYOUT_CSV &&
                (at[LETHE_COL_USER] != 0 || at[LETHE_COL_QUERY] != 1 || first->n < 3);
    if (!named || is_aol_order(at, first->n)) {
        for (uint32_t c = 0; c < LETHE_COLS; c++)
            l->at[c] = c;
        l->has_time = true;
        l->n_least = 3;
        l->n_most = LETHE_COLS;
        if (!looks_like_header(l, first)) return LETHE_OK;
        l->header_lines = first->used;
        l->time_may_lack = is_own_header(first);
        return named ? LETHE_OK : doubt_header(d, file, at, quiet);
    }
    set_places(l, at);
    l->header_lines = first->used;
    l->time_may_lack = is_own_header(first);
    if (!quiet) {
        char text[128];
        show_places(text, l->at, (const bool[LETHE_COLS]){true, true, true, true, true});
        lethe_note(d, "'%s': columns taken from the header: %s", file, text);
    }
    if (!quiet && !l->has_time)
        lethe_warn(d,
                   "'%s': the header has no time column: no times are read (--columns time= names "
                   "it)",
                   file);
    return LETHE_OK;
}

/* --- further columns --- */

static lethe_err cannot_keep(lethe_diag *d, const char *file, lethe_str name, const char *why)
{
    return lethe_fail(d, LETHE_EINPUT, "'%s': --keep %.*s: %s", file, (int)name.n, name.at, why);
}

/* Where in the file is the column that --keep asks for? */
static lethe_err keep_find(lethe_diag *d, const char *file, lethe_str name, const lethe_layout *l,
                           const first_line *first, uint32_t *at)
{
    uint32_t number = lethe_keep_number(name);
    *at = number ? find_number(l, first, number) : LETHE_ABSENT;
    if (number && *at != number - 1) return LETHE_OK;
    if (number && first->used > 0 && number > first->n)
        return lethe_fail(d, LETHE_EINPUT, "'%s': --keep %u: the first line has %u columns", file,
                          (unsigned)number, (unsigned)first->n);
    *at = number - 1;
    if (number) return LETHE_OK;
    if (l->header_lines == 0)
        return cannot_keep(d, file, name,
                           "the first line is no header: give the number of the column");
    *at = find_name(first, name, true, 0);
    bool exactly = *at != LETHE_ABSENT;
    if (!exactly) *at = find_name(first, name, false, 0);
    if (*at == LETHE_ABSENT) return no_column(d, file, "--keep", name, l, first);
    if (find_name(first, name, exactly, *at + 1) != LETHE_ABSENT)
        return cannot_keep(d, file, name, "two columns are called so: give the number of one");
    return LETHE_OK;
}

/* A line may have more columns than those that are read, and need not reach the kept ones. */
static lethe_err settle_keep(lethe_diag *d, const char *file, const lethe_keep *keep,
                             const first_line *first, lethe_layout *l)
{
    for (size_t i = 0; i < keep->n; i++) {
        uint32_t at = LETHE_ABSENT;
        LETHE_TRY(keep_find(d, file, keep->at[i], l, first, &at));
        for (size_t c = 0; c < LETHE_COLS; c++)
            if (l->at[c] == at)
                return lethe_fail(d, LETHE_EINPUT,
                                  "'%s': --keep %.*s: that is the column of the %s, which is "
                                  "published anyway",
                                  file, (int)keep->at[i].n, keep->at[i].at, keys[c]);
        for (size_t j = 0; j < i; j++)
            if (l->keep_at[j] == at)
                return cannot_keep(d, file, keep->at[i], "two names of the list are this column");
        l->keep_at[i] = at;
    }
    l->n_keep = (uint32_t)keep->n;
    l->n_most = UINT32_MAX;
    return LETHE_OK;
}

static lethe_err settle_fields(lethe_diag *d, const char *file, const lethe_log_columns *columns,
                               const lethe_keep *keep, lethe_str text, bool whole, bool quiet,
                               lethe_layout *l)
{
    first_line *first = lethe_alloc(1, sizeof *first);
    lethe_str *fields = lethe_alloc(LETHE_POSITION_MAX, sizeof *fields);
    if (!first || !fields) {
        lethe_free_all(first, fields);
        return lethe_no_memory(d);
    }
    *first = (first_line){.fields = fields};
    lethe_err e = first_line_read(l, text, whole, first);
    if (e != LETHE_OK)
        e = lethe_no_memory(d);
    else if (columns->given)
        e = settle_given(d, file, columns, first, quiet, l);
    else
        e = settle_guessed(d, file, first, quiet, l);
    if (e == LETHE_OK && keep && text.n > 0) e = settle_keep(d, file, keep, first, l);
    if (e == LETHE_OK && l->header_lines > 0 && !l->headed && !quiet)
        lethe_note(d, "'%s': first line taken for a header", file);
    lethe_buf_free(&first->scratch);
    lethe_free_all(fields, first);
    return e;
}

/* --- JSON Lines --- */

static bool next_line(lethe_str *text, lethe_str *line)
{
    if (text->n == 0) return false;
    const char *lf = memchr(text->at, '\n', text->n);
    size_t n = lf ? (size_t)(lf - text->at) : text->n;
    *line = (lethe_str){text->at, n};
    n += lf != NULL;
    *text = (lethe_str){text->at + n, text->n - n};
    return true;
}

/* Of the members of one object, those whose names are known and surer than what was seen before. */
static lethe_err recognise_members(lethe_arena *a, const lethe_json *object,
                                   const char *best[LETHE_COLS], size_t rank[LETHE_COLS])
{
    for (size_t m = 0; m < lethe_json_count(object); m++) {
        lethe_str name = lethe_json_name(object, m);
        for (size_t c = 0; c < LETHE_COLS; c++) {
            for (size_t i = 0; i < rank[c] && known[c][i]; i++) {
                if (!lethe_same_letters(name, lethe_str_of(known[c][i]))) continue;
                best[c] = lethe_arena_dup(a, name);
                if (!best[c]) return LETHE_ENOMEM;
                rank[c] = i;
            }
        }
    }
    return LETHE_OK;
}

/* Which spelling of which name do the first lines use?  *seen: whether one of them was an object.
 */
static lethe_err recognise_names(lethe_arena *a, lethe_str text, const char *best[LETHE_COLS],
                                 bool *seen)
{
    size_t rank[LETHE_COLS] = {KNOWN_MAX, KNOWN_MAX, KNOWN_MAX, KNOWN_MAX, KNOWN_MAX};
    lethe_str line;
    *seen = false;
    for (int i = 0; i < GUESS_LINES && next_line(&text, &line); i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *v = NULL;
        lethe_err e = lethe_json_parse(NULL, NULL, line, &doc, &v);
        if (e == LETHE_OK && lethe_json_kind(v) == LETHE_JSON_OBJECT) {
            *seen = true;
            e = recognise_members(a, v, best, rank);
        }
        if (doc) lethe_json_doc_free(doc);
        if (e == LETHE_ENOMEM) return e;
    }
    return LETHE_OK;
}

static bool is_chosen(const lethe_log_columns *columns, const char *name)
{
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (columns->at[c].name && strcmp(columns->at[c].name, name) == 0) return true;
    return false;
}

/* Reports the member that no line has, with those of the first object. */
static lethe_err no_member(lethe_diag *d, const char *file, const char *option, const char *name,
                           lethe_str object)
{
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    lethe_str members[LETHE_NAMES_MAX];
    lethe_err e = lethe_json_parse(NULL, NULL, object, &doc, &v);
    if (e == LETHE_ENOMEM) return lethe_no_memory(d);
    if (e != LETHE_OK) // a name twice, for instance
        return lethe_fail_at(d, LETHE_EINPUT, file, 1, 0, "no member is called '%s'", name);
    size_t n = LETHE_MIN(lethe_json_count(v), (size_t)LETHE_NAMES_MAX);
    for (size_t m = 0; m < n; m++)
        members[m] = lethe_json_name(v, m);
    lethe_column_asked asked = {
        .err = LETHE_EINPUT, .file = file, .line = 1, .option = option, .among = "the members"};
    e = lethe_column_unknown(d, &asked, lethe_str_of(name), members, n);
    lethe_json_doc_free(doc);
    return e;
}

/* The member that an option names must be in one of the first lines. */
static lethe_err member_check(lethe_diag *d, const char *file, lethe_str text, const char *option,
                              const char *const name)
{
    lethe_str line, found[1], first = {NULL, 0};
    lethe_json_picker *picker = lethe_json_picker_new(&name, 1);
    bool seen = false;
    lethe_err e = picker ? LETHE_OK : LETHE_ENOMEM;
    for (int i = 0; i < GUESS_LINES && !seen && e == LETHE_OK && next_line(&text, &line); i++) {
        const char *cause = NULL;
        e = lethe_json_pick(picker, line, found, &cause);
        if (e == LETHE_OK && !cause && !first.at) first = line;
        seen = e == LETHE_OK && !cause && found[0].at;
    }
    lethe_json_picker_free(picker);
    if (e != LETHE_OK) return lethe_no_memory(d);
    return !seen && first.at ? no_member(d, file, option, name, first) : LETHE_OK;
}

/* The user and the query that --columns names. */
static lethe_err members_check(lethe_diag *d, const char *file, lethe_str text,
                               const lethe_log_columns *columns)
{
    for (size_t c = LETHE_COL_USER; c <= LETHE_COL_QUERY; c++)
        if (columns->at[c].name)
            LETHE_TRY(member_check(d, file, text, "--columns", columns->at[c].name));
    return LETHE_OK;
}

/* Adds the kept members to the names that are picked. */
static lethe_err settle_kept_members(lethe_diag *d, lethe_arena *a, const char *file,
                                     const lethe_keep *keep, lethe_str text, const char **names,
                                     lethe_layout *l)
{
    size_t n_read = l->n_names;
    for (size_t i = 0; i < keep->n; i++) {
        const char *name = lethe_arena_dup(a, keep->at[i]);
        if (!name) return lethe_no_memory(d);
        if (lethe_keep_number(keep->at[i]))
            return lethe_fail(d, LETHE_EUSAGE,
                              "'%s': the columns of JSON Lines are names, not numbers", file);
        for (size_t k = 0; k < n_read; k++)
            if (strcmp(names[k], name) == 0)
                return cannot_keep(d, file, keep->at[i],
                                   "that is a member of a row that is published anyway");
        LETHE_TRY(member_check(d, file, text, "--keep", name));
        l->keep_at[i] = (uint32_t)l->n_names;
        names[l->n_names++] = name;
    }
    l->n_keep = (uint32_t)keep->n;
    return LETHE_OK;
}

static lethe_err settle_json(lethe_diag *d, lethe_arena *a, const char *file,
                             const lethe_log_columns *columns, const lethe_keep *keep,
                             lethe_str text, bool quiet, lethe_layout *l)
{
    const char *best[LETHE_COLS] = {0};
    const char **names = lethe_new(a, const char *, LETHE_NAMES_MAX);
    if (!names) return lethe_no_memory(d);
    l->names = names;
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (columns->at[c].position)
            return lethe_fail(d, LETHE_EUSAGE,
                              "'%s': the columns of JSON Lines are names, not numbers", file);
    bool seen = false;
    if (recognise_names(a, text, best, &seen) != LETHE_OK) return lethe_no_memory(d);
    for (size_t c = 0; c < LETHE_COLS; c++) {
        if (best[c] && is_chosen(columns, best[c])) best[c] = NULL; // for another column
        if (columns->at[c].name) best[c] = columns->at[c].name;
    }
    LETHE_TRY(members_check(d, file, text, columns));
    for (size_t c = LETHE_COL_USER; seen && c <= LETHE_COL_QUERY; c++)
        if (!best[c])
            return lethe_fail(d, LETHE_EINPUT,
                              "'%s': cannot tell which member is the %s: name it with --columns",
                              file, keys[c]);
    // One name for a column where it was seen, so that two names are never mixed; all that are
    // known for what may still come.  Times either stand in the first lines or there are none.
    l->has_time = best[LETHE_COL_TIME] || !seen;
    for (size_t c = 0; c < LETHE_COLS; c++) {
        l->first_name[c] = l->n_names;
        if (best[c]) {
            names[l->n_names++] = best[c];
        } else if (c != LETHE_COL_TIME || l->has_time) {
            if (!is_chosen(columns, aol_names[c])) names[l->n_names++] = aol_names[c];
            for (size_t i = 0; i < KNOWN_MAX && known[c][i]; i++)
                if (!is_chosen(columns, known[c][i])) names[l->n_names++] = known[c][i];
        }
    }
    l->first_name[LETHE_COLS] = l->n_names;
    if (keep) LETHE_TRY(settle_kept_members(d, a, file, keep, text, names, l));
    if (!l->has_time && !quiet)
        lethe_warn(d,
                   "'%s': cannot tell which member is the time: no times are read (--columns time= "
                   "names it)",
                   file);
    return LETHE_OK;
}

/* --- all --- */

/* Do half of the first lines hold a tab? */
static bool is_tabbed(lethe_str text)
{
    size_t lines = 0, tabbed = 0;
    lethe_str line;
    while (lines < GUESS_LINES && next_line(&text, &line)) {
        if (line.n == 0) continue;
        lines++;
        tabbed += memchr(line.at, '\t', line.n) != NULL;
    }
    return tabbed > 0 && tabbed * 2 >= lines;
}

static lethe_err settle_kind(const lethe_read_options *reading, bool columns_given, lethe_str text,
                             lethe_layout *l)
{
    lethe_format format = reading->format;
    bool answer = false;
    size_t i = 0;
    if (l->headed) {
        l->kind = LETHE_LAYOUT_CSV;
        l->delimiter = reading->delimiter ? reading->delimiter : ',';
        l->times.format = reading->time_format;
        return LETHE_OK;
    }
    while (i < text.n && strchr(" \t\r\n", text.at[i]) && text.at[i] != '\0')
        i++;
    if (format == LETHE_FORMAT_GUESS && i < text.n && text.at[i] == '{') {
        // the columns of User Behavior Insights cannot be chosen: with --columns it is not that
        bool ubi = false;
        if (!columns_given) LETHE_TRY(lethe_ubi_recognise(text, &ubi, &answer));
        format = ubi ? LETHE_FORMAT_UBI : LETHE_FORMAT_JSONL;
    } else if (format == LETHE_FORMAT_GUESS) {
        bool tsv = reading->delimiter ? reading->delimiter == '\t' : is_tabbed(text);
        format = tsv ? LETHE_FORMAT_AOL : LETHE_FORMAT_CSV;
    }
    l->delimiter = reading->delimiter;
    l->times.format = reading->time_format;
    switch (format) {
    case LETHE_FORMAT_JSONL:
        l->kind = LETHE_LAYOUT_JSONL;
        break;
    case LETHE_FORMAT_UBI:
        if (reading->format == LETHE_FORMAT_UBI)
            LETHE_TRY(lethe_ubi_recognise(text, &(bool){false}, &answer));
        lethe_ubi_layout(l, answer);
        break;
    case LETHE_FORMAT_CSV:
        l->kind = LETHE_LAYOUT_CSV;
        if (!l->delimiter) l->delimiter = lethe_guess_delimiter(text);
        if (!l->delimiter) l->delimiter = ',';
        break;
    case LETHE_FORMAT_GUESS:
    case LETHE_FORMAT_RECORDS: // lethe_log_files has refused these
    case LETHE_FORMAT_TABLE:
    case LETHE_FORMAT_AOL:
        l->kind = LETHE_LAYOUT_TSV;
        if (!l->delimiter) l->delimiter = '\t';
        break;
    }
    return LETHE_OK;
}

lethe_err lethe_layout_settle(lethe_diag *d, lethe_arena *a, const char *name,
                              const lethe_read_options *reading, const lethe_log_columns *columns,
                              lethe_str first, bool whole, bool headed, bool quiet,
                              lethe_layout *out)
{
    static const lethe_str sealed = {"#lethe-sealed ", 14};
    lethe_layout l = {.headed = headed};
    if (!headed && first.n > sealed.n && memcmp(first.at, sealed.at, sealed.n) == 0)
        return lethe_fail(d, LETHE_EINPUT, "'%s' is a sealed log: lethe open opens what it can",
                          name);
    if (settle_kind(reading, columns->given, first, &l) != LETHE_OK) return lethe_no_memory(d);
    if (l.kind == LETHE_LAYOUT_JSONL)
        LETHE_TRY(settle_json(d, a, name, columns, reading->keep, first, quiet, &l));
    else if (l.kind != LETHE_LAYOUT_UBI)
        LETHE_TRY(settle_fields(d, name, columns, reading->keep, first, whole, quiet, &l));
    else if (reading->keep)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--keep does not apply to User Behavior Insights, and '%s' is such a log",
                          name);
    *out = l;
    return LETHE_OK;
}

/* --- is it a log at all? --- */

/* Do the first lines, the header aside, have a time of day where AOL has it? */
static lethe_err has_times(const lethe_layout *l, lethe_str text, first_line *line, bool *out)
{
    size_t lines = 0, timed = 0;
    lethe_str rest = text, skipped;
    *out = false;
    if (!next_line(&rest, &skipped)) return LETHE_OK;
    for (lethe_str one; lines < GUESS_LINES && next_line(&rest, &one);) {
        line->used = 0;
        LETHE_TRY(first_line_read(l, one, true, line));
        if (line->used == 0) continue;
        lines++;
        lethe_str at =
            line->n > LETHE_COL_TIME ? lethe_str_trim(line->fields[LETHE_COL_TIME]) : LETHE_LIT("");
        timed += memchr(at.at, ':', at.n) && lethe_time_possible(&l->times, at);
    }
    *out = timed > 0 && timed * 2 >= lines;
    return LETHE_OK;
}

static lethe_err fields_recognise(const lethe_layout *l, lethe_str text, bool whole,
                                  first_line *first, bool *is_log)
{
    bool user = false, query = false;
    LETHE_TRY(first_line_read(l, text, whole, first));
    if (first->used == 0 || first->n < 2) return LETHE_OK; // the reader of logs says what is wrong
    for (uint32_t i = 0; i < first->n; i++) {
        user |= is_known(first->fields[i], LETHE_COL_USER);
        query |= is_known(first->fields[i], LETHE_COL_QUERY);
    }
    bool has_header =
        l->headed || first->n <= LETHE_COL_TIME ||
        !lethe_time_possible(&l->times, lethe_str_trim(first->fields[LETHE_COL_TIME]));
    if ((user && query) || !has_header) return LETHE_OK;
    return has_times(l, text, first, is_log);
}

lethe_err lethe_log_recognise(const lethe_read_options *reading, lethe_str text, bool whole,
                              bool headed, bool *is_log)
{
    static const lethe_str sealed = {"#lethe-sealed ", 14};
    lethe_layout l = {.headed = headed};
    *is_log = true;
    if (lethe_option_of_logs(reading) || reading->format != LETHE_FORMAT_GUESS ||
        (!headed && text.n > sealed.n && memcmp(text.at, sealed.at, sealed.n) == 0))
        return LETHE_OK;
    LETHE_TRY(settle_kind(reading, false, text, &l));
    if (l.kind == LETHE_LAYOUT_JSONL || l.kind == LETHE_LAYOUT_UBI) return LETHE_OK;
    first_line *first = lethe_alloc(1, sizeof *first);
    lethe_str *fields = lethe_alloc(LETHE_POSITION_MAX, sizeof *fields);
    lethe_err e = first && fields ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        *first = (first_line){.fields = fields};
        e = fields_recognise(&l, text, whole, first, is_log);
        lethe_buf_free(&first->scratch);
    }
    lethe_free_all(fields, first);
    return e;
}
