/* SPDX-License-Identifier: Apache-2.0 */
/* synth2_text.c - how the texts of the synthetic log, version 2, are put together. */
#include "app/synth/synth2.h"

/* Of a thousand texts about something: a question with stop words, in which there is an adjective;
 * of the rest, with an adjective, and with nothing after the thing; of all, about two things. */
enum { WORDY = 136, WORDY_ADJECTIVE = 300, ADJECTIVE = 620, BARE = 90, TWO = 90 };

static const char *one_of(lethe_synth_draw *d, const char *const *list, uint32_t n)
{
    return list[lethe_synth_pick(d, n)];
}

static const char *any_of(lethe_synth_draw *d, const char *const *list)
{
    uint32_t n = 0;
    while (list[n])
        n++;
    return one_of(d, list, n);
}

/* --- names and towns --- */

void lethe_synth2_town(uint32_t town, lethe_synth_pen *p)
{
    lethe_str s = lethe_str_of(lethe_synth2_towns[town]);
    lethe_synth_pen_str(p, (lethe_str){s.at, s.n - 3});
}

const char *lethe_synth2_state(uint32_t town, uint32_t state)
{
    const char *s = lethe_synth2_towns[town];
    (void)state;
    return s + strlen(s) - 2;
}

void lethe_synth2_surname(uint32_t surname, bool planted, lethe_synth_pen *p)
{
    lethe_synth_pen_text(p, (planted ? lethe_synth2_surnames : lethe_synth2_others)[surname]);
}

/* --- phrases --- */

/* What the letters of a phrase stand for. */
struct slots {
    lethe_str noun;
    uint32_t town, surname;
};

static void phrase_write(lethe_synth_draw *d, const char *phrase, const struct slots *s,
                         lethe_synth_pen *p)
{
    const char *start = p->at;
    for (; *phrase; phrase++) {
        switch (*phrase) {
        case 'N':
            assert(s->noun.at); // a phrase about a thing is given one
            if (p->at - start > 2 && memcmp(p->at - 3, " a ", 3) == 0 &&
                memchr("aeiou", s->noun.at[0], 5))
                memcpy(p->at++ - 1, "n ", 2);
            lethe_synth_pen_str(p, s->noun);
            break;
        case 'P':
            lethe_synth2_town(s->town, p);
            break;
        case 'S':
            lethe_synth_pen_text(p, lethe_synth2_state(s->town, 0));
            break;
        case 'G':
            lethe_synth_pen_text(p, one_of(d, lethe_synth2_given, LETHE_SYNTH2_GIVEN));
            break;
        case 'M':
            lethe_synth_pen_char(p, (char)('a' + lethe_synth_pick(d, 26)));
            break;
        case 'F':
            lethe_synth2_surname(s->surname, false, p);
            break;
        case 'V':
            lethe_synth_pen_text(p, one_of(d, lethe_synth2_services, LETHE_SYNTH2_SERVICES));
            break;
        case 'Y':
            lethe_synth_pen_number(p, 1990 + lethe_synth_pick(d, 17), 4);
            break;
        default:
            lethe_synth_pen_char(p, *phrase);
        }
    }
}

uint32_t lethe_synth2_noun(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                           bool any)
{
    const lethe_synth_topic *t = &w->topics[topic];
    if (!any) return t->first + lethe_synth_rank(d, t->n);
    uint32_t i = lethe_synth_pick(d, t->n), k = lethe_synth_pick(d, t->n);
    return t->first + LETHE_MIN(i, k);
}

/* The thing, or two of them, with an adjective or without. */
static lethe_str thing_write(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                             uint32_t noun, uint32_t adjective, char room[LETHE_TEXT_ROOM])
{
    static const char *const joints[] = {" and ", " with ", " or ", " for "};
    lethe_synth_pen p = {room};
    if (lethe_synth_chance(d, adjective)) {
        lethe_synth_pen_text(&p, any_of(d, lethe_synth2_about[w->topics[topic].kind].adjectives));
        lethe_synth_pen_char(&p, ' ');
    }
    lethe_synth_pen_str(&p, w->words[noun]);
    if (lethe_synth_chance(d, TWO)) {
        lethe_synth_pen_text(&p, one_of(d, joints, LETHE_COUNT(joints)));
        lethe_synth_pen_str(&p, w->words[lethe_synth2_noun(w, d, topic, true)]);
    }
    return (lethe_str){room, (size_t)(p.at - room)};
}

void lethe_synth2_text_about(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                             uint32_t noun, uint32_t town, lethe_synth_pen *p)
{
    const lethe_synth2_phrases *about = &lethe_synth2_about[w->topics[topic].kind];
    char room[LETHE_TEXT_ROOM];
    bool wordy = lethe_synth_chance(d, WORDY);
    struct slots s = {.town = town};
    s.noun = thing_write(w, d, topic, noun, wordy ? WORDY_ADJECTIVE : ADJECTIVE, room);
    bool bare = !wordy && lethe_synth_chance(d, BARE);
    phrase_write(d, bare ? "N" : any_of(d, wordy ? about->wordy : about->terse), &s, p);
}

void lethe_synth2_text_local(lethe_synth_draw *d, uint32_t town, lethe_synth_pen *p)
{
    phrase_write(d, one_of(d, lethe_synth2_local, LETHE_SYNTH2_LOCAL),
                 &(struct slots){.town = town}, p);
}

void lethe_synth2_text_family(lethe_synth_draw *d, uint32_t surname, uint32_t town,
                              lethe_synth_pen *p)
{
    phrase_write(d, one_of(d, lethe_synth2_family, LETHE_SYNTH2_FAMILY),
                 &(struct slots){.town = town, .surname = surname}, p);
}

/* --- what many ask --- */

/* Popular texts are numbered by rank, the first being left to the head; octave k holds 2^k of
 * them, and the shares of the octaves rise: a law like Zipf's with an exponent below 1.  What a log
 * of a thousand users has of the last octaves is nearly always the only one of its kind; in a large
 * log they are popular too. */
enum { FIRST_OCTAVE = 5, OCTAVES = 15 };
static const uint16_t octave_share[OCTAVES] = {60, 120, 150, 90, 40, 30, 30, 30,
                                               30, 30,  30,  30, 30, 30, 30};

static uint32_t popular_rank(lethe_synth_draw *d)
{
    return lethe_synth_octave_rank(d, octave_share, OCTAVES, FIRST_OCTAVE);
}

void lethe_synth2_text_popular(const lethe_synth_world *w, lethe_synth_draw *d, lethe_synth_pen *p,
                               lethe_synth_text *t)
{
    lethe_synth_draw fixed = {.state = lethe_synth_mix(popular_rank(d))};
    uint32_t topic = w->interests[lethe_synth_pick(&fixed, w->n_interests)],
             noun = lethe_synth2_noun(w, &fixed, topic, false),
             town = lethe_synth_rank(&fixed, LETHE_SYNTH_TOWNS);
    lethe_synth2_text_about(w, &fixed, topic, noun, town, p);
    t->to = topic;
    t->noun = noun;
}

enum { HEAD_WORDS_SHARE = 300 }; /* of a thousand texts of the head: words, not sites */

void lethe_synth2_text_head(lethe_synth_draw *d, lethe_synth_pen *p)
{
    static const char *const before[] = {"", "", "", "", "", "www.", "www.", "", "", ""},
                             *const after[] = {"",     "",     "",     "",     "",
                                               ".com", ".com", ".com", ".com", " com"};
    if (lethe_synth_chance(d, HEAD_WORDS_SHARE)) {
        lethe_synth_pen_text(p, lethe_synth2_common[lethe_synth_rank(d, LETHE_SYNTH2_COMMON)]);
        return;
    }
    uint32_t form = lethe_synth_pick(d, LETHE_COUNT(before));
    lethe_synth_pen_text(p, before[form]);
    lethe_synth_pen_text(p, lethe_synth_sites[lethe_synth_rank(d, LETHE_SYNTH_SITES)]);
    lethe_synth_pen_text(p, after[form]);
}

/* --- what few ask --- */

void lethe_synth2_text_site(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t noun,
                            lethe_synth_pen *p)
{
    static const char *const before[] = {"",     "",     "",     "",      "",    "",
                                         "my",   "the",  "all",  "best",  "e",   "go",
                                         "just", "only", "free", "super", "our", "total"};
    lethe_str word = w->words[noun];
    if (lethe_synth_chance(d, 600)) lethe_synth_pen_text(p, "www.");
    lethe_synth_pen_text(p, one_of(d, before, LETHE_COUNT(before)));
    for (size_t k = 0; k < word.n; k++)
        if (word.at[k] != ' ') lethe_synth_pen_char(p, word.at[k]);
    lethe_synth_pen_text(p, one_of(d, lethe_synth2_host_ends, LETHE_SYNTH2_HOST_ENDS));
}

/* --- the same again, but --- */

static size_t words_in(lethe_str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.at[i] == ' ';
    return n;
}

bool lethe_synth2_text_longer(lethe_synth_draw *d, lethe_str text, uint32_t town,
                              lethe_synth_pen *p)
{
    static const char *const more[] = {
        " P",        " P S",  " S",           " Y",         " online",   " free",    " ideas",
        " pictures", " list", " information", " guide",     " for kids", " help",    " review",
        " discount", " cost", " website",     " wikipedia", " types",    " problems"};
    if (words_in(text) >= 5) return false;
    lethe_synth_pen_str(p, text);
    phrase_write(d, one_of(d, more, LETHE_COUNT(more)), &(struct slots){.town = town}, p);
    return true;
}

/* What is left of a question without a word of it makes no sense. */
static bool is_question(lethe_str text)
{
    static const char *const list[] = {"how ", "what ", "where ", "when ", "who ", "is ",
                                       " of ", " for ", " in ",   " to ",  " my ", " a "};
    for (size_t i = 0; i < LETHE_COUNT(list); i++)
        if (memmem(text.at, text.n, list[i], strlen(list[i]))) return true;
    return false;
}

bool lethe_synth2_text_shorter(lethe_synth_draw *d, lethe_str text, lethe_synth_pen *p)
{
    const char *space = memchr(text.at, ' ', text.n), *last = memrchr(text.at, ' ', text.n);
    if (words_in(text) < 3 || is_question(text)) return false;
    bool first = lethe_synth_chance(d, 500);
    lethe_synth_pen_str(p, first ? (lethe_str){space + 1, (size_t)(text.at + text.n - space) - 1}
                                 : (lethe_str){text.at, (size_t)(last - text.at)});
    return true;
}
