/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_form.c - whether a manifest has the form of one, before anything that it says is
 * compared with its steps and files. */
#include "attack/risk.h"
#include "io/read/parts.h"
#include "measure/kept.h"
#include "release/page/report.h"
#include "release/publish/publish_ubi.h"
#include "release/release.h"
#include "release/shape_ops.h"
#include "text/utf8.h"

enum { VERSION_MAX = 32, DIGEST_DIGITS = 64, TITLE_MAX = 200 };

static lethe_err manifest_fault(lethe_diag *d, const char *what)
{
    return lethe_fail_at(d, LETHE_EINPUT, LETHE_MANIFEST, 0, 0, "not a manifest of lethe: %s",
                         what);
}

/* --- texts --- */

/* C strings would end there, and hide what follows. */
static bool has_nul(lethe_str s) { return s.n > 0 && memchr(s.at, '\0', s.n); }

/* Does any text or name below hold a NUL?  The reader limits the depth. */
static bool nul_below(const lethe_json *v)
{
    bool is = has_nul(lethe_json_text(v)), object = lethe_json_kind(v) == LETHE_JSON_OBJECT;
    for (size_t i = 0, n = lethe_json_count(v); i < n && !is; i++)
        is = (object && has_nul(lethe_json_name(v, i))) || nul_below(lethe_json_at(v, i));
    return is;
}

/* A character that a terminal obeys: C0, DEL, or C1 (which is C2 80 to C2 9F in UTF-8). */
static bool has_control(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.at[i], next = i + 1 < s.n ? (uint8_t)s.at[i + 1] : 0xFF;
        if (c < 0x20 || c == 0x7F || (c == 0xC2 && next < 0xA0)) return true;
    }
    return false;
}

/* A character that turns the direction of others: what is shown is not what is written. */
static bool turns(uint32_t cp)
{
    return cp == 0x061C || cp == 0x200E || cp == 0x200F || (cp >= 0x202A && cp <= 0x202E) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

/* A character that leaves no mark: spaces of any width, none among them. */
static bool is_blank(uint32_t cp)
{
    return cp == ' ' || cp == 0xA0 || cp == 0xAD || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200D) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F ||
           (cp >= 0x205F && cp <= 0x2064) || cp == 0x3000 || cp == 0xFEFF;
}

bool lethe_manifest_text_fits(lethe_str s)
{
    const uint8_t *at = (const uint8_t *)s.at, *end = at + s.n;
    bool ok = s.n > 0 && s.n <= TITLE_MAX && !has_control(s), marks = false;
    while (ok && at < end) {
        uint32_t cp;
        at += lethe_utf8_step(at, end, &cp, &ok);
        ok = ok && !turns(cp);
        marks = marks || !is_blank(cp);
    }
    return ok && marks;
}

static bool is_version(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.at[i];
        bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    c == '.' || c == '-' || c == '+';
        if (!fits) return false;
    }
    return s.n > 0 && s.n <= VERSION_MAX;
}

static lethe_err texts_check(lethe_diag *d, const lethe_json *m)
{
    const lethe_json *caveats = lethe_json_get(m, "caveats");
    if (nul_below(m)) return manifest_fault(d, "a text in it holds a NUL");
    if (!is_version(lethe_json_text(lethe_json_get(m, "lethe"))))
        return manifest_fault(d, "'lethe' is not a version");
    for (size_t i = 0; i < lethe_json_count(caveats); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(caveats, i));
        if (text.n == 0 || has_control(text))
            return manifest_fault(d, "a caveat is not a sentence");
    }
    static const char *const names[] = {"title", "date"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        const lethe_json *v = lethe_json_get(m, names[i]);
        if (v && !lethe_manifest_text_fits(lethe_json_text(v)))
            return manifest_fault(d, "its title or date is not a line of text");
    }
    return LETHE_OK;
}

/* --- members and files --- */

static lethe_err members_check(lethe_diag *d, const lethe_json *m)
{
    static const struct {
        const char *name;
        lethe_json_type kind;
        bool optional;
    } wanted[] = {
        {"lethe", LETHE_JSON_TEXT, false},     {"steps", LETHE_JSON_ARRAY, false},
        {"claims", LETHE_JSON_ARRAY, false},   {"files", LETHE_JSON_ARRAY, false},
        {"counts", LETHE_JSON_OBJECT, false},  {"metrics", LETHE_JSON_OBJECT, false},
        {"verdict", LETHE_JSON_OBJECT, false}, {"caveats", LETHE_JSON_ARRAY, false},
        {"title", LETHE_JSON_TEXT, true},      {"date", LETHE_JSON_TEXT, true},
        {"risk", LETHE_JSON_ARRAY, true},      {"kept", LETHE_JSON_OBJECT, true},
        {LETHE_PARTS, LETHE_JSON_INT, true},
    };
    size_t n = 0;
    if (lethe_json_kind(m) != LETHE_JSON_OBJECT) return manifest_fault(d, "it is not an object");
    for (size_t i = 0; i < LETHE_COUNT(wanted); i++) {
        const lethe_json *v = lethe_json_get(m, wanted[i].name);
        if (!v && wanted[i].optional) continue;
        if (lethe_json_kind(v) != wanted[i].kind)
            return lethe_fail_at(d, LETHE_EINPUT, LETHE_MANIFEST, 0, 0,
                                 "not a manifest of lethe: '%s' is missing or has the wrong type",
                                 wanted[i].name);
        n++;
    }
    if (lethe_json_count(m) != n) return manifest_fault(d, "it has unknown members");
    return LETHE_OK;
}

/* Only these names may stand in a manifest; any other is a forgery. */
static bool is_release_file(lethe_str name)
{
    uint32_t i;
    bool is = lethe_str_eq(name, LETHE_LIT(LETHE_REPORT_NAME));
    for (const lethe_shape_ops *const *ops = lethe_shapes(); *ops && !is; ops++) {
        for (const lethe_release_file *f = (*ops)->files; f->name && !is; f++)
            is = lethe_str_eq(name, lethe_str_of(f->name));
        is = is || lethe_part_of(name, (*ops)->files[0].name, &i);
    }
    return is;
}

bool lethe_is_release_file(const char *name)
{
    return strcmp(name, LETHE_MANIFEST) == 0 || is_release_file(lethe_str_of(name)) ||
           strncmp(name, LETHE_SPILL_PREFIX, sizeof LETHE_SPILL_PREFIX - 1) == 0;
}

static bool is_digest(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.at[i] >= '0' && s.at[i] <= '9') || (s.at[i] >= 'a' && s.at[i] <= 'f')))
            return false;
    return s.n == DIGEST_DIGITS;
}

static lethe_str file_name(const lethe_json *files, size_t i)
{
    return lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"));
}

/* The parts of the data are the first files, in the order of their numbers, none is missing, and
 * each has a line; beside them stand neither the whole nor what is made of it.  *n: how many. */
static lethe_err data_parts_check(lethe_diag *d, const lethe_json *files, size_t *n)
{
    static const lethe_str whole = {"data.", 5};
    lethe_str ext = {"", 0}, first = {"", 0};
    uint32_t number;
    bool none_is_empty = true;
    *n = 0;
    while (lethe_part_parse(file_name(files, *n), &number, &ext)) {
        if (*n == 0) first = ext;
        if (number != *n || !lethe_str_eq(ext, first))
            return manifest_fault(d, "the parts of its data are not in the order of their numbers");
        const lethe_json *bytes = lethe_json_get(lethe_json_at(files, *n), "bytes");
        none_is_empty = none_is_empty && lethe_json_int(bytes) > 0;
        ++*n;
    }
    if (!none_is_empty) return manifest_fault(d, "a part of its data is empty");
    for (size_t i = *n; i < lethe_json_count(files); i++) {
        lethe_str name = file_name(files, i);
        if (lethe_part_parse(name, &number, &ext))
            return manifest_fault(d, "a part of its data is behind another file");
        if (*n > 0 && name.n > whole.n && memcmp(name.at, whole.at, whole.n) == 0)
            return manifest_fault(d, "its data is one file, and in parts");
        if (*n > 0 && lethe_str_eq(name, LETHE_LIT(LETHE_UBI_NAME)))
            return manifest_fault(d, LETHE_UBI_NAME " is beside data in parts");
    }
    return LETHE_OK;
}

static lethe_err files_check(lethe_diag *d, const lethe_json *files)
{
    size_t n = lethe_json_count(files), n_parts;
    if (n == 0) return manifest_fault(d, "it names no file");
    LETHE_TRY(data_parts_check(d, files, &n_parts));
    for (size_t i = 0; i < n; i++) {
        const lethe_json *file = lethe_json_at(files, i), *bytes = lethe_json_get(file, "bytes");
        lethe_str name = file_name(files, i);
        if (!is_release_file(name))
            return manifest_fault(d, "it names a file that no release holds");
        if (lethe_json_kind(bytes) != LETHE_JSON_INT || lethe_json_int(bytes) < 0 ||
            !is_digest(lethe_json_text(lethe_json_get(file, "blake2b"))))
            return manifest_fault(d, "a file lacks its size or digest");
        if (lethe_json_count(file) != 3) return manifest_fault(d, "a file has unknown members");
        for (size_t j = n_parts; j < i; j++) // parts have a number each
            if (lethe_str_eq(name, file_name(files, j)))
                return manifest_fault(d, "it names a file twice");
    }
    return LETHE_OK;
}

/* What the publisher says of adversaries: of each, and of each of its kinds, once. */
static lethe_err risk_check(lethe_diag *d, const lethe_json *m)
{
    const lethe_json *risk = lethe_json_get(m, "risk");
    size_t n = lethe_json_count(risk);
    if (risk && n == 0) return manifest_fault(d, "'risk' is empty");
    for (size_t i = 0; i < n; i++) {
        lethe_risk one, other;
        if (!lethe_risk_told(lethe_json_at(risk, i), &one))
            return manifest_fault(d, "'risk' is not what an adversary found");
        if (!(one.adversary->shapes & lethe_manifest_shape(m)))
            return manifest_fault(d, "'risk' names an adversary that does not apply to its data");
        for (size_t j = 0; j < i; j++)
            if (lethe_risk_told(lethe_json_at(risk, j), &other) &&
                one.adversary == other.adversary && one.threat == other.threat)
                return manifest_fault(d, "'risk' names an adversary twice");
    }
    return LETHE_OK;
}

/* What adversaries found in parts, and what is left of these, says nothing of the whole. */
static lethe_err joined_check(lethe_diag *d, const lethe_json *m)
{
    const lethe_json *parts = lethe_json_get(m, LETHE_PARTS);
    if (!parts) return LETHE_OK;
    if (lethe_json_int(parts) < 1) return manifest_fault(d, "'parts' is not a number of parts");
    if (lethe_json_get(m, "risk") || lethe_json_get(m, "kept"))
        return manifest_fault(d, "a joined release has no 'risk' and no 'kept'");
    return LETHE_OK;
}

lethe_err lethe_manifest_form_check(lethe_diag *d, const lethe_json *m)
{
    LETHE_TRY(members_check(d, m));
    LETHE_TRY(texts_check(d, m));
    LETHE_TRY(files_check(d, lethe_json_get(m, "files")));
    if (lethe_manifest_shape(m) == LETHE_SHAPE_NONE)
        return manifest_fault(d, "it does not name exactly one data file");
    const lethe_json *kept = lethe_json_get(m, "kept");
    if (kept && !lethe_kept_told(kept, lethe_manifest_shape(m)))
        return manifest_fault(d, "'kept' is not what can be left of an original");
    LETHE_TRY(joined_check(d, m));
    return risk_check(d, m);
}
