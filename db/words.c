/* What the search index is made of, and what it is asked. Its tokens are all three neighbouring characters of a text, so a
 * phrase of them finds any part of a text that has three characters or more. For the shorter ones each word's beginning
 * stands behind the text once more, behind two marks: MARK MARK n i. Then "n" is the token (MARK MARK n) and "ni" the token
 * (MARK n i), and both are found as fast as anything else, at the beginning of a word.
 */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MARK = '\1', MATCHED_AT_LEAST = 3 };
/* Of a text longer than this, the rest is not searched by. */
enum { TEXT_MAX_BYTES = 4096 };

/* Bytes of the UTF-8 character at `text`, 1 where it is none, and its code point. */
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

/* Letters and digits that form words with their neighbours. Each other character is taken as a word: punctuation, and what is
 * written without spaces between words (Chinese, Japanese, Korean). */
static bool joins(uint32_t code)
{
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return (code >= 0xc0 && code < 0x2000) || (code >= 0x2c00 && code < 0x2e00);
}

/* `out` has room for 1 + 5 * length bytes: the text, and where each of its characters is a word, two marks, that character and
 * the one behind it. */
static size_t searchable(const unsigned char *text, size_t length, char *out)
{
    size_t size = length;
    memcpy(out, text, length);
    out[size++] = '\n';

    bool inside = false; /* of a word */
    for (size_t at = 0, step; at < length; at += step) {
        uint32_t code, following;
        step = character(text + at, &code);
        bool goes_on = inside && joins(code);
        inside = joins(code);
        if (goes_on || code == '\n')
            continue;
        size_t beginning = step;
        if (at + step < length)
            beginning += character(text + at + step, &following);
        out[size++] = MARK;
        out[size++] = MARK;
        memcpy(out + size, text + at, beginning);
        size += beginning;
    }
    return size;
}

/* The most bytes of `text` up to TEXT_MAX_BYTES that end with a character. */
static size_t bounded(const unsigned char *text, size_t length)
{
    if (length <= TEXT_MAX_BYTES)
        return length;
    length = TEXT_MAX_BYTES;
    while (length > 0 && (text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

static void searchable_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const unsigned char *text = sqlite3_value_text(values[0]);
    if (text == NULL)
        return;
    size_t length = bounded(text, (size_t)sqlite3_value_bytes(values[0]));
    char *out = malloc(1 + 5 * length);
    if (out == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text64(context, out, searchable(text, length, out), free, SQLITE_UTF8);
}

bool lab_words_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "searchable", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                      searchable_function, NULL, NULL, NULL) == SQLITE_OK;
}

char *lab_words_match(const char *text)
{
    size_t characters = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0' && characters < MATCHED_AT_LEAST;) {
        uint32_t code;
        at += character(at, &code);
        characters++;
    }

    char *match = malloc(2 * strlen(text) + 5), *end = match;
    if (match == NULL)
        return NULL;
    *end++ = '"';
    for (; characters < MATCHED_AT_LEAST; characters++)
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
