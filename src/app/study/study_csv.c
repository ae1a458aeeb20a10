/* SPDX-License-Identifier: Apache-2.0 */
/* study_csv.c - the rows of a study for a spreadsheet: RFC 4180, one column per figure. */
#include "app/judge.h"
#include "app/study/study.h"

static const char *const before[] = {"label",   "method", "notion",  "holds",
                                     "utility", "recall", "success", "baseline"};
static const char *const after[] = {"published",  "suppressed", "seconds",
                                    "peak_bytes", "status",     "error"};
static const char *const risks[] = {"exposure", "exposure_found", "exposure_before"};
static const char *const parts[] = {"success", "before", "baseline"};

static lethe_err put(lethe_buf *out, const char *text)
{
    return lethe_buf_str(out, lethe_str_of(text));
}

/* Numbers and answers as JSON has them, texts in quotes where they need them; none is empty. */
static lethe_err cell(lethe_buf *out, const lethe_json *v)
{
    lethe_json_type kind = lethe_json_kind(v);
    if (!v || kind == LETHE_JSON_NULL) return LETHE_OK;
    if (kind == LETHE_JSON_TEXT) {
        lethe_str s = lethe_json_text(v);
        bool plain = true;
        for (size_t i = 0; i < s.n; i++)
            plain = plain && !strchr(",\"\r\n", s.at[i]) && s.at[i];
        if (plain) return lethe_buf_str(out, s);
        LETHE_TRY(put(out, "\""));
        for (size_t i = 0; i < s.n; i++) {
            LETHE_TRY(lethe_buf_put(out, s.at + i, 1));
            if (s.at[i] == '"') LETHE_TRY(put(out, "\""));
        }
        return put(out, "\"");
    }
    size_t n;
    char *text = lethe_json_write(v, 0, &n);
    lethe_err e = text ? lethe_buf_put(out, text, n) : LETHE_ENOMEM;
    lethe_json_text_free(text);
    return e;
}

static bool was_attacked(const lethe_json *rows, const lethe_adversary *a)
{
    for (size_t i = 0; i < lethe_json_count(rows); i++)
        if (lethe_json_get(lethe_json_get(lethe_json_at(rows, i), "attacks"), a->name)) return true;
    return false;
}

/* A line of the file; `row` NULL: the names of the columns. */
static lethe_err line_put(const lethe_json *rows, const lethe_json *row, lethe_buf *out)
{
    const lethe_json *attacks = lethe_json_get(row, "attacks");
    for (size_t i = 0; i < LETHE_COUNT(before); i++) {
        LETHE_TRY(put(out, i ? "," : ""));
        LETHE_TRY(row ? cell(out, lethe_json_get(row, before[i])) : put(out, before[i]));
    }
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        for (size_t p = 0; was_attacked(rows, *a) && p < LETHE_COUNT(parts); p++) {
            LETHE_TRY(put(out, ","));
            if (row) {
                LETHE_TRY(cell(out, lethe_json_get(lethe_json_get(attacks, (*a)->name), parts[p])));
                continue;
            }
            LETHE_TRY(put(out, (*a)->name));
            LETHE_TRY(put(out, " "));
            LETHE_TRY(put(out, parts[p]));
        }
    for (size_t i = 0; i < LETHE_COUNT(after); i++) {
        LETHE_TRY(put(out, ","));
        LETHE_TRY(row ? cell(out, lethe_json_get(row, after[i])) : put(out, after[i]));
    }
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++) {
        const char *name = lethe_goal_name(g);
        LETHE_TRY(put(out, row ? "," : ",kept_for "));
        LETHE_TRY(row ? cell(out, lethe_json_get(lethe_json_get(row, "kept_for"), name))
                      : put(out, name));
    }
    for (size_t i = 0; i < LETHE_COUNT(risks); i++) {
        LETHE_TRY(put(out, ","));
        LETHE_TRY(row ? cell(out, lethe_json_get(row, risks[i])) : put(out, risks[i]));
    }
    return put(out, "\n");
}

lethe_err lethe_study_csv(const lethe_json *rows, lethe_buf *out)
{
    LETHE_TRY(line_put(rows, NULL, out));
    for (size_t i = 0; i < lethe_json_count(rows); i++)
        LETHE_TRY(line_put(rows, lethe_json_at(rows, i), out));
    return LETHE_OK;
}
