/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes truth files: the persons planted in a synthetic log and their clues. */
#include "model/knowledge/truth.h"
#include "core/dict.h"
#include "io/read/lines.h"
#include "text/normalize.h"

const char *const lethe_plant_names[LETHE_N_PLANTS] = {"number", "name", "pattern"};

/* How many clues a person of each kind has. */
static const struct {
    size_t min, max;
} clues_of[LETHE_N_PLANTS] = {{1, LETHE_TRUTH_CLUES}, {2, 2}, {2, LETHE_TRUTH_CLUES}};

struct reader {
    lethe_lines lines;
    lethe_truth *truth;
    lethe_planted *at;
    size_t cap;
    lethe_dict *users; /* who was there already */
    lethe_buf normal;
};

/* The next field of a line; the rest stays in *line, and *more says whether there is any. */
static lethe_str field_next(lethe_str *line, bool *more)
{
    const char *tab = line->n ? memchr(line->at, '\t', line->n) : NULL;
    lethe_str field = {line->at, tab ? (size_t)(tab - line->at) : line->n};
    *more = tab != NULL;
    size_t taken = field.n + (tab != NULL);
    *line = (lethe_str){line->at + taken, line->n - taken};
    return field;
}

/* Whether the field is a user's name as a log can have it. */
static bool is_user(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.at[i] < ' ' || s.at[i] == 0x7F) return false;
    return s.n > 0 && lethe_utf8_valid(s);
}

static lethe_err person_read(struct reader *r, lethe_str line)
{
    lethe_planted p = {0};
    bool more;
    if (r->truth->n == r->cap) {
        size_t cap = r->cap + r->cap / 4 + 64;
        lethe_planted *at =
            lethe_arena_grow(r->truth->arena, r->at, r->cap * sizeof p, cap * sizeof p);
        if (!at) return LETHE_ENOMEM;
        r->truth->at = r->at = at;
        r->cap = cap;
    }
    lethe_str user = field_next(&line, &more), kind = {0};
    if (!more) return lethe_lines_fault(&r->lines, 0, "no tab: expected user, kind and clues");
    uint32_t before = lethe_dict_count(r->users), id;
    if (!is_user(user)) return lethe_lines_fault(&r->lines, 1, "no user");
    LETHE_TRY(lethe_dict_add(r->users, user, &id));
    if (id < before) return lethe_lines_fault(&r->lines, 1, "the user has an earlier line");
    const char *copy = lethe_arena_dup(r->truth->arena, user);
    if (!copy) return LETHE_ENOMEM;
    p.user = (lethe_str){copy, user.n};
    kind = field_next(&line, &more);
    unsigned k = 0;
    while (k < LETHE_N_PLANTS && !lethe_str_eq(kind, lethe_str_of(lethe_plant_names[k])))
        k++;
    if (k == LETHE_N_PLANTS)
        return lethe_lines_fault(&r->lines, 2, "neither number, name nor pattern");
    p.kind = (lethe_plant)k;
    lethe_str clues[LETHE_TRUTH_CLUES];
    size_t n = 0;
    while (more) {
        if (n == clues_of[p.kind].max)
            return lethe_lines_fault(&r->lines, 0, "too many clues for the kind '%s': at most %zu",
                                     lethe_plant_names[p.kind], clues_of[p.kind].max);
        lethe_str field = field_next(&line, &more);
        uint32_t column = (uint32_t)n + 3;
        lethe_str normal;
        bool invalid;
        LETHE_TRY(lethe_normalize(field, &r->normal, &normal, &invalid));
        if (field.n == 0) return lethe_lines_fault(&r->lines, column, "an empty clue");
        if (!lethe_str_eq(field, normal))
            return lethe_lines_fault(&r->lines, column, "a clue that is not normalized");
        copy = lethe_arena_dup(r->truth->arena, field);
        if (!copy) return LETHE_ENOMEM;
        clues[n++] = (lethe_str){copy, field.n};
    }
    if (n < clues_of[p.kind].min)
        return lethe_lines_fault(&r->lines, 0, "too few clues for the kind '%s': at least %zu",
                                 lethe_plant_names[p.kind], clues_of[p.kind].min);
    lethe_str *kept = lethe_new(r->truth->arena, lethe_str, n);
    if (!kept) return LETHE_ENOMEM;
    memcpy(kept, clues, n * sizeof *kept);
    p.clues = kept;
    p.n_clues = n;
    r->at[r->truth->n++] = p;
    return LETHE_OK;
}

static lethe_err lines_read(struct reader *r)
{
    static const lethe_str header = {LETHE_TRUTH_HEADER, sizeof LETHE_TRUTH_HEADER - 2};
    lethe_str line;
    if (!lethe_lines_next(&r->lines, &line)) {
        LETHE_TRY(lethe_lines_err(&r->lines));
        return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, 1, 0,
                             "empty: not a truth file");
    }
    if (!lethe_str_eq(line, header))
        return lethe_lines_fault(&r->lines, 0,
                                 "not a truth file: the first line is not its header");
    while (lethe_lines_next(&r->lines, &line))
        LETHE_TRY(person_read(r, line));
    return lethe_lines_err(&r->lines);
}

/* Takes the open lines over. */
static lethe_err truth_read(lethe_ctx *ctx, struct reader *r, lethe_truth **out)
{
    lethe_arena *arena = lethe_arena_new();
    lethe_err e = LETHE_ENOMEM;
    r->truth = arena ? lethe_new(arena, lethe_truth, 1) : NULL;
    r->users = lethe_dict_new();
    if (r->truth && r->users) {
        r->truth->arena = arena;
        e = lines_read(r);
    }
    if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    lethe_dict_free(r->users);
    lethe_buf_free(&r->normal);
    if (e == LETHE_OK)
        *out = r->truth;
    else
        lethe_arena_free(arena);
    return e;
}

lethe_err lethe_truth_read(lethe_ctx *ctx, const char *path, lethe_truth **out)
{
    struct reader r = {0};
    lethe_err e = lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path);
    if (e == LETHE_OK) e = truth_read(ctx, &r, out);
    lethe_lines_close(&r.lines);
    return e;
}

lethe_err lethe_truth_memory(lethe_ctx *ctx, lethe_str bytes, lethe_truth **out)
{
    struct reader r = {0};
    lethe_err e = lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes);
    if (e == LETHE_OK) e = truth_read(ctx, &r, out);
    lethe_lines_close(&r.lines);
    return e;
}

void lethe_truth_free(lethe_truth *t)
{
    if (t) lethe_arena_free(t->arena);
}
