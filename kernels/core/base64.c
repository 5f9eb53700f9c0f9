#include "core/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The alphabets of sections 4 and 5. */
static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char for_urls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Writes bytes without padding. Returns the end of the text. */
static char *write_digits(const char *alphabet, const unsigned char *bytes, size_t size, char *text)
{
    uint32_t bits = 0;
    unsigned count = 0; /* of the bits that are not yet written */
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
        for (count += 8; count >= 6; count -= 6)
            *text++ = alphabet[bits >> (count - 6) & 63];
    }
    if (count > 0)
        *text++ = alphabet[bits << (6 - count) & 63];
    return text;
}

/* The six bits that a character stands for; 64 if it stands for none. */
static uint32_t value_of(const char *alphabet, char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == alphabet[62] ? 62 : c == alphabet[63] ? 63 : 64;
}

/* Reads a text without padding, of whole bytes. */
static bool read_digits(const char *alphabet, const char *text, size_t length, unsigned char *bytes)
{
    uint32_t bits = 0;
    unsigned count = 0; /* of the bits that are not yet in a byte */
    for (size_t i = 0; i < length; i++) {
        uint32_t value = value_of(alphabet, text[i]);
        if (value > 63)
            return false;
        bits = bits << 6 | value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            *bytes++ = (unsigned char)(bits >> count);
        }
    }
    return true;
}

char *lab_base64_encode(const void *bytes, size_t size)
{
    char *text = malloc((size + 2) / 3 * 4 + 1);
    if (text == NULL)
        return NULL;
    char *end = write_digits(standard, bytes, size, text);
    while ((end - text) % 4 != 0)
        *end++ = '=';
    *end = '\0';
    return text;
}

bool lab_base64_decode(const char *text, size_t length, unsigned char **bytes, size_t *size)
{
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    *bytes = length % 4 == 0 ? malloc(length / 4 * 3 + 1) : NULL;
    if (*bytes == NULL)
        return false;
    *size = length / 4 * 3 - padding;
    if (read_digits(standard, text, length - padding, *bytes))
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

void lab_base64url_write(const void *bytes, size_t size, char *text)
{
    *write_digits(for_urls, bytes, size, text) = '\0';
}

bool lab_base64url_read(const char *text, void *bytes, size_t size)
{
    return strlen(text) == LAB_BASE64URL_LENGTH(size) && read_digits(for_urls, text, strlen(text), bytes);
}
