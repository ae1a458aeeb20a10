/* SPDX-License-Identifier: Apache-2.0 */
/* synth2.h - version 2 of the synthetic log: texts that somebody could have typed, about things
 * that people keep asking about, and a search engine that answers each text with the same pages.
 *
 *   synth2_words.c    names, towns, and the phrases in which people ask
 *   synth2_text.c     how a text is put together
 *   synth2_user.c     what one user asks
 *   synth2_results.c  what the search engine answers */
#ifndef LETHE_APP_SYNTH_SYNTH2_H
#define LETHE_APP_SYNTH_SYNTH2_H
#include "app/synth/synth_internal.h"
#include "core/dict.h"

enum {
    LETHE_SYNTH2_GIVEN = 96,
    LETHE_SYNTH2_FAMILY = 25,
    LETHE_SYNTH2_LOCAL = 8,
    LETHE_SYNTH2_SERVICES = 63,
    LETHE_SYNTH2_COMMON = 63,
    LETHE_SYNTH2_HOST_ENDS = 32,
};
extern const char *const lethe_synth2_firsts[LETHE_SYNTH_FIRSTS];
extern const char *const lethe_synth2_relatives[LETHE_SYNTH_RELATIVES];
extern const char *const lethe_synth2_given[LETHE_SYNTH2_GIVEN];
extern const char *const lethe_synth2_surnames[LETHE_SYNTH_SURNAMES];
extern const char *const lethe_synth2_others[LETHE_SYNTH_SURNAMES];
extern const char *const lethe_synth2_towns[LETHE_SYNTH_TOWNS];
extern const char *const lethe_synth2_host_ends[LETHE_SYNTH2_HOST_ENDS];
extern const char *const lethe_synth2_family[LETHE_SYNTH2_FAMILY];
extern const char *const lethe_synth2_local[LETHE_SYNTH2_LOCAL];
extern const char *const lethe_synth2_services[LETHE_SYNTH2_SERVICES];
extern const char *const lethe_synth2_common[LETHE_SYNTH2_COMMON];

/* Kinds of things that people ask about. */
typedef enum lethe_synth2_kind {
    LETHE_ABOUT_NOTHING,
    LETHE_ABOUT_ANIMAL,
    LETHE_ABOUT_PLANT,
    LETHE_ABOUT_FOOD,
    LETHE_ABOUT_ILLNESS,
    LETHE_ABOUT_MEDICINE,
    LETHE_ABOUT_SURGERY,
    LETHE_ABOUT_BODY,
    LETHE_ABOUT_PLACE,
    LETHE_ABOUT_GOODS,
    LETHE_ABOUT_VEHICLE,
    LETHE_ABOUT_CLOTHES,
    LETHE_ABOUT_MUSIC,
    LETHE_ABOUT_SPORT,
    LETHE_ABOUT_JOB,
    LETHE_ABOUT_FAMOUS,
    LETHE_ABOUT_MONEY,
    LETHE_ABOUT_EVENT,
    LETHE_ABOUT_READING,
    LETHE_ABOUT_STUDY,
    LETHE_ABOUT_BUSINESS,
    LETHE_ABOUT_SUBSTANCE,
    LETHE_ABOUTS
} lethe_synth2_kind;
extern const lethe_synth_root lethe_synth2_roots[];

/* How people ask about things of a kind: in a word or two, or with stop words.  Lists end with
 * NULL. */
typedef struct lethe_synth2_phrases {
    const char *const *adjectives, *const *terse, *const *wordy;
} lethe_synth2_phrases;
extern const lethe_synth2_phrases lethe_synth2_about[LETHE_ABOUTS];

/* --- texts --- */

void lethe_synth2_town(uint32_t town, lethe_synth_pen *p);
const char *lethe_synth2_state(uint32_t town, uint32_t state);
void lethe_synth2_surname(uint32_t surname, bool planted, lethe_synth_pen *p);

/* A word of a topic, in words[]: as a rule a common one, or any. */
uint32_t lethe_synth2_noun(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                           bool any);
/* What somebody who lives in `town` asks about a word of a topic. */
void lethe_synth2_text_about(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                             uint32_t noun, uint32_t town, lethe_synth_pen *p);
void lethe_synth2_text_popular(const lethe_synth_world *w, lethe_synth_draw *d, lethe_synth_pen *p,
                               lethe_synth_text *t);
void lethe_synth2_text_head(lethe_synth_draw *d, lethe_synth_pen *p);
void lethe_synth2_text_site(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t noun,
                            lethe_synth_pen *p);
void lethe_synth2_text_local(lethe_synth_draw *d, uint32_t town, lethe_synth_pen *p);
void lethe_synth2_text_family(lethe_synth_draw *d, uint32_t surname, uint32_t town,
                              lethe_synth_pen *p);
/* `text` with a word more, or without its first or last; false: too long, or too short. */
bool lethe_synth2_text_longer(lethe_synth_draw *d, lethe_str text, uint32_t town,
                              lethe_synth_pen *p);
bool lethe_synth2_text_shorter(lethe_synth_draw *d, lethe_str text, lethe_synth_pen *p);

/* --- results --- */

/* What the engine makes of a text, which must outlive it; and the URL of its result at a rank from
 * 1 to n_results.  Both follow from the text alone: everybody is shown the same. */
lethe_synth_answers lethe_synth2_ask(lethe_str text);
void lethe_synth2_result(const lethe_synth_answers *a, uint32_t rank, lethe_synth_pen *p);

#endif
