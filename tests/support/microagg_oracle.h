/* SPDX-License-Identifier: Apache-2.0 */
/* microagg_oracle.h - microaggregation as the paper has it, with the corrections of
 * docs/microagg.md, written the slow way: categories are paths of text, similarity is a matrix,
 * groups are searched in it, and every list is counted over again.  Random numbers alone come from
 * the library. */
#ifndef LETHE_TESTS_MICROAGG_ORACLE_H
#define LETHE_TESTS_MICROAGG_ORACLE_H
#include "core/rng.h"
#include "log_oracle.h"

enum {
    M_USERS = 12,
    M_QUERIES = 64, /* of a user */
    M_TERMS = 16,
    M_PATHS = 4, /* of a term */
    M_LEVELS = 6,
    M_COUNTED = 1024 /* prefixes of a user */
};

typedef struct m_term {
    char word[16];
    char path[M_PATHS][64];
    size_t n;
} m_term;

typedef struct m_world {
    m_term term[M_TERMS];
    size_t n;
    size_t levels, categories, k, min_users;
    bool synthetic, by_chance, paper; /* `paper`: lists are drawn as in Algorithm 5 */
} m_world;

typedef struct m_query {
    char text[64];
    int64_t time;
    size_t rows;
} m_query;

typedef struct m_user {
    char name[128];
    m_query query[M_QUERIES]; /* in order of time, then bytes */
    size_t n;
    size_t group;
} m_user;

/* Prefixes of paths, and how often each. */
typedef struct m_counts {
    char prefix[M_COUNTED][64];
    size_t level[M_COUNTED];
    uint64_t n[M_COUNTED];
    size_t n_prefixes;
} m_counts;

static inline const m_term *m_find(const m_world *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->term[i].word, word) == 0) return &w->term[i];
    return NULL;
}

/* The first l parts of a path; false: it has fewer. */
static inline bool m_prefix(const char *path, size_t l, char out[64])
{
    size_t parts = 1, n = 0;
    for (; path[n]; n++)
        if (path[n] == '/' && ++parts > l) break;
    if (parts < l) return false;
    snprintf(out, 64, "%.*s", (int)n, path);
    return true;
}

static inline void m_count(m_counts *c, const char *prefix, size_t level, uint64_t times)
{
    size_t i = 0;
    while (i < c->n_prefixes && strcmp(c->prefix[i], prefix) != 0)
        i++;
    if (i == M_COUNTED) abort();
    if (i == c->n_prefixes) {
        strcpy(c->prefix[i], prefix);
        c->level[i] = level;
        c->n[i] = 0;
        c->n_prefixes++;
    }
    c->n[i] += times;
}

static inline uint64_t m_counted(const m_counts *c, const char *prefix)
{
    for (size_t i = 0; i < c->n_prefixes; i++)
        if (strcmp(c->prefix[i], prefix) == 0) return c->n[i];
    return 0;
}

static inline void m_count_path(const m_world *w, m_counts *c, const char *path, uint64_t times)
{
    char prefix[64];
    for (size_t l = 1; l <= w->levels; l++)
        if (m_prefix(path, l, prefix)) m_count(c, prefix, l, times);
}

/* Calls for each word of these tests' texts: they are parted by spaces, and by two signs; masks are
 * no terms. */
#define M_EACH_WORD(text, word)                                                                    \
    char copy_[64], *save_ = NULL;                                                                 \
    strcpy(copy_, text);                                                                           \
    for (char *word = strtok_r(copy_, " @!", &save_); word; word = strtok_r(NULL, " @!", &save_))  \
        if (word[0] != '[')

static inline void m_count_text(const m_world *w, m_counts *c, const char *text, uint64_t times,
                                bool best)
{
    M_EACH_WORD(text, word)
    {
        const m_term *t = m_find(w, word);
        size_t n = t ? t->n : 0, most = best ? 1 : w->categories;
        for (size_t i = 0; i < n && i < most; i++)
            m_count_path(w, c, t->path[i], times);
    }
}

/* What is published in place of a text; false: nothing. */
static inline bool m_shown(const m_world *w, const char *text, char out[256])
{
    strcpy(out, text);
    if (!w->synthetic) return true;
    out[0] = '\0';
    M_EACH_WORD(text, word)
    {
        char prefix[64] = "";
        const m_term *t = m_find(w, word);
        if (!t || t->n == 0) continue;
        for (size_t l = w->levels; l > 0 && !m_prefix(t->path[0], l, prefix); l--)
            ;
        const char *slash = strrchr(prefix, '/');
        sprintf(out + strlen(out), "%s%s", *out ? " " : "", slash ? slash + 1 : prefix);
    }
    return *out;
}

/* --- users --- */

static inline int m_by_time(const void *a, const void *b)
{
    const m_query *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Users in the order of their first lines; an empty text only says that the user is there. */
static inline size_t m_users(const olog *log, m_user *users)
{
    size_t n = 0;
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        size_t u = 0, q = 0;
        while (u < n && strcmp(users[u].name, r->user) != 0)
            u++;
        if (u == n) {
            if (++n > M_USERS) abort();
            users[u] = (m_user){0};
            strcpy(users[u].name, r->user);
        }
        if (!*r->query) continue;
        m_user *x = &users[u];
        while (q < x->n && (x->query[q].time != r->time || strcmp(x->query[q].text, r->query) != 0))
            q++;
        if (q == x->n) {
            if (++x->n > M_QUERIES) abort();
            strcpy(x->query[q].text, r->query);
            x->query[q].time = r->time;
            x->query[q].rows = 0;
        }
        x->query[q].rows++;
    }
    for (size_t u = 0; u < n; u++)
        qsort(users[u].query, users[u].n, sizeof(m_query), m_by_time);
    return n;
}

static inline void m_count_user(const m_world *w, const m_user *u, m_counts *c)
{
    c->n_prefixes = 0;
    for (size_t q = 0; q < u->n; q++)
        m_count_text(w, c, u->query[q].text, 1, false);
}

/* --- groups: Algorithms 2 to 4 with E6 to E8 --- */

static inline uint64_t m_common(const m_counts *a, const m_counts *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < a->n_prefixes; i++) {
        uint64_t other = m_counted(b, a->prefix[i]);
        sum += a->n[i] < other ? a->n[i] : other;
    }
    return sum;
}

typedef struct m_matrix {
    uint64_t at[M_USERS][M_USERS];
} m_matrix;

static inline size_t m_next(const m_matrix *m, const m_user *users, size_t n, size_t group)
{
    size_t best = n;
    uint64_t most = 0;
    for (size_t u = 0; u < n; u++) {
        uint64_t sum = 0;
        if (users[u].group != SIZE_MAX) continue;
        for (size_t v = 0; v < n; v++)
            if (users[v].group == group) sum += m->at[u][v];
        if (best == n || sum > most) best = u, most = sum;
    }
    return best;
}

static inline void m_first_two(const m_matrix *m, m_user *users, size_t n, size_t group)
{
    size_t a = n, b = n;
    for (size_t u = 0; u < n; u++)
        for (size_t v = u + 1; v < n; v++) {
            if (users[u].group != SIZE_MAX || users[v].group != SIZE_MAX) continue;
            if (a == n || m->at[u][v] > m->at[a][b]) a = u, b = v;
        }
    users[a].group = users[b].group = group;
}

static inline void m_leftover(const m_matrix *m, m_user *users, size_t n, size_t u, size_t groups)
{
    size_t best = 0;
    uint64_t best_sum = 0, best_size = 0;
    for (size_t g = 0; g < groups; g++) {
        uint64_t sum = 0, size = 0;
        for (size_t v = 0; v < n; v++)
            if (users[v].group == g) sum += m->at[u][v], size++;
        if (best_size == 0 || sum * best_size > best_sum * size)
            best = g, best_sum = sum, best_size = size;
    }
    users[u].group = best;
}

static inline size_t m_group(const m_world *w, m_user *users, size_t n)
{
    static m_counts counts[M_USERS];
    static m_matrix m;
    size_t groups = n / w->k;
    for (size_t u = 0; u < n; u++) {
        users[u].group = SIZE_MAX;
        m_count_user(w, &users[u], &counts[u]);
    }
    for (size_t u = 0; u < n; u++)
        for (size_t v = 0; v < n; v++)
            m.at[u][v] = m_common(&counts[u], &counts[v]);
    for (size_t g = 0; g < groups; g++) {
        m_first_two(&m, users, n, g);
        for (size_t i = 2; i < w->k; i++)
            users[m_next(&m, users, n, g)].group = g;
    }
    for (size_t u = 0; u < n; u++)
        if (users[u].group == SIZE_MAX) m_leftover(&m, users, n, u, groups);
    return groups;
}

/* --- lists: Algorithm 5 --- */

typedef struct m_item {
    char shown[256], source[64];
    uint64_t times;
} m_item;

static inline size_t m_users_of(const m_world *w, const m_user *users, size_t n, const char *shown)
{
    size_t count = 0;
    for (size_t u = 0; u < n; u++) {
        bool has = false;
        for (size_t q = 0; q < users[u].n; q++) {
            char other[256];
            has |= m_shown(w, users[u].query[q].text, other) && strcmp(other, shown) == 0;
        }
        count += has;
    }
    return count;
}

/* A user's list: sorted by repetitions, ties in order of the first occurrence. */
static inline size_t m_list(const m_world *w, const m_user *users, size_t n, size_t u, m_item *out)
{
    size_t n_items = 0;
    for (size_t q = 0; q < users[u].n; q++) {
        char shown[256];
        size_t i = 0;
        if (!m_shown(w, users[u].query[q].text, shown)) continue;
        if (m_users_of(w, users, n, shown) < w->min_users) continue;
        while (i < n_items && strcmp(out[i].shown, shown) != 0)
            i++;
        if (i == n_items) {
            strcpy(out[i].shown, shown);
            strcpy(out[i].source, users[u].query[q].text);
            out[n_items++].times = 0;
        }
        out[i].times++;
    }
    for (size_t i = 1; i < n_items; i++) /* stable */
        for (size_t j = i; j > 0 && out[j].times > out[j - 1].times; j--) {
            m_item t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    return n_items;
}

/* The list of a group, a copy an item; the coins are those of the group's stream. */
static inline size_t m_centroid(const m_world *w, const m_user *users, size_t n, size_t group,
                                lethe_rng *r, m_item *out, size_t cap)
{
    static m_item list[M_QUERIES];
    uint64_t size = 0, all = 0;
    size_t n_out = 0;
    for (size_t u = 0; u < n; u++) {
        if (users[u].group != group) continue;
        size++;
        for (size_t i = m_list(w, users, n, u, list); i > 0; i--)
            all += list[i - 1].times;
    }
    for (size_t u = 0; u < n; u++) {
        uint64_t mine = 0, taken = 0;
        if (users[u].group != group) continue;
        size_t n_list = m_list(w, users, n, u, list);
        for (size_t i = 0; i < n_list; i++)
            mine += list[i].times;
        uint64_t quota = (2 * mine + size) / (2 * size); /* half up */
        for (size_t i = 0; i < n_list && taken < quota; i++) {
            uint64_t p = mine * list[i].times; /* of `all` */
            for (; p >= all && taken < quota; p -= all, taken++) {
                if (n_out == cap) abort();
                out[n_out++] = list[i];
            }
            p %= all;
            bool more = (mine * list[i].times) % all > 0 && lethe_rng_below(r, all) < p;
            if (!more || taken == quota) continue;
            if (n_out == cap) abort();
            out[n_out++] = list[i];
            taken++;
        }
    }
    return n_out;
}

/* --- lists that cover: docs/microagg.md, "The list of a group" --- */

typedef struct m_cover {
    m_item item; /* `times`: of all members */
    uint64_t copies;
    bool classified;
} m_cover;

/* What the members may be published with, in order of members and of their queries. */
static inline size_t m_covers(const m_world *w, const m_user *users, size_t n, size_t group,
                              m_cover *out)
{
    size_t n_out = 0;
    for (size_t u = 0; u < n; u++)
        for (size_t q = 0; q < users[u].n && users[u].group == group; q++) {
            static m_counts own;
            m_cover new = {.item.times = 0};
            size_t i = 0;
            strcpy(new.item.source, users[u].query[q].text);
            if (!m_shown(w, new.item.source, new.item.shown)) continue;
            if (m_users_of(w, users, n, new.item.shown) < w->min_users) continue;
            while (i < n_out && strcmp(out[i].item.shown, new.item.shown) != 0)
                i++;
            own.n_prefixes = 0;
            m_count_text(w, &own, new.item.source, 1, w->synthetic);
            new.classified = own.n_prefixes > 0;
            if (i == n_out) out[n_out++] = new;
            out[i].item.times++;
        }
    return n_out;
}

/* What all members have in common with these lists of all copies, by level and member the share of
 * the member's own, in units of 1 / 2^31 for each category. */
static inline uint64_t m_worth(const m_world *w, const m_user *users, size_t n, size_t group,
                               const m_cover *covers, size_t n_covers)
{
    static m_counts own, list;
    uint64_t sum = 0;
    list.n_prefixes = 0;
    for (size_t i = 0; i < n_covers; i++)
        if (covers[i].copies > 0)
            m_count_text(w, &list, covers[i].item.source, covers[i].copies, w->synthetic);
    for (size_t u = 0; u < n; u++) {
        uint64_t all[M_LEVELS + 1] = {0};
        if (users[u].group != group) continue;
        m_count_user(w, &users[u], &own);
        for (size_t i = 0; i < own.n_prefixes; i++)
            all[own.level[i]] += own.n[i];
        for (size_t i = 0; i < own.n_prefixes; i++) {
            uint64_t there = m_counted(&list, own.prefix[i]);
            uint64_t common = own.n[i] < there ? own.n[i] : there;
            sum += common * ((UINT64_C(1) << 31) / all[own.level[i]]);
        }
    }
    return sum;
}

/* Texts without a category: the mean number of copies, the greatest remainders rounded up. */
static inline uint64_t m_cover_unclassified(m_cover *covers, size_t n, uint64_t size)
{
    uint64_t queries = 0, taken = 0;
    bool up[M_USERS * M_QUERIES] = {false};
    for (size_t i = 0; i < n; i++)
        if (!covers[i].classified) {
            queries += covers[i].item.times;
            taken += covers[i].copies = covers[i].item.times / size;
        }
    for (; taken < (2 * queries + size) / (2 * size); taken++) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            if (covers[i].classified || up[i]) continue;
            if (best == n || covers[i].item.times % size > covers[best].item.times % size) best = i;
        }
        up[best] = true;
        covers[best].copies++;
    }
    return taken;
}

/* The text that adds most; of these the one with the fewest copies for its times, one more counted;
 * of these the first.  false: none adds anything. */
static inline bool m_cover_best(const m_world *w, const m_user *users, size_t n, size_t group,
                                m_cover *covers, size_t n_covers)
{
    uint64_t now = m_worth(w, users, n, group, covers, n_covers), most = 0;
    size_t best = n_covers;
    for (size_t i = 0; i < n_covers; i++) {
        if (!covers[i].classified) continue;
        covers[i].copies++;
        uint64_t gain = m_worth(w, users, n, group, covers, n_covers) - now;
        covers[i].copies--;
        if (gain == 0 || gain < most) continue;
        if (gain == most && (covers[i].copies + 1) * covers[best].item.times >=
                                (covers[best].copies + 1) * covers[i].item.times)
            continue;
        most = gain;
        best = i;
    }
    if (best == n_covers) return false;
    covers[best].copies++;
    return true;
}

/* The text asked most often that is in the list less often than that; of these the first.  false:
 * there is none. */
static inline bool m_cover_fill(m_cover *covers, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (covers[i].copies < covers[i].item.times &&
            (best == n || covers[i].item.times > covers[best].item.times))
            best = i;
    if (best == n) return false;
    covers[best].copies++;
    return true;
}

/* The list of a group, a copy an item. */
static inline size_t m_coverage(const m_world *w, const m_user *users, size_t n, size_t group,
                                m_item *out, size_t cap)
{
    static m_cover covers[M_USERS * M_QUERIES];
    uint64_t size = 0, all = 0;
    size_t n_covers = m_covers(w, users, n, group, covers), n_out = 0;
    for (size_t u = 0; u < n; u++)
        if (users[u].group == group) size++, all += users[u].n;
    uint64_t length = (2 * all + size) / (2 * size); /* half up */
    length -= m_cover_unclassified(covers, n_covers, size);
    while (length > 0 && m_cover_best(w, users, n, group, covers, n_covers))
        length--;
    while (length > 0 && m_cover_fill(covers, n_covers))
        length--;
    for (size_t i = 0; i < n_covers; i++)
        for (uint64_t c = 0; c < covers[i].copies; c++) {
            if (n_out == cap) abort();
            out[n_out++] = covers[i].item;
        }
    return n_out;
}

#endif
