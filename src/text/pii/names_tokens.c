/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a text, as the detectors of persons and places see them, with what is known of each. */
#include "text/pii/names_internal.h"

enum { SUFFIX_BITS = 12, ROOM = 24 /* for a folded word, and zeros up to a multiple of 8 */ };

static const lethe_name_profile initial_profile = {.reduced = 36, .candidate = true};
static const lethe_name_profile other_profile = {.reduced = 37};
static const lethe_name_profile edge_profile = {.reduced = 38};

const lethe_name_token lethe_name_edge = {
    .at = SIZE_MAX, .kind = LETHE_NAME_EDGE, .profile = &edge_profile};

/* --- the table --- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

/* Up to eight bytes as a number, the first the highest, zeros behind them. */
static uint64_t load(const char *p, size_t n)
{
    const uint8_t *b = (const uint8_t *)p;
    uint64_t x = 0;
    if (n == 8) return lethe_be64_get(b);
    if (n >= 4)
        return (uint64_t)lethe_be32_get(b) << 32 |
               (((uint64_t)lethe_be32_get(b + n - 4) << 8 * (8 - n)) & UINT32_MAX);
    for (size_t k = 0; k < n; k++)
        x |= (uint64_t)b[k] << (56 - 8 * k);
    return x;
}

const lethe_name_profile *lethe_name_look_up(const char *word, size_t n)
{
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15);
    for (; n > 8; word += 8, n -= 8)
        h = mix(h, lethe_be64_get((const uint8_t *)word));
    h = mix(h, load(word, n)) * UINT64_C(0xD6E8FEB86659FD93) >> 32;
    uint16_t print = (uint16_t)h;
    size_t slot = (size_t)(h >> (32 - LETHE_NAME_SLOT_BITS));
    const lethe_name_entry *e = &lethe_names_entries[slot];
    while (e->profile != 0 && e->print != print) {
        slot = (slot + 1) % ((size_t)1 << LETHE_NAME_SLOT_BITS);
        e = &lethe_names_entries[slot];
    }
    return e->profile != 0 ? &lethe_names_profiles[e->profile] : NULL;
}

/* Of the last three letters. */
static uint16_t suffix_of(const char *word, size_t n)
{
    uint32_t h = 0;
    for (size_t k = n > 3 ? n - 3 : 0; k < n; k++)
        h = h * 27 + (uint32_t)(word[k] - '`');
    return (uint16_t)(h * 2654435761u >> (32 - SUFFIX_BITS));
}

/* --- letters --- */

/* Bytes of a word at `p`: a letter, a digit, or anything past ASCII but signs (U+0080 to U+00BF,
 * U+2000 to U+207F, U+3000 to U+303F).  0: none. */
static size_t wordy_bytes(const uint8_t *p, const uint8_t *end)
{
    if (p >= end) return 0;
    if (*p < 0x80) return lethe_pii_alnum((char)*p);
    size_t n = *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    if (*p == 0xC2) return 0;
    if (n == 3 && end - p > 1 &&
        ((*p == 0xE2 && (p[1] == 0x80 || p[1] == 0x81)) || (*p == 0xE3 && p[1] == 0x80)))
        return 0;
    return LETHE_MIN(n, (size_t)(end - p));
}
/* Of the code point at `p`, whatever it is. */
static size_t bytes_at(const uint8_t *p, const uint8_t *end)
{
    size_t n = *p < 0xC0 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    return LETHE_MIN(n, (size_t)(end - p));
}
/* Of the apostrophe at `p`: ' or U+2019. */
static size_t apostrophe_bytes(const uint8_t *p, const uint8_t *end)
{
    if (p < end && *p == '\'') return 1;
    return end - p >= 3 && p[0] == 0xE2 && p[1] == 0x80 && p[2] == 0x99 ? 3 : 0;
}

/* A word with its letters folded to ASCII. */
typedef struct spelling {
    char letters[ROOM];
    size_t n;
} spelling;

/* Puts the ASCII letters for the letter at `p`, `n` bytes, behind a word; false: it is none of
 * those that are known, or the word is too long. */
static bool put_folded(spelling *s, const uint8_t *p, size_t n)
{
    /* From U+00E0 to U+017F; 1 is ae, 2 th, 3 oe. */
    static const char folded[] = "aaaaaa1ceeeeiiiidnooooo?ouuuuy2yaaaaaaccccccccddddeeeeeeeeee"
                                 "gggggggghhhhiiiiiiiiii??jjkkkllllll??llnnnnnn?nnoooooo33rrrrrr"
                                 "ssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
    static const char *const two[] = {"ae", "th", "oe"};
    char c = n == 1 && !lethe_pii_digit((char)*p) ? (char)*p : '?';
    if (n == 2) {
        unsigned code = (unsigned)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
        if (code < 0xE0 || code > 0x17F) return false;
        c = folded[code - 0xE0];
    }
    bool is_two = c >= '1' && c <= '3';
    if (s->n + 1 + is_two > LETHE_NAME_WORD_MAX) return false;
    if (is_two) s->letters[s->n++] = two[c - '1'][0];
    if (is_two) c = two[c - '1'][1];
    if (c < 'a' || c > 'z') return false;
    s->letters[s->n++] = c;
    return true;
}

/* --- tokens --- */

/* Where the bytes that begin at `i` end, without a space, a mask or what separates parts of a URL.
 */
static size_t chunk_end_of(const lethe_pii_view *v, size_t i)
{
    for (; i < v->n && (v->p[i] == '\0' || !strchr(" /?&=#", v->p[i])); i++)
        if (v->p[i] == '[' && lethe_pii_mask_at((lethe_str){v->p, v->n}, i)) break;
    return i;
}

/* Part of an address of the net, where words are no names: a '@', a '_', or a point between word
 * and word, but for that of an initial; or too long for anything else. */
static bool is_net(const lethe_pii_view *v, size_t from, size_t end)
{
    const char *p = v->p;
    if (end - from > LETHE_NAME_CHUNK_MAX) return true;
    for (size_t k = from; k < end; k++) {
        if (p[k] == '@' || p[k] == '_') return true;
        if (p[k] == '.' && k > from + 1 && lethe_pii_wordy(p[k - 1]) && lethe_pii_wordy(p[k - 2]) &&
            k + 1 < end && lethe_pii_wordy(p[k + 1]))
            return true;
    }
    return false;
}

/* Spells the word at t->at, up to `end`, and finds out where it ends; false: it is not made of
 * letters that are known. */
static bool spell(const lethe_pii_view *v, size_t end, lethe_name_token *t, spelling *s)
{
    const uint8_t *text = (const uint8_t *)v->p, *p = text + t->at, *stop = text + end;
    bool plain = true;
    for (size_t n; p < stop; p += n) {
        n = apostrophe_bytes(p, stop);
        if (n > 0 && wordy_bytes(p + n, stop) > 0) {
            if (p[n] != 's' || wordy_bytes(p + n + 1, stop) > 0) continue;
            t->owned = (uint8_t)(n + 1);
            break;
        }
        n = wordy_bytes(p, stop);
        if (n == 0) break;
        plain = plain && put_folded(s, p, n);
        t->accent |= n > 1;
    }
    t->end = (size_t)(p - text);
    return plain;
}

static void know(lethe_name_token *t, const char *word, size_t n)
{
    if (n == 1) {
        t->kind = LETHE_NAME_INITIAL;
        t->profile = &initial_profile;
        t->accent = false;
        return;
    }
    const lethe_name_profile *p = lethe_name_look_up(word, n);
    t->kind = LETHE_NAME_IS_WORD;
    t->profile = p && !p->several ? p : &lethe_names_profiles[LETHE_NAME_UNKNOWN];
    t->suffix = suffix_of(word, n);
}

static void read_word(const lethe_pii_view *v, size_t end, lethe_name_token *t)
{
    spelling s = {.n = 0};
    if (spell(v, end, t, &s))
        know(t, s.letters, s.n);
    else
        t->accent = false;
}

/* A word of a to z between spaces, as most are; false: it is another. */
static bool read_simple(const lethe_pii_view *v, size_t i, lethe_name_token *t)
{
    size_t k = i, most = LETHE_MIN(v->n, i + LETHE_NAME_WORD_MAX + 1);
    while (k < most && v->p[k] >= 'a' && v->p[k] <= 'z')
        k++;
    if (k == i || k - i > LETHE_NAME_WORD_MAX || (k < v->n && v->p[k] != ' ')) return false;
    *t = (lethe_name_token){.at = i, .end = k};
    know(t, v->p + i, k - i);
    return true;
}

/* What stands in from..to-1, between two tokens. */
static uint8_t gap_of(const lethe_pii_view *v, size_t from, size_t to)
{
    bool stop = false, sign = false;
    const uint8_t *p = (const uint8_t *)v->p, *end = p + to;
    for (size_t i = from; i < to;) {
        size_t quote = apostrophe_bytes(p + i, end);
        if (p[i] == ',') return LETHE_NAME_COMMA;
        stop |= p[i] == '.' || p[i] == '!' || p[i] == '?' || p[i] == ';';
        sign |= quote == 0 && p[i] != ' ' && p[i] != '-';
        i += quote ? quote : bytes_at(p + i, end);
    }
    return stop ? LETHE_NAME_STOP : sign ? LETHE_NAME_SIGN : LETHE_NAME_TIGHT;
}

static bool gap_joins(const lethe_pii_view *v, size_t from, size_t to)
{
    if (to - from == 1) return v->p[from] == ' ' || v->p[from] == '-';
    return to - from == 2 && v->p[from] == '.' && v->p[from + 1] == ' ';
}

/* Where to read on behind a finding or mask that ends at `i`: its 's is no word. */
static size_t skip_owned(const lethe_pii_view *v, size_t i)
{
    const uint8_t *p = (const uint8_t *)v->p + i, *end = (const uint8_t *)v->p + v->n;
    size_t n = apostrophe_bytes(p, end);
    return n > 0 && p + n < end && p[n] == 's' && wordy_bytes(p + n + 1, end) == 0 ? i + n + 1 : i;
}

void lethe_name_reader_begin(lethe_name_reader *r, const lethe_pii_view *v)
{
    r->view = v;
    r->at = r->chunk_end = skip_owned(v, v->lo);
    r->edges = 0;
    r->n_ahead = 0;
    r->before.known = false;
}

static bool give_edge(lethe_name_reader *r, lethe_name_token *out)
{
    *out = lethe_name_edge;
    out->at = r->at;
    r->edges--;
    r->before.known = false;
    return true;
}

/* What `t` has to do with the token before it. */
static bool tie(lethe_name_reader *r, lethe_name_token *t)
{
    if (r->before.known) {
        bool space = t->at - r->before.next == 1 && r->view->p[t->at - 1] == ' ';
        t->gap = space ? LETHE_NAME_TIGHT : gap_of(r->view, r->before.next, t->at);
        t->near = t->at - r->before.end <= 2;
        t->joins = r->before.next == r->before.end && gap_joins(r->view, r->before.end, t->at);
    }
    r->before.known = true;
    r->before.end = t->end;
    r->before.next = r->at = t->end + t->owned;
    return true;
}

/* The token at the beginning of a chunk or inside of it; false: only a sign or a mask is there, and
 * was passed. */
static bool read_here(lethe_name_reader *r, lethe_name_token *t)
{
    const lethe_pii_view *v = r->view;
    const uint8_t *p = (const uint8_t *)v->p + r->at, *end = (const uint8_t *)v->p + v->n;
    bool fresh = r->at >= r->chunk_end, net = false;
    if (fresh) {
        if (read_simple(v, r->at, t)) return tie(r, t);
        size_t mask = lethe_pii_mask_at((lethe_str){v->p, v->n}, r->at);
        if (mask > 0) {
            r->at = r->chunk_end = skip_owned(v, r->at + mask);
            r->edges = 2;
            return give_edge(r, t);
        }
        r->chunk_end = chunk_end_of(v, r->at);
        net = is_net(v, r->at, r->chunk_end);
    }
    if (!net && wordy_bytes(p, end) == 0) {
        r->at += bytes_at(p, end);
        return false;
    }
    *t = (lethe_name_token){
        .at = r->at, .end = r->chunk_end, .kind = LETHE_NAME_OTHER, .profile = &other_profile};
    if (!net) read_word(v, r->chunk_end, t);
    return tie(r, t);
}

/* The next token as it stands. */
static bool read_token(lethe_name_reader *r, lethe_name_token *t)
{
    const lethe_pii_view *v = r->view;
    if (r->edges > 0) return give_edge(r, t);
    while (r->at < v->n) {
        if (v->p[r->at] == ' ')
            r->at++;
        else if (read_here(r, t))
            return true;
    }
    if (r->at > v->n) return false;
    r->at = v->n + 1;
    r->edges = 2;
    return give_edge(r, t);
}

/* --- towns of several words --- */

/* Reads ahead until there are `n` tokens; false: the text has fewer. */
static bool read_ahead(lethe_name_reader *r, size_t n)
{
    for (; r->n_ahead < n; r->n_ahead++)
        if (!read_token(r, &r->ahead[r->n_ahead])) return false;
    return true;
}

/* How many of the tokens ahead make a town together; 1: they do not. */
static size_t town_words(lethe_name_reader *r, const lethe_name_profile **town)
{
    char name[LETHE_NAME_TOWN_WORDS * ROOM];
    size_t end[LETHE_NAME_TOWN_WORDS], n = 0, used = 0;
    do {
        lethe_name_token t = r->ahead[n];
        spelling s = {.n = 0};
        if (t.kind != LETHE_NAME_IS_WORD || (n > 0 && !t.joins)) break;
        if (n == 1 && !t.profile->second) break;
        (void)spell(r->view, t.end, &t, &s);
        if (n > 0) name[used++] = ' ';
        memcpy(name + used, s.letters, s.n);
        end[n++] = used += s.n;
    } while (n < LETHE_NAME_TOWN_WORDS && read_ahead(r, n + 1));
    for (; n > 1; n--) {
        *town = lethe_name_look_up(name, end[n - 1]);
        if (*town && (*town)->several) return n;
    }
    return 1;
}

bool lethe_name_reader_next(lethe_name_reader *r, lethe_name_token *out)
{
    if (r->n_ahead == 0) {
        if (!read_token(r, out)) return false;
        if (!out->profile->starts) return true;
        r->ahead[r->n_ahead++] = *out;
    }
    size_t n = 1;
    const lethe_name_profile *town = NULL;
    if (r->ahead[0].profile->starts) n = town_words(r, &town);
    *out = r->ahead[0];
    if (n > 1) {
        out->profile = town;
        out->multi = true;
        out->end = r->ahead[n - 1].end;
        out->owned = r->ahead[n - 1].owned;
        out->accent = false;
    }
    r->n_ahead -= n;
    memmove(r->ahead, r->ahead + n, r->n_ahead * sizeof *r->ahead);
    return true;
}

/* --- the language of a text --- */

void lethe_count_english(lethe_str text, uint64_t *words, uint64_t *english)
{
    lethe_pii_view v = {text.at, 0, text.n, 0};
    lethe_name_reader r;
    lethe_name_token t;
    lethe_name_reader_begin(&r, &v);
    while (read_token(&r, &t)) {
        bool foreign = t.kind == LETHE_NAME_OTHER && (signed char)text.at[t.at] < 0;
        bool word = t.kind == LETHE_NAME_IS_WORD;
        *words += word || foreign;
        *english += word && t.profile->level[LETHE_NAME_WORD] >= LETHE_NAME_USUAL;
    }
}
