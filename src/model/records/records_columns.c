/* SPDX-License-Identifier: Apache-2.0 */
/* Records with another separator than a space, and the long form: a table with a line for each item
 * of a person.  Spaces inside an item become '_', as they are written wherever spaces separate
 * items. */
#include "model/records/records_internal.h"
#include "core/parse.h"
#include "io/read/fields.h"
#include "text/normalize.h"
#include <stdio.h>

static const char open_quote[] = "quote not closed";
static const char after_quote[] = "text after a closing quote";
static const char few_fields[] = "too few columns";
static const char no_person[] = "no person";
static const char no_item[] = "empty item";
static const char no_id[] = "empty ID";
static const char second_tab[] = "second tab";
static const char control[] = "control character in a field";

enum { PERSON, ITEM, POSITION_MAX = 4096 };

/* --- --columns person=1,item=2 --- */

bool lethe_columns_of_records(const char *columns)
{
    for (const char *p = columns; p; p = strchr(p, ',')) {
        p += strspn(p, ", ");
        if (strncmp(p, "person", 6) == 0 || strncmp(p, "item", 4) == 0) return true;
    }
    return false;
}

static lethe_err column_parse(lethe_diag *d, const char *text, lethe_str part,
                              lethe_item_column column[2])
{
    const char *eq = part.n ? memchr(part.at, '=', part.n) : NULL;
    size_t n = eq ? (size_t)(eq - part.at) : part.n;
    lethe_str key = lethe_str_trim((lethe_str){part.at, n});
    lethe_str value = {"", 0};
    if (eq) value = lethe_str_trim((lethe_str){eq + 1, part.n - n - 1});
    bool person = lethe_str_eq(key, LETHE_LIT("person")),
         item = lethe_str_eq(key, LETHE_LIT("item"));
    lethe_item_column *to = &column[person ? PERSON : ITEM];
    uint64_t position;
    if ((!person && !item) || value.n == 0 || to->position || to->name.at)
        return lethe_fail(d, LETHE_EUSAGE,
                          "bad columns '%s': records have person= and item=, once each", text);
    if (lethe_parse_u64(value, &position)) {
        if (position == 0 || position > POSITION_MAX)
            return lethe_fail(d, LETHE_EUSAGE, "bad columns '%s': positions go from 1 to 4096",
                              text);
        to->position = (uint32_t)position;
    } else {
        to->name = value;
    }
    return LETHE_OK;
}

lethe_err lethe_records_form(lethe_records_reader *r, const lethe_read_options *reading)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    lethe_item_column column[2] = {0};
    r->delimiter = reading->delimiter == ' ' ? '\0' : reading->delimiter;
    if (r->delimiter && strchr("\"\r\n", r->delimiter))
        return lethe_fail(d, LETHE_EUSAGE, "the separator cannot be a quote or a line end");
    r->told_header = reading->header;
    if (!reading->columns) return LETHE_OK;
    for (const char *p = reading->columns;; p++) {
        size_t n = strcspn(p, ",");
        LETHE_TRY(column_parse(d, reading->columns, (lethe_str){p, n}, column));
        p += n;
        if (*p == '\0') break;
    }
    for (size_t i = 0; i < 2; i++)
        if (!column[i].position && !column[i].name.at)
            return lethe_fail(d, LETHE_EUSAGE, "bad columns '%s': %s= is missing", reading->columns,
                              i == PERSON ? "person" : "item");
    r->is_long = true;
    r->person = column[PERSON];
    r->thing = column[ITEM];
    r->arena = lethe_arena_new();
    r->persons = lethe_dict_new();
    r->things = lethe_dict_new();
    return r->arena && r->persons && r->things ? LETHE_OK : lethe_no_memory(d);
}

void lethe_records_form_free(lethe_records_reader *r)
{
    lethe_free(r->fields);
    lethe_buf_free(&r->scratch);
    lethe_buf_free(&r->item);
    lethe_dict_free(r->persons);
    lethe_dict_free(r->things);
    lethe_arena_free(r->arena);
}

/* A list column makes records; the long form needs none. */
static lethe_err stream_begin(lethe_records_reader *r, lethe_blocks *blocks, char given,
                              lethe_source_form form)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    if (given && given != ',')
        return lethe_fail(d, LETHE_EUSAGE,
                          "'%s' is a stream, which has columns: --delimiter applies to files",
                          r->name);
    if (r->is_long != (form == LETHE_SOURCE_CSV))
        return lethe_fail(d, LETHE_EINPUT,
                          r->is_long
                              ? "'%s' has a column of lists: --columns with person= and item= "
                                "applies to a row for each item"
                              : "'%s' has no column of lists: records need one, or a row for "
                                "each item and --columns with person= and item=",
                          r->name);
    r->headed = r->is_long;
    r->delimiter = ',';
    lethe_blocks_set_cut(blocks, LETHE_CUT_CSV, r->delimiter);
    return LETHE_OK;
}

lethe_err lethe_records_file_begin(lethe_records_reader *r, lethe_blocks *blocks, char given)
{
    enum { PEEK_BYTES = 64 << 10 };
    lethe_str head = {"", 0};
    lethe_source_form form;
    r->settled = false;
    LETHE_TRY(lethe_source_form_of(lethe_ctx_diag(r->ctx), r->name, &form));
    if (form != LETHE_SOURCE_TEXT) return stream_begin(r, blocks, given, form);
    r->headed = r->is_long && r->told_header;
    if (!r->is_long) r->delimiter = given == ' ' ? '\0' : given;
    if (!r->is_long && !r->delimiter) {
        if (!r->told) LETHE_TRY(lethe_blocks_peek(blocks, PEEK_BYTES, &head));
        if (!r->told) LETHE_TRY(lethe_records_doubt(lethe_ctx_diag(r->ctx), r->name, head));
        r->told = true;
        return LETHE_OK;
    }
    if (r->is_long && !given) {
        LETHE_TRY(lethe_blocks_peek(blocks, PEEK_BYTES, &head));
        r->delimiter = lethe_guess_delimiter(head);
        if (!r->delimiter) r->delimiter = ',';
    }
    lethe_blocks_set_cut(blocks, LETHE_CUT_CSV, r->delimiter);
    return LETHE_OK;
}

/* --- fields --- */

static bool has_control(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.at[i] < ' ') return true;
    return false;
}

/* A field as a name: valid UTF-8, without spaces at its ends, and of an item also without those
 * inside.  A view of `into`, or of the field. */
static lethe_err name_take(lethe_records_reader *r, lethe_str field, bool is_item, lethe_buf *into,
                           lethe_str *out, bool *invalid)
{
    bool broken = false;
    LETHE_TRY(lethe_utf8_repair(lethe_str_trim(field), &r->repaired, out, &broken));
    *invalid |= broken;
    into->n = 0;
    if (out->n > 0) LETHE_TRY(lethe_buf_put(into, out->at, out->n));
    for (size_t i = 0; is_item && i < into->n; i++)
        if (into->at[i] == ' ') into->at[i] = '_';
    *out = (lethe_str){into->n ? (char *)into->at : "", into->n};
    return LETHE_OK;
}

/* --- one line per record --- */

static lethe_err take_basket(lethe_records_reader *r, uint32_t n, lethe_str raw, uint64_t line)
{
    lethe_str *f = r->fields, id = {NULL, 0}, name;
    bool invalid = false;
    uint64_t origin = r->counts.read + r->n_lines++;
    const char *tab = r->delimiter != '\t' && f[0].n ? memchr(f[0].at, '\t', f[0].n) : NULL;
    if (tab) {
        id = lethe_str_trim((lethe_str){f[0].at, (size_t)(tab - f[0].at)});
        f[0] = (lethe_str){tab + 1, f[0].n - (size_t)(tab - f[0].at) - 1};
        if (id.n == 0) return lethe_records_reject(r, line, 1, no_id, raw);
        if (has_control(id)) return lethe_records_reject(r, line, 1, control, raw);
    }
    while (n > 0 && lethe_str_trim(f[n - 1]).n == 0) // tables are filled up with empty fields
        n--;
    for (uint32_t i = 0; i < n; i++) {
        const char *cause = lethe_str_trim(f[i]).n == 0               ? no_item
                            : f[i].n && memchr(f[i].at, '\t', f[i].n) ? second_tab
                            : has_control(f[i])                       ? control
                                                                      : NULL;
        if (cause) return lethe_records_reject(r, line, i + 1, cause, raw);
    }
    if (id.at) LETHE_TRY(name_take(r, id, false, &r->item, &name, &invalid));
    LETHE_TRY(lethe_records_begin(r->builder, id.at ? &name : NULL, origin));
    for (uint32_t i = 0; i < n; i++) {
        LETHE_TRY(name_take(r, f[i], true, &r->item, &name, &invalid));
        LETHE_TRY(lethe_records_item(r->builder, name));
    }
    r->counts.invalid_utf8 += invalid;
    return LETHE_OK;
}

/* --- one line per item --- */

static lethe_err find_column(lethe_records_reader *r, const lethe_item_column *c, uint32_t n,
                             uint32_t *out)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    lethe_column_asked asked = {
        .err = LETHE_EINPUT, .file = r->name, .line = 1, .option = "--columns"};
    char digits[16];
    lethe_str name = c->name;
    *out = c->position - 1;
    if (!name.at && !r->headed) return LETHE_OK;
    for (uint32_t i = 0; i < n; i++)
        r->fields[i] = lethe_str_trim(r->fields[i]);
    if (!name.at) { // a number is a name first, where there are names for sure
        name = (lethe_str){digits, (size_t)snprintf(digits, sizeof digits, "%u", c->position)};
        for (uint32_t i = 0; i < n; i++)
            if (lethe_str_eq(r->fields[i], name)) *out = i;
        return LETHE_OK;
    }
    *out = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (!lethe_str_eq(r->fields[i], c->name)) continue;
        if (*out != LETHE_NONE)
            return lethe_fail(d, LETHE_EINPUT, "'%s': two columns are called '%.*s'", r->name,
                              (int)c->name.n, c->name.at);
        *out = i;
    }
    return *out != LETHE_NONE ? LETHE_OK : lethe_column_unknown(d, &asked, c->name, r->fields, n);
}

/* The first line of a file settles where the columns are.  *header: it is no data. */
static lethe_err settle(lethe_records_reader *r, uint32_t n, bool *header)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    LETHE_TRY(find_column(r, &r->person, n, &r->at[PERSON]));
    LETHE_TRY(find_column(r, &r->thing, n, &r->at[ITEM]));
    if (r->at[PERSON] == r->at[ITEM])
        return lethe_fail(d, LETHE_EUSAGE, "'%s': person and item are the same column", r->name);
    bool reaches = r->at[PERSON] < n && r->at[ITEM] < n;
    *header = r->headed || r->person.name.at || r->thing.name.at ||
              (reaches && lethe_names_persons(r->fields[r->at[PERSON]]) &&
               lethe_names_items(r->fields[r->at[ITEM]]));
    if (*header && !r->headed) lethe_note(d, "'%s': first line taken for a header", r->name);
    r->settled = true;
    return LETHE_OK;
}

static lethe_err take_pair(lethe_records_reader *r, uint32_t n, lethe_str raw, uint64_t line)
{
    uint32_t person, thing;
    lethe_str name;
    bool invalid = false;
    uint64_t origin = r->counts.read + r->n_lines++;
    for (size_t k = 0; k < 2; k++) {
        uint32_t at = r->at[k];
        const char *cause = at >= n ? few_fields
                            : lethe_str_trim(r->fields[at]).n == 0
                                ? (k == PERSON ? no_person : no_item)
                            : has_control(r->fields[at]) ? control
                                                         : NULL;
        if (cause) return lethe_records_reject(r, line, at + 1, cause, raw);
    }
    LETHE_TRY(name_take(r, r->fields[r->at[PERSON]], false, &r->item, &name, &invalid));
    LETHE_TRY(lethe_dict_add(r->persons, name, &person));
    LETHE_TRY(name_take(r, r->fields[r->at[ITEM]], true, &r->item, &name, &invalid));
    LETHE_TRY(lethe_dict_add(r->things, name, &thing));
    if (person == r->first_line.n)
        LETHE_TRY(lethe_u64s_append(r->arena, &r->first_line, &origin, 1));
    LETHE_TRY(lethe_u32s_append(r->arena, &r->pair_person, &person, 1));
    LETHE_TRY(lethe_u32s_append(r->arena, &r->pair_thing, &thing, 1));
    r->counts.invalid_utf8 += invalid;
    return LETHE_OK;
}

uint64_t lethe_records_gathered_bytes(const lethe_records_reader *r)
{
    if (!r->is_long) return 0;
    return lethe_arena_bytes(r->arena) + lethe_dict_bytes(r->persons) + lethe_dict_bytes(r->things);
}

lethe_err lethe_records_gathered(lethe_records_reader *r)
{
    size_t n = lethe_dict_count(r->persons), n_pairs = r->pair_person.n;
    uint64_t *start = lethe_alloc_zero(n + 2, sizeof *start); // of each person's, one place ahead
    uint32_t *thing = lethe_alloc(n_pairs, sizeof *thing);
    lethe_err e = start && thing ? LETHE_OK : LETHE_ENOMEM;
    for (size_t i = 0; i < n_pairs && e == LETHE_OK; i++)
        start[r->pair_person.at[i] + 2]++;
    for (size_t p = 2; p < n + 2 && e == LETHE_OK; p++)
        start[p] += start[p - 1];
    for (size_t i = 0; i < n_pairs && e == LETHE_OK; i++)
        thing[start[r->pair_person.at[i] + 1]++] = r->pair_thing.at[i];
    for (uint32_t p = 0; p < n && e == LETHE_OK; p++) {
        lethe_str id = lethe_dict_at(r->persons, p);
        e = lethe_records_begin(r->builder, &id, r->first_line.at[p]);
        for (uint64_t k = start[p]; k < start[p + 1] && e == LETHE_OK; k++)
            e = lethe_records_item(r->builder, lethe_dict_at(r->things, thing[k]));
    }
    lethe_free_all(start, thing);
    return e;
}

/* --- a block --- */

static lethe_err take_record(lethe_records_reader *r, uint32_t n, lethe_csv_fault fault,
                             lethe_str raw, uint32_t lines, uint64_t line)
{
    bool header = false;
    if (fault != LETHE_CSV_OK) {
        r->n_lines += lines;
        r->n_rejected += lines - 1;
        return lethe_records_reject(r, line, n + 1,
                                    fault == LETHE_CSV_OPEN_QUOTE ? open_quote : after_quote, raw);
    }
    if (!r->is_long) return take_basket(r, n, raw, line);
    if (!r->settled) LETHE_TRY(settle(r, n, &header));
    if (header || raw.n == 0) return LETHE_OK; // an empty line is no item
    return take_pair(r, n, raw, line);
}

lethe_err lethe_records_fields(lethe_records_reader *r, const lethe_block *block)
{
    uint64_t line = block->first_line;
    if (block->too_long) {
        r->n_lines += block->n_lines;
        r->n_rejected += block->n_lines - 1;
        return lethe_records_reject(r, line, 0, lethe_record_too_long, (lethe_str){"", 0});
    }
    lethe_csv csv = lethe_csv_begin(block->text, r->delimiter);
    for (;;) {
        const lethe_csv before = csv;
        lethe_str raw;
        lethe_csv_fault fault;
        uint32_t n, used;
        bool more;
        LETHE_TRY(lethe_csv_next(&csv, &r->scratch, r->fields, r->n_fields, &n, &raw, &used, &fault,
                                 &more));
        if (!more) return LETHE_OK;
        if (n > r->n_fields) { // once more, with room
            lethe_str *fields = lethe_realloc(r->fields, n + n / 2, sizeof *fields);
            if (!fields) return LETHE_ENOMEM;
            r->fields = fields;
            r->n_fields = n + n / 2;
            csv = before;
            continue;
        }
        LETHE_TRY(take_record(r, n, fault, raw, used, line));
        line += used;
    }
}
