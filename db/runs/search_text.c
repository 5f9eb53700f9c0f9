/* The text of the search index and the expressions that search it. FTS5's trigram tokenizer indexes every three
 * adjacent characters, so it finds any substring of three characters or more. To find shorter ones at the beginning of
 * a word, two marker characters and the first two characters of each word are appended to the text: for "night", MARK
 * MARK n i. A search for "n" then is a search for the trigram (MARK MARK n), and one for "ni" is a search for (MARK n
 * i).
 */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MARK = '\1', TRIGRAM = 3 };
/* How many bytes of a text are indexed. */
enum { TEXT_MAX_BYTES = 4096 };

/* Returns the length of the UTF-8 character at `text` in bytes, 1 for an invalid one, and its code point. */
static size_t character(const unsigned char *text, uint32_t *code)
{
    *code = text[0];
    size_t length = text[0] < 0xc0 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (length == 1)
        return 1;
    *code &= 0xffU >> (length + 1);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 1;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return length;
}

/* Returns whether the character forms words with those next to it. Every other character counts as a word of its own:
 * punctuation, and scripts without spaces between words (Chinese, Japanese, Korean). */
static bool is_word_character(uint32_t code)
{
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return (code >= 0xc0 && code < 0x2000) || (code >= 0x2c00 && code < 0x2e00);
}

/* Returns the length of `text` cut to TEXT_MAX_BYTES at a character boundary. */
static size_t bounded(const unsigned char *text, size_t length)
{
    if (length <= TEXT_MAX_BYTES)
        return length;
    length = TEXT_MAX_BYTES;
    while (length > 0 && (text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

char *lab_searchable(const char *from)
{
    const unsigned char *text = (const unsigned char *)from;
    size_t length = bounded(text, strlen(from));
    /* Two marks, the character and the next one for each character suffice where every one is a word. */
    char *out = malloc(2 + 5 * length);
    if (out == NULL)
        return NULL;
    char *end = out + length;
    memcpy(out, text, length);
    *end++ = '\n';

    bool inside = false; /* the previous character belongs to a word */
    for (size_t at = 0, step; at < length; at += step) {
        uint32_t code, following;
        step = character(text + at, &code);
        bool continues = inside && is_word_character(code);
        inside = is_word_character(code);
        if (continues || code == '\n')
            continue;
        size_t beginning = step;
        if (at + step < length)
            beginning += character(text + at + step, &following);
        *end++ = MARK;
        *end++ = MARK;
        memcpy(end, text + at, beginning);
        end += beginning;
    }
    *end = '\0';
    return out;
}

/* Returns how many marks a search for `text` begins with, because it is shorter than a trigram. */
static size_t marks_before(const char *text)
{
    size_t characters = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0' && characters < TRIGRAM;) {
        uint32_t code;
        at += character(at, &code);
        characters++;
    }
    return TRIGRAM - characters;
}

char *lab_search_expression(const char *text)
{
    char *match = malloc(2 * strlen(text) + 3 + TRIGRAM), *end = match;
    if (match == NULL)
        return NULL;
    *end++ = '"';
    for (size_t marks = marks_before(text); marks > 0; marks--)
        *end++ = MARK;
    for (; *text != '\0'; text++) {
        if (*text == '"')
            *end++ = '"';
        *end++ = *text;
    }
    *end++ = '"';
    *end = '\0';
    return match;
}

static bool is_ascii(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0' && *at < 0x80)
        at++;
    return *at == '\0';
}

int lab_search_matches(const char *text, const char *query)
{
    if (!is_ascii(text) || !is_ascii(query))
        return -1;
    size_t marks = marks_before(query), length = strlen(query);
    if (marks == 0 && strlen(text) <= TEXT_MAX_BYTES)
        return strcasestr(text, query) != NULL;
    char *words = lab_searchable(text);
    if (words == NULL)
        return -1;
    bool found = false;
    for (const char *at = words; !found && *at != '\0'; at++)
        found = strspn(at, "\1") >= marks && strncasecmp(at + marks, query, length) == 0;
    free(words);
    return found;
}
