/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - what a list of texts tells of the users who are published with it.
 *
 * A group is all published users with the same texts, and the persons behind them are its members.
 * The adversary knows that a person is a member and names a text of the list.  A text is certain
 * where all members issued it; that he cannot see, but he need not: he is right about each of them.
 *
 * Memory: the different texts of each published user, twice, and 12 bytes for each member and text
 * of its list that the member issued, for each thread. */
#include "attack/homogeneity/homogeneity_internal.h"
#include "attack/aliases.h"
#include "attack/texts.h"

struct worker {
    lethe_dict *issued; /* text of a list (4 bytes), person (4 bytes) */
};

struct lists {
    lethe_comparison *c;
    lethe_arena *arena;
    lethe_log *published;
    lethe_person_texts users; /* all of the release */
    lethe_dict *groups;       /* the texts of each, by their numbers */
    uint32_t *group;          /* by published user */
    lethe_dict *persons;      /* who has a published user */
    lethe_u32s group_of;      /* by person; the first one there is */
    uint64_t *start;          /* by group: its texts, from start[g] on, in `text` */
    uint32_t *text;
    uint64_t *members; /* by group */
    uint64_t *shown;   /* by text: published users who have it */
    uint64_t *issued;  /* by text: users of the original who issued it; of n_users */
    uint64_t n_users;
    uint64_t *by;      /* by text of a group: members who issued it */
    lethe_dict *place; /* group and text: its number in `text` */
    unsigned n_workers;
    struct worker *workers;
};

static lethe_str pair_key(uint8_t bytes[8], uint32_t first, uint32_t second)
{
    lethe_be32_put(bytes, first);
    lethe_be32_put(bytes + 4, second);
    return (lethe_str){(const char *)bytes, 8};
}

/* --- groups --- */

static lethe_err groups_make(struct lists *l)
{
    const lethe_person_texts *u = &l->users;
    uint32_t id;
    uint64_t n = 0;
    uint8_t bytes[8];
    l->group = lethe_new(l->arena, uint32_t, (size_t)u->n + 1);
    l->start = lethe_new(l->arena, uint64_t, (size_t)u->n + 1);
    l->text = lethe_new(l->arena, uint32_t, u->start[u->n] + 1);
    l->members = lethe_new(l->arena, uint64_t, (size_t)u->n + 1);
    l->shown = lethe_new(l->arena, uint64_t, (size_t)lethe_dict_count(u->texts) + 1);
    l->issued = lethe_new(l->arena, uint64_t, (size_t)lethe_dict_count(u->texts) + 1);
    if (!l->group || !l->start || !l->text || !l->members || !l->shown || !l->issued)
        return LETHE_ENOMEM;
    for (uint32_t i = 0; i < u->n; i++) {
        const uint32_t *text = u->text + u->start[i];
        size_t size = (size_t)(u->start[i + 1] - u->start[i]);
        uint32_t before = lethe_dict_count(l->groups);
        lethe_str key = {(const char *)(const void *)text, size * sizeof *text};
        LETHE_TRY(lethe_dict_add(l->groups, key, &l->group[i]));
        for (size_t k = 0; k < size; k++) {
            l->shown[text[k]]++;
            if (l->group[i] < before) continue; // not the first one of its group
            LETHE_TRY(lethe_dict_add(l->place, pair_key(bytes, l->group[i], text[k]), &id));
            l->text[n++] = text[k];
        }
        if (l->group[i] == before) l->start[before + 1] = n;
    }
    l->by = lethe_new(l->arena, uint64_t, n + 1);
    return l->by ? LETHE_OK : LETHE_ENOMEM;
}

/* --- members --- */

static lethe_err on_alias(void *arg, lethe_str original, lethe_str published)
{
    struct lists *l = arg;
    uint32_t person, user = lethe_dict_find(l->users.persons, published);
    if (user == LETHE_NONE) return LETHE_OK;
    if (lethe_dict_add(l->persons, original, &person) != LETHE_OK)
        return lethe_no_memory(l->c->ctx);
    if (person < l->group_of.n) return LETHE_OK;
    l->members[l->group[user]]++;
    return lethe_u32s_append(l->arena, &l->group_of, &l->group[user], 1) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(l->c->ctx);
}

static lethe_err members_read(struct lists *l)
{
    if (l->c->map) return lethe_aliases_read(l->c, l->published, on_alias, l);
    for (uint32_t i = 0; i < l->users.n; i++) // users have their own names
        LETHE_TRY(
            on_alias(l, lethe_dict_at(l->users.persons, i), lethe_dict_at(l->users.persons, i)));
    return LETHE_OK;
}

/* What members issued, of the list of their group. */
static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct lists *l = arg;
    uint8_t bytes[8];
    uint32_t person = lethe_dict_find(l->persons, row->user),
             text = lethe_dict_find(l->users.texts, row->query), id;
    if (person == LETHE_NONE || text == LETHE_NONE) return LETHE_OK;
    uint32_t place = lethe_dict_find(l->place, pair_key(bytes, l->group_of.at[person], text));
    if (place == LETHE_NONE) return LETHE_OK;
    return lethe_dict_add(l->workers[w].issued, pair_key(bytes, place, person), &id) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(l->c->ctx);
}

static lethe_err issued_count(struct lists *l)
{
    lethe_ctx *ctx = l->c->ctx;
    uint32_t id;
    for (unsigned w = 0; w < l->n_workers; w++)
        if (!(l->workers[w].issued = lethe_dict_new())) return lethe_no_memory(ctx);
    LETHE_TRY(
        lethe_log_walk(ctx, l->c->original.log, &(lethe_row_visitor){.row = on_row, .arg = l}));
    lethe_dict *all = l->workers[0].issued;
    for (unsigned w = 1; w < l->n_workers; w++)
        for (uint32_t i = 0; i < lethe_dict_count(l->workers[w].issued); i++)
            if (lethe_dict_add(all, lethe_dict_at(l->workers[w].issued, i), &id) != LETHE_OK)
                return lethe_no_memory(ctx);
    for (uint32_t i = 0; i < lethe_dict_count(all); i++)
        l->by[lethe_be32_get((const uint8_t *)lethe_dict_at(all, i).at)]++;
    return lethe_texts_count(ctx, l->c->original.log, l->users.texts, l->issued, &l->n_users);
}

/* --- what is learned --- */

static double prior_of(const struct lists *l, uint32_t text)
{
    return l->n_users ? (double)l->issued[text] / (double)l->n_users : 0;
}

/* Of one member of a group. */
static lethe_learned learn(const struct lists *l, uint32_t g)
{
    lethe_learned out = {0};
    uint64_t most = 0, least = UINT64_MAX;
    for (uint64_t i = l->start[g]; i < l->start[g + 1]; i++) {
        most = LETHE_MAX(most, l->shown[l->text[i]]);
        least = LETHE_MIN(least, l->shown[l->text[i]]);
        if (l->by[i] == l->members[g]) out.certain = 1;
    }
    for (int name = 0; name < LETHE_NAMES; name++) {
        double right = 0, prior = 0, n = 0;
        for (uint64_t i = l->start[g]; i < l->start[g + 1]; i++) {
            if (l->shown[l->text[i]] != (name == LETHE_NAMES_COMMON ? most : least)) continue;
            right += (double)l->by[i] / (double)l->members[g];
            prior += prior_of(l, l->text[i]);
            n++;
        }
        out.right[name] = right / n;
        out.prior[name] = prior / n;
    }
    return out;
}

static void summarize(const struct lists *l, lethe_homogeneity *out)
{
    uint64_t most = 0;
    double blind = 0, same = 0;
    *out = (lethe_homogeneity){.persons = l->group_of.n};
    for (uint32_t g = 0; g < lethe_dict_count(l->groups); g++) {
        if (l->members[g] == 0) continue; // the map has nobody
        lethe_learned one = learn(l, g);
        lethe_learned_add(&out->after, &one, (double)l->members[g]);
    }
    for (uint32_t t = 0; t < lethe_dict_count(l->users.texts); t++)
        most = LETHE_MAX(most, l->shown[t]);
    for (uint32_t t = 0; t < lethe_dict_count(l->users.texts); t++) {
        if (l->shown[t] != most) continue;
        blind += (double)l->issued[t];
        same++;
    }
    double persons = (double)out->persons;
    if (same > 0 && l->n_users > 0) out->blind = blind / same / (double)l->n_users * persons;
    // who knows a person's user in the original knows all
    out->before = (lethe_learned){.right = {persons, persons}, .certain = persons};
}

static lethe_err run(struct lists *l, lethe_homogeneity *out)
{
    lethe_ctx *ctx = l->c->ctx;
    l->arena = lethe_arena_new();
    l->workers = lethe_alloc_zero(l->n_workers, sizeof *l->workers);
    l->groups = lethe_dict_new();
    l->place = lethe_dict_new();
    l->persons = lethe_dict_new();
    if (!l->arena || !l->workers || !l->groups || !l->place || !l->persons)
        return lethe_no_memory(ctx);
    lethe_ctx_phase(ctx, "looking at groups", 0);
    LETHE_TRY(lethe_log_published(ctx, l->c->published->dirfd, "data.tsv", &l->published));
    LETHE_TRY(lethe_person_texts_draw(ctx, l->published, 0, UINT32_MAX, &l->users));
    lethe_err e = groups_make(l);
    if (e != LETHE_OK) return lethe_no_memory(ctx);
    LETHE_TRY(members_read(l));
    LETHE_TRY(issued_count(l));
    summarize(l, out);
    return LETHE_OK;
}

lethe_err lethe_homogeneity_lists(lethe_comparison *c, lethe_homogeneity *out)
{
    struct lists l = {.c = c, .n_workers = lethe_ctx_threads(c->ctx)};
    lethe_err e = run(&l, out);
    for (unsigned w = 0; l.workers && w < l.n_workers; w++) {
        lethe_dict_free(l.workers[w].issued);
    }
    lethe_free(l.workers);
    lethe_dict_free(l.groups);
    lethe_dict_free(l.place);
    lethe_dict_free(l.persons);
    lethe_person_texts_free(&l.users);
    lethe_log_free(l.published);
    lethe_arena_free(l.arena);
    return e;
}
