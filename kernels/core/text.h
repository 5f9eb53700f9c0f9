/* Functions for UTF-8 text and JSON pointers. They make text valid that came from outside, or that was cut at some
 * byte, before it is written into a JSON document. Lengths that users see are counted in characters, not bytes.
 *
 * A valid character is one of RFC 3629: no overlong form, no surrogate (U+D800 to U+DFFF), nothing above U+10FFFF.
 */
#ifndef LAB_TEXT_H
#define LAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes (1 to 4) of the character at the beginning of the `size` bytes at `text`; 0 if they do
 * not begin with a complete, valid character. A NUL byte is a character of one byte. */
size_t lab_utf8_length(const char *text, size_t size);

/* Whether all `size` bytes at `text` belong to valid characters. */
bool lab_utf8_is_valid(const char *text, size_t size);

/* The number of characters in `size` bytes of a valid text. */
size_t lab_utf8_count(const char *text, size_t size);

/* The length in bytes of the first `count` characters of a valid text, or of the full text if it has fewer. */
size_t lab_utf8_prefix(const char *text, size_t count);

/* Copies as many complete characters of a valid text as fit into `size` bytes with the NUL; `size` is at least 1. */
void lab_utf8_copy(char *to, size_t size, const char *text);

/* Removes each byte that does not belong to a valid character: for text that was valid until it was cut. */
void lab_utf8_drop_invalid(char *text);

/* Replaces each byte that does not belong to a valid character by '?': for text that comes from outside. */
void lab_utf8_replace_invalid(char *text);

/* The offset of the first control character of a valid text (U+0001 to U+001F, U+007F to U+009F), or its length. */
size_t lab_utf8_control(const char *text);

/* Replaces each byte of a control character by `by`: for text that is shown. */
void lab_utf8_replace_control(char *text, char by);

/* The text after a byte order mark, with which editors and spreadsheets begin files; `text` if there is none. */
const char *lab_utf8_after_mark(const char *text);

/* Appends "/TOKEN" to the JSON pointer (RFC 6901) in a buffer of `size` bytes: in the token '~' becomes "~0" and '/'
 * becomes "~1". A token that does not fit is cut between two characters; returns false then. */
bool lab_pointer_append(char *pointer, size_t size, const char *token, size_t length);

/* Appends "/INDEX", for an element of an array. Appends nothing and returns false if it does not fit. */
bool lab_pointer_append_index(char *pointer, size_t size, size_t index);

/* Writes a number of bytes in the largest unit of which it is a multiple: "4 MiB", "1000 B". */
void lab_text_size(uint64_t bytes, char *text, size_t size);

#endif
