/* SPDX-License-Identifier: Apache-2.0 */
/* function_words.c - see the header.
 *
 * Where a word of a closed class is also a word of content, what queries mostly mean by it decides.
 * So *can*, *must*, *might* and *will* are auxiliaries, *us* and *me* pronouns, *in* and *or*
 * no states, *it* is no technology.  Not in the list are *may*, which in queries is the month and a
 * name, *mine* (gold), *down* (comforter, syndrome), *being* (well-), *inside* and *outside*,
 * *past*, *plus*, *minus*, *round*, *worth*, *self*, *need* and *dare*; numbers (*one*), letters
 * but *a* and *i*, and adverbs. */
#include "text/function_words.h"

/* In order of bytes. */
static const char *const words[] = {
    "a",         "about",      "above",     "across",    "after",     "against",    "ain't",
    "aint",      "all",        "along",     "alongside", "although",  "am",         "amid",
    "amidst",    "among",      "amongst",   "an",        "and",       "another",    "any",
    "anybody",   "anyone",     "anything",  "are",       "aren't",    "arent",      "around",
    "as",        "at",         "atop",      "be",        "because",   "been",       "before",
    "behind",    "below",      "beneath",   "beside",    "besides",   "between",    "beyond",
    "both",      "but",        "by",        "can",       "can't",     "cannot",     "cant",
    "could",     "couldn't",   "couldnt",   "despite",   "did",       "didn't",     "didnt",
    "do",        "does",       "doesn't",   "doesnt",    "doing",     "don't",      "dont",
    "during",    "each",       "either",    "every",     "everybody", "everyone",   "everything",
    "except",    "few",        "for",       "from",      "had",       "hadn't",     "hadnt",
    "has",       "hasn't",     "hasnt",     "have",      "haven't",   "havent",     "having",
    "he",        "he'd",       "he'll",     "he's",      "her",       "here",       "here's",
    "hers",      "herself",    "him",       "himself",   "his",       "how",        "how'd",
    "how's",     "however",    "hows",      "i",         "i'd",       "i'll",       "i'm",
    "i've",      "if",         "in",        "into",      "is",        "isn't",      "isnt",
    "it",        "it'd",       "it'll",     "it's",      "its",       "itself",     "ive",
    "least",     "less",       "lest",      "like",      "many",      "me",         "might",
    "mightn't",  "more",       "most",      "much",      "must",      "mustn't",    "my",
    "myself",    "near",       "neither",   "never",     "no",        "nobody",     "none",
    "noone",     "nor",        "not",       "nothing",   "now",       "of",         "off",
    "on",        "once",       "onto",      "or",        "other",     "others",     "ought",
    "our",       "ours",       "ourselves", "out",       "over",      "per",        "several",
    "shall",     "shan't",     "she",       "she'd",     "she'll",    "she's",      "should",
    "shouldn't", "shouldnt",   "since",     "so",        "some",      "somebody",   "someone",
    "something", "such",       "than",      "that",      "that'll",   "that's",     "thats",
    "the",       "thee",       "their",     "theirs",    "them",      "themselves", "then",
    "there",     "there's",    "theres",    "these",     "they",      "they'd",     "they'll",
    "they're",   "they've",    "theyre",    "this",      "those",     "thou",       "though",
    "through",   "throughout", "thy",       "till",      "to",        "toward",     "towards",
    "under",     "underneath", "unless",    "until",     "unto",      "up",         "upon",
    "us",        "versus",     "via",       "vs",        "was",       "wasn't",     "wasnt",
    "we",        "we'd",       "we'll",     "we're",     "we've",     "were",       "weren't",
    "werent",    "what",       "what'll",   "what're",   "what's",    "what've",    "whatever",
    "whats",     "when",       "when's",    "whenever",  "whens",     "where",      "where'd",
    "where's",   "whereas",    "wheres",    "wherever",  "whether",   "which",      "whichever",
    "while",     "whilst",     "who",       "who'd",     "who'll",    "who're",     "who's",
    "who've",    "whoever",    "whom",      "whomever",  "whos",      "whose",      "why",
    "why's",     "whys",       "will",      "with",      "within",    "without",    "won't",
    "wont",      "would",      "wouldn't",  "wouldnt",   "ye",        "yet",        "you",
    "you'd",     "you'll",     "you're",    "you've",    "your",      "youre",      "yours",
    "yourself",  "yourselves", "youve",
};

enum { LONGEST = 16 }; /* bytes; no word of the list is longer */

/* With ' for U+2019. */
static lethe_str plain(lethe_str word, char buf[LONGEST])
{
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++) {
        bool quote = word.n - i >= 3 && memcmp(word.at + i, "\xe2\x80\x99", 3) == 0;
        buf[n++] = quote ? '\'' : word.at[i];
        i += quote ? 2 : 0;
    }
    return (lethe_str){buf, n};
}

bool lethe_is_function_word(lethe_str word)
{
    char buf[LONGEST];
    size_t low = 0, high = LETHE_COUNT(words);
    if (word.n > LONGEST) return false;
    word = plain(word, buf);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = lethe_str_cmp(word, lethe_str_of(words[middle]));
        if (c == 0) return true;
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
