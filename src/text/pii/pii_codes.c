/* SPDX-License-Identifier: Apache-2.0 */
/* Codes with digits and letters that belong to one person: IBAN, national identifiers, dates of
 * birth, number plates.
 *
 * Identifiers count where a check digit holds that a number made up would rarely meet, or, where it
 * is too weak for that, behind a word that says what they are.  The anchor of all is a digit. */
#include "text/pii/names_internal.h"

enum {
    CONTEXT_WORDS = 4, /* words before a code that may say what it is */
    CONTEXT_MAX = 20,  /* bytes of such a word */
    APART_MAX = 4,     /* signs between two of them */
    DIGITS_MAX = 16,
    IBAN_MAX = 34,
};

typedef struct span {
    size_t at, end; /* end 0: there is none */
} span;
static const span none = {0, 0};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }
static bool letter_at(const lethe_pii_view *v, size_t i)
{
    return lethe_pii_letter(lethe_pii_at(v, i));
}
static char lower_at(const lethe_pii_view *v, size_t i) { return lower(lethe_pii_at(v, i)); }

/* Letters that stand right before `i`, up to `max`, where a word begins with them; else 0. */
static size_t letters_before(const lethe_pii_view *v, size_t i, size_t max)
{
    size_t n = 0;
    while (n <= max && lethe_pii_letter(lethe_pii_before(v, i - n)))
        n++;
    return n <= max && !lethe_pii_wordy(lethe_pii_before(v, i - n)) ? n : 0;
}
static bool word_ends(const lethe_pii_view *v, size_t i)
{
    return !lethe_pii_wordy(lethe_pii_at(v, i));
}

/* --- context --- */

static bool is_one_of(const char *p, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && memcmp(*words, p, n) == 0) return true;
    return false;
}

/* Is one of the words among the last four before `i`, or the first behind `end`?  Masks are not
 * passed. */
static bool has_context(const lethe_pii_view *v, size_t i, size_t end, const char *const *words)
{
    size_t k = i;
    for (int word = 0; word < CONTEXT_WORDS; word++) {
        size_t stop = k;
        while (k > v->lo && stop - k < APART_MAX && !lethe_pii_wordy(v->p[k - 1]) &&
               v->p[k - 1] != ']')
            k--;
        size_t last = k;
        while (k > v->lo && last - k <= CONTEXT_MAX && lethe_pii_wordy(v->p[k - 1]))
            k--;
        if (last == k || last - k > CONTEXT_MAX) break;
        if (is_one_of(v->p + k, last - k, words)) return true;
    }
    if (lethe_pii_at(v, end) != ' ') return false;
    k = end + 1;
    while (k < v->n && k - end <= CONTEXT_MAX && lethe_pii_wordy(v->p[k]))
        k++;
    return is_one_of(v->p + end + 1, k - end - 1, words);
}

/* --- digits --- */

/* The digits from `i` on, with one of `signs` between two of them or none; returns how many, and
 * where they end.  More than DIGITS_MAX: 0. */
static size_t read_digits(const lethe_pii_view *v, size_t i, const char *signs,
                          char out[DIGITS_MAX], size_t *end)
{
    size_t n = 0;
    for (;;) {
        for (; lethe_pii_digit(lethe_pii_at(v, i)); i++) {
            if (n == DIGITS_MAX) return 0;
            out[n++] = v->p[i];
        }
        char c = lethe_pii_at(v, i);
        *end = i;
        if (c == '\0' || !strchr(signs, c) || !lethe_pii_digit(lethe_pii_at(v, i + 1))) return n;
        i++;
    }
}

static uint64_t value(const char *digits, size_t n)
{
    uint64_t x = 0;
    for (size_t k = 0; k < n; k++)
        x = x * 10 + (uint64_t)(digits[k] - '0');
    return x;
}

/* The sum of digits, each with its weight. */
static unsigned weighed(const char *digits, const char *weights)
{
    unsigned sum = 0;
    for (size_t k = 0; weights[k]; k++)
        sum += (unsigned)(digits[k] - '0') * (unsigned)(weights[k] - '0');
    return sum;
}

static bool is_day(uint64_t month, uint64_t day)
{
    static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

/* --- IBAN --- */

/* ISO 13616: the number of characters by country. */
static const struct country {
    char code[3];
    uint8_t n;
} countries[] = {
    {"ad", 24}, {"ae", 23}, {"al", 28}, {"at", 20}, {"az", 28}, {"ba", 20}, {"be", 16}, {"bg", 22},
    {"bh", 22}, {"br", 29}, {"by", 28}, {"ch", 21}, {"cr", 22}, {"cy", 28}, {"cz", 24}, {"de", 22},
    {"dk", 18}, {"do", 28}, {"ee", 20}, {"eg", 29}, {"es", 24}, {"fi", 18}, {"fo", 18}, {"fr", 27},
    {"gb", 22}, {"ge", 22}, {"gi", 23}, {"gl", 18}, {"gr", 27}, {"gt", 28}, {"hr", 21}, {"hu", 28},
    {"ie", 22}, {"il", 23}, {"iq", 23}, {"is", 26}, {"it", 27}, {"jo", 30}, {"kw", 30}, {"kz", 20},
    {"lb", 28}, {"lc", 32}, {"li", 21}, {"lt", 20}, {"lu", 20}, {"lv", 21}, {"mc", 27}, {"md", 24},
    {"me", 22}, {"mk", 19}, {"mr", 27}, {"mt", 31}, {"mu", 30}, {"nl", 18}, {"no", 15}, {"pk", 24},
    {"pl", 28}, {"ps", 29}, {"pt", 25}, {"qa", 29}, {"ro", 24}, {"rs", 22}, {"sa", 24}, {"sc", 31},
    {"se", 24}, {"si", 19}, {"sk", 24}, {"sm", 27}, {"tn", 24}, {"tr", 26}, {"ua", 29}, {"va", 22},
    {"vg", 24}, {"xk", 20},
};

static size_t iban_length(const char code[2])
{
    for (size_t k = 0; k < LETHE_COUNT(countries); k++)
        if (memcmp(countries[k].code, code, 2) == 0) return countries[k].n;
    return 0;
}

/* ISO 7064, mod 97-10: the first four characters come last, and letters are 10 to 35. */
static bool iban_holds(const char *c, size_t n)
{
    uint32_t rest = 0;
    for (size_t k = 0; k < n; k++) {
        char x = c[(k + 4) % n];
        rest = lethe_pii_digit(x) ? rest * 10 + (uint32_t)(x - '0')
                                  : rest * 100 + (uint32_t)(x - 'a') + 10;
        rest %= 97;
    }
    return rest == 1;
}

/* gb82west12345698765432, gb82 west 1234 5698 7654 32: the anchor is the first check digit. */
static span iban(const lethe_pii_view *v, size_t i)
{
    char c[IBAN_MAX];
    if (letters_before(v, i, 2) != 2 || !lethe_pii_digit(lethe_pii_at(v, i + 1))) return none;
    size_t k = i - 2, n = 0;
    c[0] = lower(v->p[k]);
    c[1] = lower(v->p[k + 1]);
    size_t length = iban_length(c);
    for (; n < length && lethe_pii_alnum(lethe_pii_at(v, k)); n++) {
        c[n] = lower(v->p[k++]);
        char sign = lethe_pii_at(v, k);
        k += n >= 3 && n + 1 < length && (sign == ' ' || sign == '-');
    }
    if (length == 0 || n < length || !word_ends(v, k) || !iban_holds(c, length)) return none;
    return (span){i - 2, k};
}

/* --- national identifiers --- */

/* United Kingdom, National Insurance number: ab 12 34 56 c.  Letters that are never given:
 * HMRC, National Insurance Manual NIM39110.  A word, a date and an article look alike (on 12-25-04
 * a): a usual word needs a context. */
static span nino(const lethe_pii_view *v, size_t i)
{
    static const char *const never[] = {"bg", "gb", "kn", "nk", "nt", "tn", "zz", NULL};
    static const char *const context[] = {"insurance", "nino", "ni", NULL};
    char digits[DIGITS_MAX], prefix[2];
    size_t space = lethe_pii_before(v, i) == ' ', at = i - space, end;
    if (letters_before(v, at, 2) != 2 || read_digits(v, i, " -", digits, &end) != 6) return none;
    at -= 2;
    prefix[0] = lower(v->p[at]);
    prefix[1] = lower(v->p[at + 1]);
    if (strchr("dfiquv", prefix[0]) || strchr("dfiquvo", prefix[1])) return none;
    if (is_one_of(prefix, 2, never)) return none;
    end += lethe_pii_at(v, end) == ' ';
    char last = lower_at(v, end);
    if (last < 'a' || last > 'd' || !word_ends(v, end + 1)) return none;
    const lethe_name_profile *word = space ? lethe_name_look_up(prefix, 2) : NULL;
    bool usual = word && word->level[LETHE_NAME_WORD] >= LETHE_NAME_USUAL;
    return !usual || has_context(v, at, end + 1, context) ? (span){at, end + 1} : none;
}

/* Spain: DNI 12345678z, 12.345.678-z; NIE x1234567l.  The letter is the number mod 23. */
static span dni(const lethe_pii_view *v, size_t i)
{
    char digits[DIGITS_MAX];
    size_t end, at = i, hyphen = lethe_pii_before(v, i) == '-', n;
    char first = lower(lethe_pii_before(v, i - hyphen));
    bool nie = first >= 'x' && first <= 'z' && letters_before(v, i - hyphen, 1) == 1;
    if (!nie && lethe_pii_wordy(lethe_pii_before(v, i))) return none;
    n = read_digits(v, i, ".", digits, &end);
    if (n != (nie ? 7u : 8u)) return none;
    uint64_t number = value(digits, n) + (nie ? (uint64_t)(first - 'x') * 10000000 : 0);
    if (nie) at = i - hyphen - 1;
    end += lethe_pii_at(v, end) == '-';
    if (lower_at(v, end) != "trwagmyfpdxbnjzsqvhlcke"[number % 23]) return none;
    return word_ends(v, end + 1) ? (span){at, end + 1} : none;
}

/* Italy, codice fiscale: rssmra85t10a562s.  The last letter is the sum of the others, where those
 * in odd places count by a table (decree of 23 December 1976). */
static span codice_fiscale(const lethe_pii_view *v, size_t i)
{
    static const char form[] = "llllllddlddldddl";
    static const uint8_t odd[] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                  20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    unsigned sum = 0;
    if (letters_before(v, i, 6) != 6) return none;
    size_t at = i - 6;
    for (size_t k = 0; k < 16; k++) {
        char c = lower_at(v, at + k);
        bool digit = lethe_pii_digit(c);
        if (form[k] == 'd' ? !digit : !lethe_pii_letter(c)) return none;
        unsigned x = (unsigned)(digit ? c - '0' : c - 'a');
        if (k < 15) sum += k % 2 == 0 ? odd[x] : x;
    }
    bool holds = lower_at(v, at + 15) == (char)('a' + sum % 26);
    return holds && word_ends(v, at + 16) ? (span){at, at + 16} : none;
}

/* France, NIR: sex, year, month, place, number and key, 15 digits. */
static bool is_nir(const char *d, size_t n)
{
    if (n != 15 || !strchr("123478", d[0])) return false;
    uint64_t month = value(d + 3, 2);
    if (!(month >= 1 && month <= 12) && month != 20 && !(month >= 30 && month <= 42)) return false;
    return value(d + 13, 2) == 97 - value(d, 13) % 97;
}

/* Germany, Steuer-ID: 11 digits, of the first ten one twice or three times and no other more than
 * once; the last by ISO 7064, mod 11,10. */
static bool is_steuer_id(const char *d, size_t n)
{
    unsigned count[10] = {0}, repeated = 0, product = 10;
    if (n != 11 || d[0] == '0') return false;
    for (size_t k = 0; k < 10; k++) {
        unsigned sum = ((unsigned)(d[k] - '0') + product) % 10;
        product = (sum ? sum : 10) * 2 % 11;
        count[d[k] - '0']++;
    }
    for (int k = 0; k < 10; k++) {
        if (count[k] > 3) return false;
        repeated += count[k] > 1;
    }
    return repeated == 1 && (unsigned)(d[10] - '0') == (11 - product) % 10;
}

/* Poland, PESEL: date of birth (the century in the month), number, check digit. */
static bool is_pesel(const char *d, size_t n)
{
    if (n != 11 || !is_day(value(d + 2, 2) % 20, value(d + 4, 2))) return false;
    return (weighed(d, "1379137913") + (unsigned)(d[10] - '0')) % 10 == 0;
}

/* The Netherlands, BSN: nine digits that meet the test of eleven. */
static bool is_bsn(const char *d, size_t n)
{
    return n == 9 && (weighed(d, "98765432") + 10u * 11 - (unsigned)(d[8] - '0')) % 11 == 0;
}

/* England, NHS number: ten digits, the last by mod 11. */
static bool is_nhs(const char *d, size_t n)
{
    if (n != 10) return false;
    unsigned ten = 10 * (unsigned)(d[0] - '0'),
             check = 11 - (ten + weighed(d + 1, "98765432")) % 11;
    return check != 10 && check % 11 == (unsigned)(d[9] - '0');
}

/* Sweden, personnummer: date of birth, '-' or '+', four digits; Luhn's check digit over ten. */
static span personnummer(const lethe_pii_view *v, size_t i)
{
    char date[DIGITS_MAX], serial[DIGITS_MAX];
    size_t end, n = read_digits(v, i, "", date, &end), century = n == 8 ? 2 : 0;
    const char *day = date + century;
    char sign = lethe_pii_at(v, end);
    unsigned sum = 0;
    if ((n != 6 && n != 8) || (sign != '-' && sign != '+')) return none;
    if (read_digits(v, end + 1, "", serial, &end) != 4) return none;
    if (!is_day(value(day + 2, 2), value(day + 4, 2))) return none;
    for (size_t k = 0; k < 10; k++) {
        unsigned x = (unsigned)((k < 6 ? day[k] : serial[k - 6]) - '0') * (k % 2 == 0 ? 2 : 1);
        sum += x > 9 ? x - 9 : x;
    }
    return sum % 10 == 0 ? (span){i, end} : none;
}

/* Those of digits alone. */
static span digit_id(const lethe_pii_view *v, size_t i)
{
    static const char *const nhs[] = {"nhs", NULL}, *const bsn[] = {"bsn", "burgerservicenummer",
                                                                    "sofinummer", NULL};
    char d[DIGITS_MAX];
    size_t end, n = read_digits(v, i, " -", d, &end);
    bool row = end - i == n, holds = is_nir(d, n) || (row && is_pesel(d, n));
    if (n == 0) return none;
    holds = holds || ((row || lethe_pii_at(v, i + 2) == ' ') && is_steuer_id(d, n));
    holds = holds || (is_nhs(d, n) && has_context(v, i, end, nhs));
    holds = holds || (is_bsn(d, n) && has_context(v, i, end, bsn));
    return holds ? (span){i, end} : personnummer(v, i);
}

static span national_id(const lethe_pii_view *v, size_t i)
{
    span s = nino(v, i);
    if (s.end == 0) s = dni(v, i);
    if (s.end == 0) s = codice_fiscale(v, i);
    if (s.end > 0) return s;
    if (!lethe_pii_stands_from(v, i)) return none;
    s = digit_id(v, i);
    return s.end > 0 && lethe_pii_stands_to(v, s.end) ? s : none;
}

/* --- dates of birth --- */

static const char *const births[] = {
    "born",       "birth",     "dob",       "birthday",      "birthdays", "birthdate",
    "bday",       "geboren",   "geb",       "geburtsdatum",  "nacido",    "nacida",
    "nacimiento", "naissance", "n\xC3\xA9", "n\xC3\xA9\x65", NULL};

/* 1 to 12 for the name of a month or its first three letters (sept too); 0: none. */
static uint64_t month_of(const char *p, size_t n)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    for (unsigned k = 0; k < 12; k++) {
        size_t whole = strlen(months[k]);
        bool brief = n == 3 || (n == 4 && k == 8);
        if ((n == whole || brief) && memcmp(months[k], p, n) == 0) return k + 1;
    }
    return 0;
}

/* Up to `max` digits at `i` as a number; *end is where they end. */
static size_t read_number(const lethe_pii_view *v, size_t i, size_t max, uint64_t *x, size_t *end)
{
    size_t n = 0;
    while (n <= max && lethe_pii_digit(lethe_pii_at(v, i + n)))
        n++;
    *end = i + n;
    *x = n > 0 && n <= max ? value(v->p + i, n) : 0;
    return n <= max ? n : 0;
}

static bool is_birth_year(uint64_t year, size_t digits)
{
    return digits == 2 || (digits == 4 && year >= 1850 && year < 2100);
}

/* 3/12/1970, 12.3.70, 1970-03-12 */
static span numeric_date(const lethe_pii_view *v, size_t i)
{
    uint64_t x[3];
    size_t n[3], end = i;
    char sign = '\0';
    for (int k = 0; k < 3; k++) {
        n[k] = read_number(v, end, 4, &x[k], &end);
        if (n[k] == 0) return none;
        if (k == 2) break;
        char c = lethe_pii_at(v, end);
        if ((c != '/' && c != '.' && c != '-') || (k == 1 && c != sign)) return none;
        sign = c;
        end++;
    }
    bool first = n[0] == 4;
    if (n[1] > 2 || !is_birth_year(first ? x[0] : x[2], first ? n[0] : n[2])) return none;
    if (first ? n[2] > 2 : n[0] > 2) return none;
    if (first ? !is_day(x[1], x[2]) : !is_day(x[1], x[0]) && !is_day(x[0], x[1])) return none;
    return (span){i, end};
}

static size_t skip(const lethe_pii_view *v, size_t i, const char *word)
{
    size_t n = strlen(word);
    return v->n - LETHE_MIN(v->n, i) >= n && memcmp(v->p + i, word, n) == 0 ? i + n : i;
}

/* Behind the day of a month: st, nd, rd, th. */
static size_t skip_ordinal(const lethe_pii_view *v, size_t i)
{
    static const char *const ends[] = {"st", "nd", "rd", "th"};
    for (size_t k = 0; k < LETHE_COUNT(ends); k++)
        if (skip(v, i, ends[k]) > i) return i + 2;
    return i;
}

/* 12 march 1970, 12th of march, 1970; march 12 1970, march 12th, 1970 */
static span named_date(const lethe_pii_view *v, size_t i)
{
    uint64_t day, year, month;
    size_t k, at = i;
    if (read_number(v, i, 2, &day, &k) == 0) return none;
    k = skip_ordinal(v, k);
    size_t word = at;
    while (word > v->lo + 1 && at - word < 11 && lethe_pii_letter(v->p[word - 2]))
        word--;
    month = lethe_pii_before(v, at) == ' ' && at > word ? month_of(v->p + word - 1, at - word) : 0;
    if (month > 0 && !lethe_pii_wordy(lethe_pii_before(v, word - 1))) {
        at = word - 1;
    } else {
        k = skip(v, skip(v, k, " "), "of ");
        size_t end = k;
        while (end - k < 10 && letter_at(v, end))
            end++;
        month = end > k ? month_of(v->p + k, end - k) : 0;
        k = end;
    }
    if (!is_day(month, day)) return none;
    k = skip(v, skip(v, k, ","), " ");
    size_t n = read_number(v, k, 4, &year, &k);
    return n == 4 && is_birth_year(year, n) ? (span){at, k} : none;
}

/* What stands right before a date and is more than a word: "nato" alone is the alliance. */
static bool says_born(const lethe_pii_view *v, size_t i)
{
    static const char *const phrases[] = {"d.o.b ",  "d.o.b:",   "d.o.b: ",  "d.o.b. ",
                                          "d.o.b.:", "d.o.b.: ", "nato il ", "nata il "};
    for (size_t k = 0; k < LETHE_COUNT(phrases); k++) {
        size_t n = strlen(phrases[k]);
        if (i - v->lo >= n && memcmp(v->p + i - n, phrases[k], n) == 0) return true;
    }
    return false;
}

static span birth(const lethe_pii_view *v, size_t i)
{
    if (lethe_pii_wordy(lethe_pii_before(v, i))) return none;
    span s = numeric_date(v, i);
    if (s.end == 0) s = named_date(v, i);
    if (s.end == 0 || !word_ends(v, s.end) || !lethe_pii_stands_from(v, s.at)) return none;
    if (!lethe_pii_stands_to(v, s.end)) return none;
    return says_born(v, s.at) || has_context(v, s.at, s.end, births) ? s : none;
}

/* --- number plates --- */

static const char *const plates[] = {"plate",         "plates",       "numberplate", "reg",
                                     "rego",          "registration", "vehicle",     "kennzeichen",
                                     "nummernschild", "vrm",          "dvla",        NULL};
static const char *const german_plates[] = {"plate",       "plates",        "numberplate",
                                            "kennzeichen", "nummernschild", NULL};

/* United Kingdom since 2001: two letters, two digits for half a year (02 to 49, 51 to 99), three
 * letters.  With a space a district or a part and an abbreviation look alike (sw19 kfc, rj45 utp),
 * as do parts that end in a word (sr20det): those need a context. */
static span british_plate(const lethe_pii_view *v, size_t i)
{
    size_t k = i + 2, at = i - 2;
    if (letters_before(v, i, 2) != 2 || !lethe_pii_digit(lethe_pii_at(v, i + 1))) return none;
    if (value(v->p + i, 2) % 50 < 1 || value(v->p + i, 2) == 1) return none;
    if (strchr("iqz", lower(v->p[at])) || strchr("iqz", lower(v->p[at + 1]))) return none;
    k += lethe_pii_at(v, k) == ' ';
    char mark[3];
    for (size_t n = 0; n < 3; n++) {
        if (!letter_at(v, k + n) || strchr("iq", lower_at(v, k + n))) return none;
        mark[n] = lower_at(v, k + n);
    }
    if (!word_ends(v, k + 3)) return none;
    const lethe_name_profile *word = lethe_name_look_up(mark, 3);
    bool known = word && (word->level[LETHE_NAME_WORD] > 0 || word->level[LETHE_NAME_GIVEN] > 0);
    bool told = (k == i + 2 && !known) || has_context(v, at, k + 3, plates);
    return told ? (span){at, k + 3} : none;
}

/* Germany: one to three letters for the place, one or two, up to four digits: b-mw 1234, b mw 1234.
 * Too much else has this form (wi-fi 6): a word must say so. */
static span german_plate(const lethe_pii_view *v, size_t i)
{
    uint64_t number;
    size_t end, k = i - (lethe_pii_before(v, i) == ' ' || lethe_pii_before(v, i) == '-');
    if (read_number(v, i, 4, &number, &end) == 0 || v->p[i] == '0') return none;
    size_t mark = letters_before(v, k, 2);
    char sign = lethe_pii_before(v, k - mark);
    if (mark == 0 || (sign != ' ' && sign != '-')) return none;
    size_t place = letters_before(v, k - mark - 1, 3), at = k - mark - 1 - place;
    end += lower_at(v, end) == 'e' || lower_at(v, end) == 'h';
    if (place == 0 || !word_ends(v, end)) return none;
    return has_context(v, at, end, german_plates) ? (span){at, end} : none;
}

static span plate(const lethe_pii_view *v, size_t i)
{
    span s = british_plate(v, i);
    return s.end > 0 ? s : german_plate(v, i);
}

bool lethe_pii_codes(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    static const struct {
        lethe_pii kind;
        span (*find)(const lethe_pii_view *, size_t);
    } codes[] = {{LETHE_PII_IBAN, iban},
                 {LETHE_PII_ID, national_id},
                 {LETHE_PII_BIRTH, birth},
                 {LETHE_PII_PLATE, plate}};
    bool any = false;
    for (size_t k = 0; k < LETHE_COUNT(codes); k++) {
        if (!(v->kinds >> codes[k].kind & 1)) continue;
        span s = codes[k].find(v, i);
        if (s.end == 0) continue;
        lethe_finding f = {s.at, s.end - s.at, codes[k].kind};
        lethe_pii_offer(out, &any, &f);
    }
    return any;
}
