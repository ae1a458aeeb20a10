/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of CSV into a table.  A row is looked over as a whole before anything of it is kept, so that
 * what is rejected or left out leaves no trace, not even among the values of a column. */
#include "model/table/table_internal.h"
#include "model/table/decimals.h"
#include "model/table/csv_rows.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include <stdio.h>

/* What can be wrong with the value of one column. */
typedef enum fault {
    FAULT_NONE,
    FAULT_NUL,
    FAULT_TAB,
    FAULT_CR,
    FAULT_LF,
    FAULT_QUOTE,
    FAULT_UNKNOWN,
    FAULT_NO_NUMBER,
    FAULT_OUTSIDE,
    FAULT_STAR,
    FAULTS
} fault;
static const char *const fault_text[FAULTS] = {
    [FAULT_NUL] = "NUL byte",
    [FAULT_TAB] = "tab in a field",
    [FAULT_CR] = "carriage return in a field",
    [FAULT_LF] = "line feed in a field",
    [FAULT_QUOTE] = "quote after a space at the beginning of a field",
    [FAULT_UNKNOWN] = "value is not in the hierarchy",
    [FAULT_NO_NUMBER] = "value is not a number",
    [FAULT_OUTSIDE] = "number outside the domain",
    [FAULT_STAR] = "the value '*' stands for what is not published",
};

/* A column that is used. */
typedef struct used {
    uint32_t field; /* where it is */
    uint32_t role;  /* as in lethe_table.order */
    bool is_sa;
    const lethe_tree *tree; /* of a quasi-identifier, as given; NULL: none */
    const lethe_ranges *ranges;
    lethe_dict *values; /* those of rows that are kept */
    lethe_u32s code;
    /* of the row at hand */
    lethe_str value;
    uint32_t now; /* its number; LETHE_NONE: it is new */
    lethe_buf repaired;
    char number[LETHE_NUMBER_TEXT]; /* the value, if it had a decimal comma */
    lethe_decimals decimals;        /* ranges: which mark they have, in the file at hand */
    /* values that its hierarchy lacks, or its ranges: rows, and which ones; NULL: none */
    uint64_t n_refused, refused_line; /* of the first */
    lethe_dict *refused;
} used;

typedef struct reader {
    lethe_csv_rows rows;
    lethe_diag *diag;
    const lethe_table_read_options *how;
    lethe_arena *arena; /* the table's */
    lethe_role_names roles;
    lethe_table *table;
    used *used; /* in the order of the header */
    size_t n_used;
    lethe_u64s origin;
    lethe_dict *header; /* names of the columns, by field; NULL: no header was read yet */
    const char **cause; /* by field and fault, made when they are first needed */
} reader;

/* --- rejecting --- */

/* The text for a fault of one column, with the column's name. */
static const char *cause_of(reader *r, uint32_t field, fault f)
{
    uint32_t n = lethe_dict_count(r->header);
    if (!r->cause) r->cause = lethe_new(r->arena, const char *, (size_t)n *FAULTS);
    if (!r->cause) return NULL;
    const char **cause = &r->cause[(size_t)field * FAULTS + f];
    if (!*cause) {
        char shown[80];
        lethe_show(shown, sizeof shown, lethe_dict_at(r->header, field));
        *cause = lethe_arena_printf(r->arena, "%s: %s", shown, fault_text[f]);
    }
    return *cause;
}

/* Is the value itself at fault?  Then the message names it, which no other one does: without it
 * nobody could tell what the hierarchy lacks (docs/formats.md). */
static bool is_named(fault f)
{
    return f == FAULT_UNKNOWN || f == FAULT_NO_NUMBER || f == FAULT_OUTSIDE;
}

/* The value of one column is at fault. */
static lethe_err reject_value(reader *r, used *u, fault f, lethe_str content)
{
    const char *cause = cause_of(r, u->field, f);
    uint32_t id;
    if (!is_named(f)) return lethe_csv_rows_reject(&r->rows, u->field + 1, cause, content, NULL);
    if (!u->refused) u->refused = lethe_dict_new();
    if (!u->refused) return LETHE_ENOMEM;
    if (u->n_refused++ == 0) u->refused_line = r->rows.line;
    LETHE_TRY(lethe_dict_add(u->refused, u->value, &id));
    return lethe_csv_rows_reject(&r->rows, u->field + 1, cause, content, &u->value);
}

/* --- one row --- */

static fault forbidden(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((uint8_t)s.at[i] > '\r') continue;
        if (s.at[i] == '\0') return FAULT_NUL;
        if (s.at[i] == '\t') return FAULT_TAB;
        if (s.at[i] == '\r') return FAULT_CR;
        if (s.at[i] == '\n') return FAULT_LF;
    }
    return FAULT_NONE;
}

static bool is_missing(lethe_str s) { return s.n == 0 || (s.n == 1 && s.at[0] == '?'); }

/* May the column have this value, which it has not had yet? */
static fault value_check(const used *u, lethe_str value)
{
    lethe_number x;
    if (u->is_sa && lethe_str_eq(value, LETHE_LIT(LETHE_STARRED))) return FAULT_STAR;
    if (is_missing(value)) return FAULT_NONE;
    if (u->tree) return lethe_tree_find(u->tree, value) == LETHE_NONE ? FAULT_UNKNOWN : FAULT_NONE;
    if (!u->ranges) return FAULT_NONE;
    if (!lethe_number_parse(value, &x)) return FAULT_NO_NUMBER;
    return lethe_ranges_cover(u->ranges, x) ? FAULT_NONE : FAULT_OUTSIDE;
}

/* Ranges of values need a number in every row: a group would have no least and greatest of others.
 * To leave rows out would be another table than the one that was meant. */
static bool lacks_number(const reader *r, const used *u)
{
    lethe_number x;
    if (!u->ranges || !u->ranges->values || u->now != LETHE_NONE) return false;
    if (is_missing(u->value)) return !r->how->drop_missing;
    return !lethe_number_parse(u->value, &x);
}

static lethe_err number_fault(reader *r, const used *u)
{
    char column[80], value[80];
    bool missing = is_missing(u->value);
    lethe_show(column, sizeof column, lethe_dict_at(r->header, u->field));
    lethe_show(value, sizeof value, u->value);
    return lethe_fail_at(r->diag, LETHE_EINPUT, r->rows.name, r->rows.line, u->field + 1,
                         missing ? "%s: the value is missing, and --ranges %s=values needs "
                                   "numbers; --missing drop leaves such rows out"
                                 : "%s: '%s' is not a number, and --ranges %s=values needs numbers",
                         column, missing ? column : value, column);
}

/* Takes the field's value, as far as it can be told from the field alone.  A quote behind a space
 * is none of CSV's, but was most likely meant to be: neither way to read it is sure. */
static lethe_err value_take(used *u, lethe_str field, bool plain, bool *broken, fault *bad)
{
    bool invalid = false;
    u->value = lethe_str_trim(field);
    *bad = u->value.n > 0 && u->value.at != field.at && u->value.at[0] == '"' ? FAULT_QUOTE
                                                                              : FAULT_NONE;
    if (!plain) LETHE_TRY(lethe_utf8_repair(u->value, &u->repaired, &u->value, &invalid));
    *broken |= invalid;
    if (is_missing(u->value)) u->value = LETHE_LIT(LETHE_MISSING);
    return LETHE_OK;
}

/* A decimal comma becomes a point.  Where both occur, neither way to read the numbers is sure. */
static lethe_err decimals_take(reader *r, used *u)
{
    lethe_str value = u->value;
    if (lethe_decimals_take(&u->decimals, r->rows.line, value, u->number, &u->value) ==
        LETHE_DECIMALS_OK)
        return LETHE_OK;
    char shown[80], name[80], other[40] = "";
    uint64_t line =
        memchr(value.at, '.', value.n) ? u->decimals.comma_line : u->decimals.point_line;
    lethe_show(shown, sizeof shown, value);
    lethe_show(name, sizeof name, lethe_dict_at(r->header, u->field));
    if (line) snprintf(other, sizeof other, " (as in line %llu)", (unsigned long long)line);
    return lethe_fail_at(r->diag, LETHE_EINPUT, r->rows.name, r->rows.line, u->field + 1,
                         "%s: '%s' mixes decimal points and decimal commas%s: write all numbers of "
                         "the column in one way, without separators of thousands",
                         name, shown, other);
}

/* At the end of a file: is it clear what its commas mean? */
static lethe_err decimals_check(const reader *r)
{
    for (const used *u = r->used; u < r->used + r->n_used; u++) {
        if (!lethe_decimals_unclear(&u->decimals)) continue;
        char name[80];
        lethe_show(name, sizeof name, lethe_dict_at(r->header, u->field));
        return lethe_fail_at(r->diag, LETHE_EINPUT, r->rows.name, u->decimals.comma_line,
                             u->field + 1,
                             "%s: the comma of '%s' may stand before decimals or before "
                             "thousands: write a decimal point, or no comma",
                             name, u->decimals.comma);
    }
    return LETHE_OK;
}

static lethe_err take_row(void *to, lethe_str record)
{
    reader *r = to;
    uint32_t n = lethe_dict_count(r->header);
    const lethe_str *f = r->rows.fields;
    // Most rows are plain: nothing in them needs a look at its single bytes.  A tab that separates
    // fields is not inside one, unless there are quotes.
    char mark = r->rows.delimiter == '\t' ? '"' : '\t';
    bool plain = lethe_ascii_plain(record) && !memchr(record.at, mark, record.n);
    bool broken = false, missing = false;
    for (uint32_t i = 0; !plain && i < n; i++) {
        fault bad = forbidden(f[i]);
        if (bad != FAULT_NONE)
            return lethe_csv_rows_reject(&r->rows, i + 1, cause_of(r, i, bad), record, NULL);
    }
    for (used *u = r->used; u < r->used + r->n_used; u++) {
        fault bad;
        LETHE_TRY(value_take(u, f[u->field], plain, &broken, &bad));
        missing |= is_missing(u->value);
        if (u->ranges && bad == FAULT_NONE) LETHE_TRY(decimals_take(r, u));
        u->now = lethe_dict_find(u->values, u->value);
        if (bad == FAULT_NONE && lacks_number(r, u)) return number_fault(r, u);
        if (bad == FAULT_NONE && u->now == LETHE_NONE) bad = value_check(u, u->value);
        if (bad != FAULT_NONE) return reject_value(r, u, bad, record);
    }
    uint64_t origin = r->rows.read++;
    r->table->counts.invalid_utf8 += broken;
    r->rows.invalid_utf8 += broken;
    if (!missing || !r->how->drop_missing) {
        // Keeps the row at hand, whose values are all good.
        if (r->origin.n >= LETHE_NONE - 1) return LETHE_ENOMEM;
        for (used *u = r->used; u < r->used + r->n_used; u++) {
            if (u->now == LETHE_NONE) LETHE_TRY(lethe_dict_add(u->values, u->value, &u->now));
            LETHE_TRY(lethe_u32s_append(r->arena, &u->code, &u->now, 1));
            r->table->text_bytes += u->value.n + 1;
        }
        return lethe_u64s_append(r->arena, &r->origin, &origin, 1);
    }
    r->table->counts.missing++;
    return LETHE_OK;
}

/* --- the header --- */

/* The names of all columns, in the table's arena; NULL: no memory. */
static lethe_str *columns_of(const reader *r)
{
    uint32_t n = lethe_dict_count(r->header);
    lethe_str *name = lethe_new(r->arena, lethe_str, n);
    for (uint32_t i = 0; name && i < n; i++)
        name[i] = lethe_dict_at(r->header, i);
    return name;
}

/* Room for the columns that are used, in the order of the header. */
static lethe_err use_columns(reader *r, uint32_t n, uint32_t *role_of)
{
    const lethe_table_read_options *how = r->how;
    lethe_str *columns = columns_of(r);
    if (!columns) return LETHE_ENOMEM;
    memset(role_of, 0xff, n * sizeof *role_of); // LETHE_NONE
    // Gives each field its role: no column has two.
    const lethe_role_names *names = &r->roles;
    size_t class = names->n_qi + names->n_sa;
    for (size_t role = 0; role < class + 1 + names->n_keep; role++) {
        lethe_str name = role < names->n_qi ? names->qi[role]
                         : role < class     ? names->sa[role - names->n_qi]
                         : role == class    ? names->class
                                            : names->keep[role - class - 1];
        if (!name.at) continue;
        uint32_t field = lethe_dict_find(r->header, name);
        if (field != LETHE_NONE) {
            role_of[field] = (uint32_t)role;
            continue;
        }
        return lethe_column_unknown(
            r->diag,
            &(lethe_column_asked){.err = LETHE_EINPUT, .file = r->rows.name, .line = r->rows.line},
            name, columns, n);
    }
    if (how->columns_seen) LETHE_TRY(how->columns_seen(how->seen_ctx, columns, n));
    r->used = lethe_new(r->arena, used, n);
    if (!r->used) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t role = role_of[i];
        if (role == LETHE_NONE) continue;
        used *u = &r->used[r->n_used++];
        *u = (used){.field = i, .role = role, .values = lethe_dict_new()};
        if (!u->values) return LETHE_ENOMEM;
        u->is_sa = role >= names->n_qi && role < class;
        if (u->is_sa && how->sensitive) u->tree = how->sensitive[role - names->n_qi];
        if (role >= r->roles.n_qi) continue;
        u->tree = how->hierarchy ? how->hierarchy[role] : NULL;
        if (!u->tree && how->ranges) u->ranges = how->ranges[role];
    }
    return LETHE_OK;
}

static lethe_err take_header(void *to, uint32_t n)
{
    reader *r = to;
    if (r->header) {
        // A later file has the columns of the first.
        uint32_t n_columns = lethe_dict_count(r->header);
        for (uint32_t i = 0; i < n && i < n_columns; i++)
            if (!lethe_str_eq(lethe_str_trim(r->rows.fields[i]), lethe_dict_at(r->header, i)))
                return lethe_csv_rows_fault(&r->rows, i + 1,
                                            "another column than in the first file");
        if (n != n_columns)
            return lethe_csv_rows_fault(&r->rows, LETHE_MIN(n, n_columns) + 1,
                                        "another number of columns than in the first file");
        return LETHE_OK;
    }
    r->header = lethe_dict_new();
    if (!r->header) return LETHE_ENOMEM;
    // The columns' names, in the order of the fields.
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id;
        lethe_str name = lethe_str_trim(r->rows.fields[i]);
        fault bad = forbidden(name);
        if (name.n == 0) return lethe_csv_rows_fault(&r->rows, i + 1, "a column's name is empty");
        if (bad != FAULT_NONE) return lethe_csv_rows_fault(&r->rows, i + 1, fault_text[bad]);
        if (!lethe_utf8_valid(name))
            return lethe_csv_rows_fault(&r->rows, i + 1, "a column's name is not utf-8");
        LETHE_TRY(lethe_dict_add(r->header, name, &id));
        if (id < i) return lethe_csv_rows_twice(&r->rows, i + 1, name);
    }
    uint32_t *role_of = lethe_alloc(n, sizeof *role_of);
    lethe_err e = role_of ? use_columns(r, n, role_of) : LETHE_ENOMEM;
    lethe_free(role_of);
    return e;
}

static lethe_err end_file(void *to)
{
    reader *r = to;
    LETHE_TRY(decimals_check(r));
    for (size_t i = 0; i < r->n_used; i++)
        r->used[i].decimals = (lethe_decimals){0}; // the next file may be written in another way
    return LETHE_OK;
}

/* --- the table --- */

/* The column's values and codes go over to the table. */
static void finish_column(used *u, lethe_str name, lethe_column *c)
{
    assert(c); // the table has a place for each role
    *c = (lethe_column){.name = name, .values = u->values, .code = u->code.at};
    u->values = NULL;
}

/* Values with a hierarchy have leaves besides, but stay as they are. */
static lethe_err finish_sensitive(reader *r, used *u, size_t number)
{
    lethe_column *c = &r->table->sa[number];
    uint32_t *leaf = NULL;
    if (u->tree) {
        leaf = lethe_new(r->arena, uint32_t, lethe_dict_count(u->values));
        if (!leaf) return lethe_no_memory(r->diag);
        LETHE_TRY(lethe_table_tree(r->diag, u->tree, NULL, u->values, &c->tree, leaf));
    }
    lethe_tree *tree = c->tree;
    finish_column(u, r->roles.sa[number], c);
    c->tree = tree;
    c->leaf = leaf;
    return LETHE_OK;
}

/* Kept columns stand in the order of the header, whatever --keep says. */
static lethe_err finish(reader *r)
{
    lethe_table *t = r->table;
    uint32_t n_kept = 0, n_qi = (uint32_t)r->roles.n_qi, class = n_qi + (uint32_t)r->roles.n_sa;
    const lethe_role_names *names = &r->roles;
    t->qi = lethe_new(r->arena, lethe_qi, names->n_qi);
    t->keep = lethe_new(r->arena, lethe_column, names->n_keep);
    if (names->n_sa > 0) t->sa = lethe_new(r->arena, lethe_column, names->n_sa);
    if (names->class.at) t->class = lethe_new(r->arena, lethe_column, 1);
    uint32_t *order = lethe_new(r->arena, uint32_t, r->n_used);
    if (!t->qi || !t->keep || !t->sa != !names->n_sa || !t->class != !names->class.at || !order)
        return lethe_no_memory(r->diag);
    for (size_t i = 0; i < r->n_used; i++)
        order[i] = r->used[i].role;
    t->n_qi = names->n_qi;
    t->n_sa = names->n_sa;
    t->n_keep = names->n_keep;
    t->order = order;
    t->n_order = r->n_used;
    for (size_t i = 0; i < r->n_used; i++) {
        used *u = &r->used[i];
        if (u->role < n_qi) {
            t->qi[u->role].name = r->roles.qi[u->role];
            // Values become leaves, the values' numbers by row leaves by row.
            lethe_qi *qi = &t->qi[u->role];
            uint32_t *leaf = lethe_alloc(lethe_dict_count(u->values), sizeof *leaf);
            if (!leaf) return lethe_no_memory(r->diag);
            lethe_err e = lethe_table_tree(r->diag, u->tree, u->ranges, u->values, &qi->tree, leaf);
            for (size_t k = 0; e == LETHE_OK && k < u->code.n; k++)
                u->code.at[k] = leaf[u->code.at[k]];
            lethe_free(leaf);
            if (e == LETHE_OK && u->ranges && u->ranges->values) {
                qi->position = lethe_ranges_positions(r->arena, qi->tree);
                if (!qi->position) e = lethe_no_memory(r->diag);
            }
            qi->leaf = u->code.at;
            qi->ordered = u->ranges != NULL;
            LETHE_TRY(e);
        } else if (u->role < class) {
            LETHE_TRY(finish_sensitive(r, u, u->role - n_qi));
        } else if (u->role == class) {
            finish_column(u, r->roles.class, t->class);
        } else {
            finish_column(u, r->roles.keep[u->role - class - 1], &t->keep[n_kept]);
            ((uint32_t *)t->order)[i] = class + 1 + n_kept++; // ours still
        }
    }
    t->n = r->origin.n;
    t->origin = r->origin.at;
    t->counts.read = r->rows.read;
    t->counts.rejected = r->rows.rejected;
    return LETHE_OK;
}

/* What a column's hierarchy lacks, in all: "the hierarchy of 'sex' lacks 'm' (line 3)". */
static void refused_show(const reader *r, const used *u, char out[320])
{
    char name[80], first[80], many[40] = "";
    uint32_t n = lethe_dict_count(u->refused);
    lethe_show(name, sizeof name, lethe_dict_at(r->header, u->field));
    lethe_show(first, sizeof first, lethe_dict_at(u->refused, 0));
    if (n > 1) snprintf(many, sizeof many, "%lu values, such as ", (unsigned long)n);
    snprintf(out, 320,
             u->tree ? "the hierarchy of '%s' lacks %s'%s' (line %llu)"
                     : "--ranges of '%s' cannot hold %s'%s' (line %llu)",
             name, many, first, (unsigned long long)u->refused_line);
}

/* On the first screen, whatever else was said. */
static void say_refused(const reader *r)
{
    for (const used *u = r->used; u < r->used + r->n_used; u++) {
        char why[320];
        if (!u->refused) continue;
        refused_show(r, u, why);
        lethe_warn(r->diag, "%llu row%s rejected because %s", (unsigned long long)u->n_refused,
                   u->n_refused == 1 ? "" : "s", why);
    }
}

/* The column of which most rows were refused; NULL: of none. */
static const used *most_refused(const reader *r)
{
    const used *most = NULL;
    for (const used *u = r->used; u < r->used + r->n_used; u++)
        if (u->refused && (!most || u->n_refused > most->n_refused)) most = u;
    return most;
}

static lethe_err too_many_fail(const reader *r, const char *quote, const char *name,
                               const char *colon)
{
    const used *most = most_refused(r);
    unsigned long long read = r->rows.read, rejected = r->rows.rejected;
    char why[320];
    if (!most)
        return lethe_fail(r->diag, LETHE_EINPUT,
                          "%s%s%s%llu of %llu rows rejected: not the table that is meant?", quote,
                          name, colon, rejected, read);
    refused_show(r, most, why);
    return lethe_fail(r->diag, LETHE_EINPUT,
                      "%s%s%s%llu of %llu rows rejected, %llu of them because %s", quote, name,
                      colon, rejected, read, (unsigned long long)most->n_refused, why);
}

/* Is what was read enough for a table? */
static lethe_err rows_check(const reader *r, const char *only)
{
    uint64_t read = r->rows.read, rejected = r->rows.rejected;
    const char *quote = only ? "'" : "", *name = only ? only : "", *colon = only ? "': " : "";
    if (rejected > read / 10) return too_many_fail(r, quote, name, colon);
    if (read == 0)
        return lethe_fail(r->diag, LETHE_EINPUT, "%s%s%sno rows after the header", quote, name,
                          colon);
    if (r->origin.n == 0)
        return lethe_fail(r->diag, LETHE_EINPUT, "%s%s%sno row without a missing value", quote,
                          name, colon);
    return LETHE_OK;
}

/* --- all files --- */

static lethe_sizes so_far(const void *arg)
{
    const reader *r = arg;
    lethe_sizes s = {.things = "rows",
                     .parts_are = "values",
                     .n = r->origin.n,
                     .parts = r->origin.n * r->n_used,
                     .text = r->table->text_bytes,
                     .held = lethe_arena_bytes(r->arena)};
    for (size_t i = 0; i < r->n_used; i++) {
        s.distinct += lethe_dict_count(r->used[i].values);
        s.held += lethe_dict_bytes(r->used[i].values);
    }
    return s;
}

static lethe_err reader_begin(reader *r, lethe_ctx *ctx, const lethe_table_read_options *how)
{
    r->diag = lethe_ctx_diag(ctx);
    r->how = how;
    r->rows = (lethe_csv_rows){.ctx = ctx,
                               .diag = r->diag,
                               .wanted = how->delimiter,
                               .strict = how->strict,
                               .encoding = how->encoding,
                               .null_texts = how->null_texts,
                               .reader = r,
                               .header = take_header,
                               .row = take_row,
                               .so_far = so_far,
                               .file_end = end_file};
    r->arena = lethe_arena_new();
    if (r->arena) r->table = lethe_new(r->arena, lethe_table, 1);
    if (!r->table) return lethe_no_memory(r->diag);
    r->table->arena = r->arena;
    return lethe_roles_parse(r->diag, r->arena, &r->how->roles, &r->roles);
}

/* The table, or why there is none; `e` is how reading ended. */
static lethe_err reader_end(reader *r, lethe_err e, const char *only, lethe_table **out)
{
    if (e == LETHE_OK) e = rows_check(r, only);
    if (e == LETHE_OK) say_refused(r);
    if (e == LETHE_OK) e = finish(r);
    for (size_t i = 0; i < r->n_used; i++) {
        lethe_dict_free(r->used[i].values);
        lethe_dict_free(r->used[i].refused);
        lethe_buf_free(&r->used[i].repaired);
    }
    lethe_dict_free(r->header);
    lethe_csv_rows_free(&r->rows);
    if (e == LETHE_OK)
        *out = r->table;
    else if (r->table)
        lethe_table_free(r->table);
    else
        lethe_arena_free(r->arena);
    return e;
}

lethe_err lethe_table_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                           const lethe_table_read_options *how, lethe_table **out)
{
    reader r = {0};
    lethe_err e = reader_begin(&r, ctx, how);
    if (e == LETHE_OK) e = lethe_csv_rows_read(&r.rows, paths, n);
    return reader_end(&r, e, n == 1 ? paths[0] : NULL, out);
}

lethe_err lethe_table_memory(lethe_ctx *ctx, lethe_str bytes, const lethe_table_read_options *how,
                             lethe_table **out)
{
    reader r = {0};
    lethe_err e = reader_begin(&r, ctx, how);
    if (e == LETHE_OK) e = lethe_csv_rows_memory(&r.rows, bytes);
    return reader_end(&r, e, NULL, out);
}
