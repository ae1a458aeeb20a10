/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.c - derives the key, box and share of a query from the secrets of a release, and opens
 * boxes with enough shares. */
#define XXH_INLINE_ALL
#include "algo/seal/boxes.h"
#include "text/normalize.h"
#include <sodium.h>
#include <stdio.h>
#include <xxhash.h>

enum {
    KEY = LETHE_SECRET_BYTES,
    EPOCH_BYTES = 8,
    COEF_BYTES = EPOCH_BYTES + 4, /* and which one */
    LENGTH_BYTES = 8,
    ID_DIGEST = 32,
};
_Static_assert((int)LETHE_SEALED_SHARE_BYTES == (int)KEY &&
                   KEY == crypto_aead_chacha20poly1305_IETF_KEYBYTES,
               "a share is as long as a key");
_Static_assert(LETHE_SEALED_TAG == crypto_aead_chacha20poly1305_IETF_ABYTES, "the tag of a box");

static const uint8_t no_nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];

struct lethe_sealer {
    lethe_sealed_form form;
    int64_t epoch_s;
    lethe_secret *for_key, *for_index, *for_coef;
};

/* --- the secrets --- */

static lethe_err derive(const lethe_secret *key, const lethe_sealer *s, const char *purpose,
                        lethe_secret **out)
{
    char label[96];
    snprintf(label, sizeof label, "seal %s %s %u %u %lld", purpose,
             lethe_scheme_names[s->form.scheme], s->form.t, s->form.n, (long long)s->epoch_s);
    return lethe_secret_derive(key, label, out);
}

lethe_err lethe_sealer_new(const lethe_secret *key, const lethe_sealed_form *form, int64_t epoch_s,
                           lethe_sealer **out)
{
    assert(!lethe_sealed_form_fault(form) && epoch_s >= 0);
    lethe_sealer *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->form = *form;
    s->epoch_s = epoch_s;
    lethe_err e = derive(key, s, "key", &s->for_key);
    if (e == LETHE_OK) e = derive(key, s, "index", &s->for_index);
    if (e == LETHE_OK) e = derive(key, s, "coef", &s->for_coef);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_sealer_free(s);
    return e;
}

void lethe_sealer_free(lethe_sealer *s)
{
    if (!s) return;
    lethe_secret_free(s->for_key);
    lethe_secret_free(s->for_index);
    lethe_secret_free(s->for_coef);
    lethe_free(s);
}

/* floor(time / epoch_s); what has no time is in no epoch that a time can be in. */
static uint64_t epoch_of(const lethe_sealer *s, int64_t time)
{
    if (s->epoch_s == 0) return 0;
    if (time == LETHE_NO_TIME) return (uint64_t)INT64_MIN;
    int64_t q = time / s->epoch_s;
    return (uint64_t)(q - (time % s->epoch_s < 0));
}

/* --- one query --- */

/* A message is made in front of the query, which is copied but once:
 *   K_q    epoch q
 *   a_j    epoch j q      (under another secret than K_q)
 *   index  length of person, person, q
 * Everything before q has a length that is fixed or told, so no two of a kind are one text. */
typedef struct message {
    uint8_t *query; /* room for COEF_BYTES in front */
    size_t n;
    uint64_t epoch;
} message;

static lethe_str key_message(const message *m)
{
    uint8_t *at = m->query - EPOCH_BYTES;
    lethe_be64_put(at, m->epoch);
    return (lethe_str){(const char *)at, EPOCH_BYTES + m->n};
}

static void make_key(const lethe_sealer *s, const message *m, uint8_t out[KEY])
{
    lethe_secret_mac(s->for_key, key_message(m), out, KEY);
}

static lethe_str coefficient_message(const message *m, uint32_t j)
{
    uint8_t *at = m->query - COEF_BYTES;
    lethe_be64_put(at, m->epoch);
    lethe_be32_put(at + EPOCH_BYTES, j);
    return (lethe_str){(const char *)at, COEF_BYTES + m->n};
}

static void make_coefficient(const lethe_sealer *s, const message *m, uint32_t j, uint8_t out[KEY])
{
    lethe_secret_mac(s->for_coef, coefficient_message(m, j), out, KEY);
}

/* `room` takes the whole message. */
static lethe_str index_message(lethe_str person, lethe_str query, uint8_t *room)
{
    lethe_be64_put(room, person.n);
    if (person.n) memcpy(room + LENGTH_BYTES, person.at, person.n);
    memcpy(room + LENGTH_BYTES + person.n, query.at, query.n);
    return (lethe_str){(const char *)room, LENGTH_BYTES + person.n + query.n};
}

static uint8_t index_of(const lethe_sealer *s, const uint8_t mac[KEY])
{
    return (uint8_t)(1 + lethe_be64_get(mac) % s->form.n);
}

static uint8_t make_index(const lethe_sealer *s, lethe_str person, lethe_str query, uint8_t *room)
{
    uint8_t mac[KEY];
    lethe_secret_mac(s->for_index, index_message(person, query, room), mac, sizeof mac);
    uint8_t index = index_of(s, mac);
    sodium_memzero(mac, sizeof mac);
    return index;
}

/* Only the share that is wanted: Horner from a_(t-1) down, or one summand, or the rest. */
static void make_share(const lethe_sealer *s, const message *m, const uint8_t key[KEY],
                       uint8_t index, uint8_t out[KEY])
{
    uint8_t a[KEY];
    uint32_t t = s->form.t;
    if (s->form.scheme == LETHE_SCHEME_SHAMIR) {
        make_coefficient(s, m, t - 1, out);
        for (uint32_t j = t - 2; j > 0; j--) {
            make_coefficient(s, m, j, a);
            lethe_shamir_step(out, index, a);
        }
        lethe_shamir_step(out, index, key);
    } else if (index < t) {
        make_coefficient(s, m, index, out);
    } else {
        memcpy(out, key, KEY);
        for (uint32_t j = 1; j < t; j++) {
            make_coefficient(s, m, j, a);
            lethe_additive_subtract(out, a);
        }
    }
    sodium_memzero(a, sizeof a);
}

static void make_id(const uint8_t key[KEY], uint8_t id[ID_DIGEST])
{
    crypto_generichash_blake2b(id, ID_DIGEST, (const uint8_t *)"id", 2, key, KEY);
}

/* In place: room for the tag stands behind. */
static void lock_box(const uint8_t key[KEY], uint8_t *plain, size_t n_query, size_t padded)
{
    plain[n_query] = 0x80;
    memset(plain + n_query + 1, 0, padded - n_query - 1);
    crypto_aead_chacha20poly1305_ietf_encrypt(plain, NULL, plain, padded, NULL, 0, NULL, no_nonce,
                                              key);
}

static size_t hex_put(char *out, const uint8_t *in, size_t n)
{
    static const char digits[] = "0123456789abcdef"; // ids and shares are published
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[in[i] >> 4];
        out[2 * i + 1] = digits[in[i] & 15];
    }
    return 2 * n;
}

static size_t share_put(char *out, uint8_t index, const uint8_t share[KEY])
{
    size_t n = 0;
    if (index >= 100) out[n++] = (char)('0' + index / 100);
    if (index >= 10) out[n++] = (char)('0' + index / 10 % 10);
    out[n++] = (char)('0' + index % 10);
    out[n++] = ':';
    return n + hex_put(out + n, share, KEY);
}

static void base64_put(char *out, const uint8_t *in, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3, out += 4) { // a box is published too
        uint32_t v = (uint32_t)in[i] << 16;
        if (i + 1 < n) v |= (uint32_t)in[i + 1] << 8;
        if (i + 2 < n) v |= in[i + 2];
        out[0] = digits[v >> 18];
        out[1] = digits[v >> 12 & 63];
        out[2] = i + 1 < n ? digits[v >> 6 & 63] : '=';
        out[3] = i + 2 < n ? digits[v & 63] : '=';
    }
}

/* The buffer: QueryID, Share, Box, and then room to work: the query behind its prefix, which
 * becomes the box; or the message for the index. */
lethe_err lethe_seal_query(const lethe_sealer *s, lethe_str person, lethe_str query, int64_t time,
                           lethe_buf *buf, lethe_seal *out)
{
    size_t padded = lethe_sealed_padded(query.n), n_box = padded + LETHE_SEALED_TAG;
    size_t n_chars = lethe_base64_chars(n_box),
           fixed = LETHE_SEALED_ID_CHARS + LETHE_SEALED_SHARE_MAX;
    size_t work = LETHE_MAX(COEF_BYTES + n_box, LENGTH_BYTES + person.n + query.n);
    uint8_t key[KEY], share[KEY], id[ID_DIGEST];
    if (padded == 0 || query.n == 0) return LETHE_EINPUT;
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, fixed + n_chars + work));
    char *text = (char *)buf->at;
    uint8_t *room = buf->at + fixed + n_chars;
    uint8_t index = make_index(s, person, query, room);
    message m = {room + COEF_BYTES, query.n, epoch_of(s, time)};
    memcpy(m.query, query.at, query.n);
    make_key(s, &m, key);
    make_share(s, &m, key, index, share);
    make_id(key, id);
    lock_box(key, m.query, query.n, padded);
    out->id = (lethe_str){text, hex_put(text, id, LETHE_SEALED_ID_BYTES)};
    text += LETHE_SEALED_ID_CHARS;
    out->share = (lethe_str){text, share_put(text, index, share)};
    text += LETHE_SEALED_SHARE_MAX;
    base64_put(text, m.query, n_box);
    out->box = (lethe_str){text, n_chars};
    buf->n = fixed + n_chars;
    sodium_memzero(key, sizeof key);
    sodium_memzero(id, sizeof id);
    return LETHE_OK;
}

/* --- queries that come again --- */

enum {
    TEXT_MAX = 63,   /* bytes of a query that is remembered: padded to 64 at most */
    PERSON_MAX = 56, /* whose message for the index is one block then */
    BOX_MAX = TEXT_MAX + 1 + LETHE_SEALED_TAG,
    BOX_CHARS_MAX = (BOX_MAX + 2) / 3 * 4,
    LEAST_SLOTS = 1 << 8, /* enough that all of it is left out of core dumps */
    MOST_SLOTS = 1 << 16,
};

/* All of a query that does not depend on the person.  A query is where its hash says, until another
 * falls on its place. */
typedef struct sealed_text {
    uint64_t epoch;
    uint8_t n_text; /* 0: free */
    uint8_t n_box;  /* characters */
    char text[TEXT_MAX];
    char id[LETHE_SEALED_ID_CHARS];
    char box[BOX_CHARS_MAX];
    uint8_t key[KEY];
    uint8_t coefficients[]; /* shamir: a_1 to a_(t-1); additive: none, most shares need but one */
} sealed_text;

struct lethe_seal_memory {
    uint8_t *slots; /* n_slots, a power of two, of slot_bytes each */
    size_t n_slots, slot_bytes;
    void *slots_memory;
    /* the last row: one person's queries often stand together, with several clicks each */
    const sealed_text *last; /* where it is; NULL: none */
    char person[PERSON_MAX];
    size_t n_person;
    char share[LETHE_SEALED_SHARE_MAX];
    size_t n_share;
};

/* Coefficients of a query. */
static uint32_t n_remembered(const lethe_sealer *s)
{
    return s->form.scheme == LETHE_SCHEME_SHAMIR ? s->form.t - 1 : 0;
}

lethe_seal_memory *lethe_seal_memory_new(const lethe_sealer *s, size_t cap_bytes)
{
    lethe_seal_memory *m = lethe_alloc_zero(1, sizeof *m);
    if (!m) return NULL;
    size_t bytes = sizeof(sealed_text) + (size_t)n_remembered(s) * KEY;
    m->slot_bytes = (bytes + 7) & ~(size_t)7;
    m->n_slots = LEAST_SLOTS;
    while (m->n_slots < MOST_SLOTS && 2 * m->n_slots * m->slot_bytes <= cap_bytes)
        m->n_slots *= 2;
    m->slots = lethe_alloc_table(m->n_slots, m->slot_bytes, &m->slots_memory);
    if (m->slots) return m;
    lethe_free(m);
    return NULL;
}

void lethe_seal_memory_free(lethe_seal_memory *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->n_slots; i++) {
        sealed_text *slot = (sealed_text *)(void *)(m->slots + i * m->slot_bytes);
        if (slot->n_text > 0) sodium_memzero(slot, m->slot_bytes); // pages never used stay so
    }
    lethe_free(m->slots_memory);
    lethe_free(m);
}

static sealed_text *slot_of(const lethe_seal_memory *m, lethe_str query, uint64_t epoch)
{
    uint64_t hash = XXH3_64bits_withSeed(query.at, query.n, epoch);
    return (sealed_text *)(void *)(m->slots + (hash & (m->n_slots - 1)) * m->slot_bytes);
}

static bool slot_holds(const sealed_text *slot, lethe_str query, uint64_t epoch)
{
    return slot->n_text == query.n && slot->epoch == epoch &&
           memcmp(slot->text, query.at, query.n) == 0;
}

/* The key, the coefficients, and the index of the person at hand, whose message is given: four macs
 * at a time. */
static uint8_t make_secrets(const lethe_sealer *s, sealed_text *slot, lethe_str query,
                            lethe_str for_index)
{
    enum { LANES = 4, FIRST_COEF = 2 };
    uint32_t n = FIRST_COEF + n_remembered(s);
    uint8_t index = 0;
    for (uint32_t first = 0; first < n; first += LANES) {
        uint8_t work[LANES][COEF_BYTES + TEXT_MAX], macs[LANES][KEY];
        const lethe_secret *secrets[LANES];
        lethe_str texts[LANES];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t i = LETHE_MIN(first + lane, n - 1); // the last one again where there is none
            message m = {work[lane] + COEF_BYTES, query.n, slot->epoch};
            memcpy(m.query, query.at, query.n);
            secrets[lane] = i == 0 ? s->for_key : i == 1 ? s->for_index : s->for_coef;
            texts[lane] = i == 0   ? key_message(&m)
                          : i == 1 ? for_index
                                   : coefficient_message(&m, i - FIRST_COEF + 1);
        }
        lethe_secret_mac_4(secrets, texts, macs);
        for (uint32_t lane = 0; lane < LANES && first + lane < n; lane++) {
            uint32_t i = first + lane;
            if (i == 1)
                index = index_of(s, macs[lane]);
            else
                memcpy(i == 0 ? slot->key : slot->coefficients + (size_t)(i - FIRST_COEF) * KEY,
                       macs[lane], KEY);
        }
        sodium_memzero(macs, sizeof macs);
    }
    return index;
}

/* Returns the index of the person at hand. */
static uint8_t slot_fill(const lethe_sealer *s, sealed_text *slot, lethe_str query, uint64_t epoch,
                         lethe_str for_index)
{
    uint8_t box[BOX_MAX], id[ID_DIGEST];
    size_t padded = lethe_sealed_padded(query.n), n_box = padded + LETHE_SEALED_TAG;
    assert(n_box <= BOX_MAX);
    slot->epoch = epoch;
    slot->n_text = (uint8_t)query.n;
    memcpy(slot->text, query.at, query.n);
    uint8_t index = make_secrets(s, slot, query, for_index);
    make_id(slot->key, id);
    hex_put(slot->id, id, LETHE_SEALED_ID_BYTES);
    memcpy(box, query.at, query.n);
    lock_box(slot->key, box, query.n, padded);
    slot->n_box = (uint8_t)lethe_base64_chars(n_box);
    base64_put(slot->box, box, n_box);
    sodium_memzero(id, sizeof id);
    return index;
}

/* The share of that index, from what is remembered. */
static void slot_share(const lethe_sealer *s, const sealed_text *slot, uint8_t index,
                       uint8_t out[KEY])
{
    if (s->form.scheme == LETHE_SCHEME_SHAMIR) {
        lethe_shamir_share(slot->key, slot->coefficients, s->form.t, index, out);
        return;
    }
    uint8_t work[COEF_BYTES + TEXT_MAX];
    memcpy(work + COEF_BYTES, slot->text, slot->n_text);
    make_share(s, &(message){work + COEF_BYTES, slot->n_text, slot->epoch}, slot->key, index, out);
}

static bool is_last(const lethe_seal_memory *m, const sealed_text *slot, lethe_str person)
{
    return slot == m->last && lethe_str_eq((lethe_str){m->person, m->n_person}, person);
}

lethe_err lethe_seal_remembered(const lethe_sealer *s, lethe_seal_memory *m, lethe_str person,
                                lethe_str query, int64_t time, lethe_buf *buf, lethe_seal *out)
{
    if (query.n == 0 || query.n > TEXT_MAX || person.n > PERSON_MAX)
        return lethe_seal_query(s, person, query, time, buf, out);
    uint64_t epoch = epoch_of(s, time);
    sealed_text *slot = slot_of(m, query, epoch);
    bool held = slot_holds(slot, query, epoch);
    if (!held || !is_last(m, slot, person)) {
        uint8_t room[LENGTH_BYTES + PERSON_MAX + TEXT_MAX], share[KEY];
        uint8_t index = held ? make_index(s, person, query, room)
                             : slot_fill(s, slot, query, epoch, index_message(person, query, room));
        slot_share(s, slot, index, share);
        m->n_share = share_put(m->share, index, share);
        m->last = slot;
        m->n_person = person.n;
        if (person.n) memcpy(m->person, person.at, person.n);
    }
    *out = (lethe_seal){.id = {slot->id, sizeof slot->id},
                        .share = {m->share, m->n_share},
                        .box = {slot->box, slot->n_box}};
    return LETHE_OK;
}

/* --- opening --- */

bool lethe_unseal_key(const lethe_sealed_form *form, lethe_weights *w, const lethe_shares *shares,
                      const uint8_t id[LETHE_SEALED_ID_BYTES], uint8_t key[KEY])
{
    uint8_t got[ID_DIGEST];
    if (form->scheme == LETHE_SCHEME_ADDITIVE)
        lethe_additive_secret(shares->bytes, form->t, key);
    else
        lethe_shamir_value(shares->bytes, lethe_weights_at(w, shares->indices, form->t, 0), form->t,
                           key);
    make_id(key, got);
    bool is = sodium_memcmp(got, id, LETHE_SEALED_ID_BYTES) == 0;
    if (!is) sodium_memzero(key, KEY);
    sodium_memzero(got, sizeof got);
    return is;
}

bool lethe_unseal_fits(const lethe_sealed_form *form, lethe_weights *w, const lethe_shares *shares,
                       uint8_t index, const uint8_t share[KEY])
{
    uint8_t want[KEY];
    const uint8_t *known = memchr(shares->indices, index, form->t);
    if (known)
        memcpy(want, shares->bytes + (size_t)(known - shares->indices) * KEY, KEY);
    else if (form->scheme == LETHE_SCHEME_SHAMIR)
        lethe_shamir_value(shares->bytes, lethe_weights_at(w, shares->indices, form->t, index),
                           form->t, want);
    else
        return false; // all indices there are were among the t
    return sodium_memcmp(want, share, KEY) == 0;
}

/* Where the query ends in its padding: 0x80 and zeros, and no more of them than must be.
 * false: it does not. */
static bool padding_end(const uint8_t *plain, size_t padded, size_t *n_query)
{
    size_t n = padded;
    while (n > 0 && plain[n - 1] == 0)
        n--;
    if (n == 0 || plain[n - 1] != 0x80) return false;
    *n_query = n - 1;
    return lethe_sealed_padded(n - 1) == padded;
}

lethe_err lethe_unseal_box(const uint8_t key[KEY], const uint8_t *box, size_t n, lethe_buf *buf,
                           lethe_str *query, const char **cause)
{
    size_t padded = n - LETHE_SEALED_TAG, n_query;
    lethe_buf again = {0};
    lethe_str normal;
    bool invalid;
    assert(n > LETHE_SEALED_TAG);
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, padded));
    *cause = "box does not open";
    if (crypto_aead_chacha20poly1305_ietf_decrypt(buf->at, NULL, NULL, box, n, NULL, 0, no_nonce,
                                                  key) != 0)
        return LETHE_OK;
    *cause = "box has wrong padding";
    if (!padding_end(buf->at, padded, &n_query)) return LETHE_OK;
    lethe_str text = {(const char *)buf->at, n_query};
    lethe_err e = lethe_normalize(text, &again, &normal, &invalid);
    bool is = e == LETHE_OK && n_query > 0 && !invalid && lethe_str_eq(text, normal);
    lethe_buf_free(&again);
    *cause = is ? NULL : "box does not hold a query";
    if (is) *query = text;
    buf->n = is ? n_query : 0;
    return e;
}
