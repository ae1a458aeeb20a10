/* SPDX-License-Identifier: Apache-2.0 */
/* synth_text.c - how the texts of the synthetic log are put together. */
#include "app/synth/synth_internal.h"

void lethe_synth_pen_number(lethe_synth_pen *p, uint64_t v, unsigned digits)
{
    char text[24];
    unsigned n = 0;
    do
        text[n++] = (char)('0' + v % 10);
    while ((v /= 10) > 0 || n < digits);
    while (n > 0)
        lethe_synth_pen_char(p, text[--n]);
}

void lethe_synth_text_town(uint32_t town, lethe_synth_pen *p)
{
    lethe_synth_pen_text(p, lethe_synth_town[town % 16]);
    lethe_synth_pen_text(p, lethe_synth_town_end[town / 16 % 16]);
}

void lethe_synth_text_surname(uint32_t surname, bool planted, lethe_synth_pen *p)
{
    lethe_synth_pen_text(p, lethe_synth_family[surname % 16]);
    lethe_synth_pen_text(
        p, (planted ? lethe_synth_family_end : lethe_synth_other_end)[surname / 16 % 8]);
}

/* --- shapes of texts --- */

/* N a word of the topic, as a rule a common one, O any of them; A an adjective, M what is often
 * asked about something, V a verb, S a state, Y a year.  The rest stands as it is.  Shares of 256.
 */
struct text_shape {
    unsigned share;
    const char *shape;
};

/* Of texts that many ask: short. */
static const struct text_shape popular_shapes[] = {
    {70, "N"},     {60, "N M"},        {44, "A N"},   {26, "N N"},      {14, "N N M"},
    {12, "A N M"}, {10, "how to V N"}, {8, "N in S"}, {6, "what is N"}, {6, "N of the N"},
};

/* Of texts that hardly anybody else asks: longer. */
static const struct text_shape topic_shapes[] = {
    {32, "O N"},
    {28, "N M"},
    {26, "A O M"},
    {22, "O N M"},
    {18, "A O"},
    {16, "O for N"},
    {14, "O and N"},
    {14, "how to V O"},
    {14, "N M in S"},
    {12, "where to V A O"},
    {10, "O of the N"},
    {10, "A O with N"},
    {8, "Y O M"},
    {8, "the A O"},
    {8, "what is the O of N"},
    {8, "O from the N"},
    {8, "A A O M"},
};

static const char *shape_pick(lethe_synth_draw *d, const struct text_shape *shapes, size_t n)
{
    uint32_t at = lethe_synth_pick(d, 256);
    for (size_t i = 0; i + 1 < n; i++) {
        if (at < shapes[i].share) return shapes[i].shape;
        at -= shapes[i].share;
    }
    return shapes[n - 1].shape;
}

static lethe_str topic_word(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                            bool any)
{
    const lethe_synth_topic *t = &w->topics[topic];
    if (!any) return w->words[t->first + lethe_synth_rank(d, t->n)];
    uint32_t i = lethe_synth_pick(d, t->n), k = lethe_synth_pick(d, t->n);
    return w->words[t->first + LETHE_MIN(i, k)];
}

static void shape_write(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                        const char *shape, lethe_synth_pen *p)
{
    for (; *shape; shape++) {
        switch (*shape) {
        case 'N':
        case 'O':
            lethe_synth_pen_str(p, topic_word(w, d, topic, *shape == 'O'));
            break;
        case 'A':
            lethe_synth_pen_text(
                p, lethe_synth_adjectives[lethe_synth_pick(d, LETHE_SYNTH_ADJECTIVES)]);
            break;
        case 'M':
            lethe_synth_pen_text(p,
                                 lethe_synth_modifiers[lethe_synth_rank(d, LETHE_SYNTH_MODIFIERS)]);
            break;
        case 'V':
            lethe_synth_pen_text(p, lethe_synth_verbs[lethe_synth_pick(d, LETHE_SYNTH_VERBS)]);
            break;
        case 'S':
            lethe_synth_pen_text(p, lethe_synth_states[lethe_synth_pick(d, LETHE_SYNTH_STATES)]);
            break;
        case 'Y':
            lethe_synth_pen_number(p, 1990 + lethe_synth_pick(d, 17), 4);
            break;
        default:
            lethe_synth_pen_char(p, *shape);
        }
    }
}

void lethe_synth_text_topic(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                            lethe_synth_pen *p, lethe_synth_text *t)
{
    shape_write(w, d, topic, shape_pick(d, topic_shapes, LETHE_COUNT(topic_shapes)), p);
    t->target = LETHE_TO_TOPIC;
    t->to = topic;
}

/* --- what many ask --- */

/* Popular texts are numbered by rank, the first being left to the head; octave k holds 2^k of them.
 * The shares of the octaves rise by about a fifth from each to the next: a law like Zipf's with
 * exponent 0.74.  What a log of a thousand users has of the last octaves is nearly always the only
 * one of its kind; in a large log they are popular too. */
enum { FIRST_OCTAVE = 6, OCTAVES = 14 };
static const uint16_t octave_share[OCTAVES] = {10, 12, 14, 17, 21, 25, 30,
                                               36, 43, 52, 62, 74, 89, 107};

static uint32_t popular_rank(lethe_synth_draw *d)
{
    return lethe_synth_octave_rank(d, octave_share, OCTAVES, FIRST_OCTAVE);
}

void lethe_synth_text_popular(const lethe_synth_world *w, lethe_synth_draw *d, lethe_synth_pen *p,
                              lethe_synth_text *t)
{
    lethe_synth_draw fixed = {.state = lethe_synth_mix(popular_rank(d))};
    uint32_t topic = w->interests[lethe_synth_pick(&fixed, w->n_interests)];
    shape_write(w, &fixed, topic, shape_pick(&fixed, popular_shapes, LETHE_COUNT(popular_shapes)),
                p);
    t->target = LETHE_TO_TOPIC;
    t->to = topic;
}

enum { HEAD_WORDS_SHARE = 250 }; /* of a thousand texts of the head: words, not sites */

void lethe_synth_text_head(lethe_synth_draw *d, lethe_synth_pen *p, lethe_synth_text *t)
{
    static const char *const before[] = {"", "", "", "", "", "www.", "www.", "", "", ""},
                             *const after[] = {"",     "",     "",     "",     "",
                                               ".com", ".com", ".com", ".com", " com"};
    t->to = 0;
    t->target = LETHE_TO_SITE;
    if (lethe_synth_chance(d, HEAD_WORDS_SHARE)) {
        lethe_synth_pen_text(p, lethe_synth_common[lethe_synth_rank(d, LETHE_SYNTH_COMMON)]);
        t->to = lethe_synth_rank(d, LETHE_SYNTH_SITES);
        return;
    }
    uint32_t form = lethe_synth_pick(d, LETHE_COUNT(before));
    t->to = lethe_synth_rank(d, LETHE_SYNTH_SITES);
    lethe_synth_pen_text(p, before[form]);
    lethe_synth_pen_text(p, lethe_synth_sites[t->to]);
    lethe_synth_pen_text(p, after[form]);
}

/* --- what few ask --- */

static void site_write(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                       lethe_synth_pen *p)
{
    static const char *const ends[] = {".com", ".com", ".com", ".com",
                                       ".com", ".com", ".org", ".net"};
    for (int i = 0; i < 2; i++) {
        lethe_str word = topic_word(w, d, topic, i == 0);
        for (size_t k = 0; k < word.n; k++)
            if (word.at[k] != ' ') lethe_synth_pen_char(p, word.at[k]);
    }
    lethe_synth_pen_text(p, ends[lethe_synth_pick(d, LETHE_COUNT(ends))]);
}

void lethe_synth_text_site(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                           lethe_synth_pen *p, lethe_synth_text *t)
{
    if (lethe_synth_chance(d, 600)) lethe_synth_pen_text(p, "www.");
    site_write(w, d, topic, p);
    t->target = LETHE_TO_TEXT;
    t->to = topic;
}

void lethe_synth_text_local(lethe_synth_draw *d, uint32_t town, lethe_synth_pen *p,
                            lethe_synth_text *t)
{
    const char *state = lethe_synth_states[town % LETHE_SYNTH_STATES],
               *service = lethe_synth_services[lethe_synth_rank(d, LETHE_SYNTH_SERVICES)];
    uint32_t form = lethe_synth_pick(d, 4);
    if (form == 1) {
        lethe_synth_pen_text(p, service);
        lethe_synth_pen_text(p, " in ");
    }
    lethe_synth_text_town(town, p);
    if (form > 0) {
        lethe_synth_pen_char(p, ' ');
        lethe_synth_pen_text(p, state);
    }
    if (form == 2 || form == 0) {
        lethe_synth_pen_char(p, ' ');
        lethe_synth_pen_text(p, service);
    }
    t->target = LETHE_TO_SITE;
    t->to = lethe_synth_rank(d, LETHE_SYNTH_SITES);
}

void lethe_synth_text_person(lethe_synth_draw *d, lethe_synth_pen *p, lethe_synth_text *t)
{
    lethe_synth_pen_text(p, lethe_synth_relatives[lethe_synth_pick(d, LETHE_SYNTH_RELATIVES)]);
    lethe_synth_pen_char(p, ' ');
    lethe_synth_text_surname(lethe_synth_pick(d, LETHE_SYNTH_SURNAMES), false, p);
    t->target = LETHE_TO_SITE;
    t->to = lethe_synth_rank(d, LETHE_SYNTH_SITES);
}

/* --- the same again, but --- */

bool lethe_synth_text_longer(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                             lethe_str text, lethe_synth_pen *p)
{
    size_t spaces = 0;
    for (size_t i = 0; i < text.n; i++)
        spaces += text.at[i] == ' ';
    if (spaces >= 4) return false;
    bool before = lethe_synth_chance(d, 400);
    if (before) shape_write(w, d, topic, "A ", p);
    lethe_synth_pen_str(p, text);
    if (!before) shape_write(w, d, topic, lethe_synth_chance(d, 700) ? " M" : " O", p);
    return true;
}

/* One of the words with five plain letters in a row, the text's first not counted: two letters
 * change places, or one is lost, comes twice, or is another. */
bool lethe_synth_text_misspelt(lethe_synth_draw *d, lethe_str text, lethe_synth_pen *p)
{
    size_t run = 0, from = 0, at = lethe_synth_pick(d, (uint32_t)text.n);
    while (from < text.n + 5 && run < 5) { // the first such word behind a random place, or none
        size_t i = (at + from++) % text.n;
        run = text.at[i] >= 'a' && text.at[i] <= 'z' && i > 0 ? run + 1 : 0;
    }
    if (run < 5) return false;
    size_t i = (at + from - 2) % text.n; // inside the run, and not its end
    char *start = p->at;
    lethe_synth_pen_str(p, text);
    switch (lethe_synth_pick(d, 4)) {
    case 0:
        start[i - 1] = text.at[i];
        start[i] = text.at[i - 1];
        break;
    case 1:
        memmove(start + i, start + i + 1, text.n - i - 1);
        p->at--;
        break;
    case 2:
        memmove(start + i + 1, start + i, text.n - i);
        p->at++;
        break;
    default:
        start[i] = (char)('a' + lethe_synth_pick(d, 26));
    }
    return true;
}

/* --- where clicks lead --- */

void lethe_synth_url_topic(const lethe_synth_world *w, uint32_t topic, uint32_t k,
                           lethe_synth_pen *p)
{
    lethe_synth_draw fixed = {.state = lethe_synth_mix((uint64_t)topic << 32 | k)};
    lethe_synth_pen_text(p, "http://www.");
    site_write(w, &fixed, topic, p);
}

void lethe_synth_url_first(const lethe_synth_world *w, lethe_synth_draw *d,
                           const lethe_synth_text *t, lethe_str text, lethe_synth_pen *p)
{
    enum { PAGES = 127 }; // that a topic has
    if (t->target == LETHE_TO_TOPIC) {
        lethe_synth_url_topic(w, t->to, lethe_synth_rank(d, PAGES), p);
        return;
    }
    lethe_synth_pen_text(p, "http://");
    if (t->target == LETHE_TO_TEXT) {
        if (text.n < 4 || memcmp(text.at, "www.", 4) != 0) lethe_synth_pen_text(p, "www.");
        lethe_synth_pen_str(p, text);
        return;
    }
    lethe_synth_pen_text(p, "www.");
    lethe_synth_pen_text(p, lethe_synth_sites[t->to]);
    lethe_synth_pen_text(p, ".com");
}
