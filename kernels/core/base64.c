#include "core/base64.h"

#include <stdint.h>
#include <stdlib.h>

char *lab_base64_encode(const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    char *text = malloc((size + 2) / 3 * 4 + 1), *out = text;
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < size ? in[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            *out++ = i + j <= size ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    *out = '\0';
    return text;
}

/* The six bits that a character stands for; 64 if it stands for none. */
static uint32_t value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Decodes four characters, of which the last `padding` are '='. */
static bool decode_group(const char *text, size_t padding, unsigned char *bytes)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t value = i < 4 - padding ? value_of(text[i]) : 0;
        if (value > 63)
            return false;
        word = word << 6 | value;
    }
    for (size_t i = 0; i < 3 - padding; i++)
        bytes[i] = (unsigned char)(word >> (16 - 8 * i));
    return true;
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
    for (size_t i = 0; i < length; i += 4)
        if (!decode_group(text + i, i + 4 == length ? padding : 0, *bytes + i / 4 * 3)) {
            free(*bytes);
            *bytes = NULL;
            return false;
        }
    return true;
}
