/* Functions for UTF-8 text and JSON pointers. */
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the byte is the second or a later byte of a UTF-8 character. */
static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0U) == 0x80U;
}

size_t lab_utf8_length(const char *text, size_t size)
{
    if (size == 0)
        return 0;
    unsigned char first = (unsigned char)text[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > size)
        return 0;
    /* Overlong forms, surrogates and code points above U+10FFFF differ from valid characters in the second byte. */
    unsigned char second = (unsigned char)text[1];
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!is_continuation(text[i]))
            return 0;
    return length;
}

bool lab_utf8_is_valid(const char *text, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        length = lab_utf8_length(text + at, size - at);
        if (length == 0)
            return false;
    }
    return true;
}

size_t lab_utf8_count(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !is_continuation(text[i]);
    return count;
}

size_t lab_utf8_prefix(const char *text, size_t count)
{
    size_t at = 0;
    for (; text[at] != '\0'; at++)
        if (!is_continuation(text[at]) && count-- == 0)
            break;
    return at;
}

void lab_utf8_copy(char *to, size_t size, const char *text)
{
    size_t length = strnlen(text, size);
    if (length == size)
        for (length--; length > 0 && is_continuation(text[length]);)
            length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

void lab_utf8_drop_invalid(char *text)
{
    char *end = text;
    for (size_t left = strlen(text); left > 0;) {
        size_t length = lab_utf8_length(text, left), step = length > 0 ? length : 1;
        memmove(end, text, length);
        end += length;
        text += step;
        left -= step;
    }
    *end = '\0';
}

void lab_utf8_replace_invalid(char *text)
{
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        length = lab_utf8_length(text, left);
        if (length == 0) {
            *text = '?';
            length = 1;
        }
    }
}

size_t lab_utf8_control(const char *text)
{
    size_t at = 0;
    for (const unsigned char *c = (const unsigned char *)text; c[at] >= ' '; at++)
        if (c[at] == 0x7F || (c[at] == 0xC2 && c[at + 1] >= 0x80 && c[at + 1] < 0xA0))
            break;
    return at;
}

void lab_utf8_replace_control(char *text, char by)
{
    for (text += lab_utf8_control(text); *text != '\0'; text += lab_utf8_control(text))
        memset(text, by, lab_utf8_length(text, 2)); /* one byte or two */
}

const char *lab_utf8_after_mark(const char *text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    return strncmp(text, mark, strlen(mark)) == 0 ? text + strlen(mark) : text;
}

bool lab_pointer_append(char *pointer, size_t size, const char *token, size_t length)
{
    size_t used = strlen(pointer);
    if (used + 2 > size)
        return false;
    pointer[used++] = '/';
    while (length > 0) {
        bool escaped = *token == '~' || *token == '/';
        size_t step = lab_utf8_length(token, length);
        if (step == 0)
            step = 1; /* an invalid byte is copied; lab_error_set removes it */
        if (used + (escaped ? 2 : step) >= size)
            break;
        if (escaped) {
            pointer[used++] = '~';
            pointer[used++] = *token == '~' ? '0' : '1';
        } else {
            memcpy(pointer + used, token, step);
            used += step;
        }
        token += step;
        length -= step;
    }
    pointer[used] = '\0';
    return length == 0;
}

bool lab_pointer_append_index(char *pointer, size_t size, size_t index)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%zu", index);
    return strlen(pointer) + 1 + (size_t)length < size && lab_pointer_append(pointer, size, digits, (size_t)length);
}

void lab_text_size(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(text, size, "%" PRIu64 " %s", bytes, units[unit]);
}
