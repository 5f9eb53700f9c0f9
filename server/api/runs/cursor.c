/* Writes and reads cursors: run ids, checksums. */
#include "cursor.h"

#include "core/base64.h"

#include <string.h>

enum { VERSION = 1, ID_BYTES = 16, SCOPE_BYTES = 4, CURSOR_BYTES = 1 + ID_BYTES + SCOPE_BYTES };

_Static_assert(LAB_BASE64URL_LENGTH(CURSOR_BYTES) == LAB_CURSOR_SIZE - 1,
               "a cursor is the base64url form of its bytes");

static const char hexadecimal[] = "0123456789abcdef";

/* The value of a hexadecimal digit in lower case, -1 of another character. */
static int value_of(char digit)
{
    const char *at = digit != '\0' ? strchr(hexadecimal, digit) : NULL;
    return at != NULL ? (int)(at - hexadecimal) : -1;
}

/* Reads "0190b6a2-7c1e-7d0a-8f00-0123456789ab". */
static bool read_id(const char *id, unsigned char bytes[ID_BYTES])
{
    if (strlen(id) != LAB_RUN_ID_SIZE - 1)
        return false;
    for (size_t i = 0, digits = 0; id[i] != '\0'; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        int value = dash ? -1 : value_of(id[i]);
        if (dash ? id[i] != '-' : value < 0)
            return false;
        if (dash)
            continue;
        unsigned char *byte = &bytes[digits / 2];
        *byte = (unsigned char)(digits % 2 == 0 ? value << 4 : *byte | value);
        digits++;
    }
    return true;
}

static void write_id(const unsigned char bytes[ID_BYTES], char id[LAB_RUN_ID_SIZE])
{
    char *out = id;
    for (size_t i = 0; i < ID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *out++ = '-';
        *out++ = hexadecimal[bytes[i] >> 4];
        *out++ = hexadecimal[bytes[i] & 0xF];
    }
    *out = '\0';
}

/* FNV-1a with 32 bits. */
static void write_scope(const char *scope, unsigned char bytes[SCOPE_BYTES])
{
    uint32_t hash = 0x811c9dc5;
    for (; *scope != '\0'; scope++)
        hash = (hash ^ (unsigned char)*scope) * 0x01000193;
    for (size_t i = 0; i < SCOPE_BYTES; i++)
        bytes[i] = (unsigned char)(hash >> (24 - 8 * i));
}

bool lab_cursor_write(const char *scope, const char *id, char text[LAB_CURSOR_SIZE])
{
    unsigned char bytes[CURSOR_BYTES] = {VERSION};
    if (!read_id(id, bytes + 1))
        return false;
    write_scope(scope, bytes + 1 + ID_BYTES);
    lab_base64url_write(bytes, sizeof bytes, text);
    return true;
}

enum lab_cursor_result lab_cursor_read(const char *scope, const char *text, char id[LAB_RUN_ID_SIZE])
{
    unsigned char bytes[CURSOR_BYTES], expected[SCOPE_BYTES];
    if (!lab_base64url_read(text, bytes, sizeof bytes) || bytes[0] != VERSION)
        return LAB_CURSOR_MALFORMED;
    write_scope(scope, expected);
    if (memcmp(bytes + 1 + ID_BYTES, expected, SCOPE_BYTES) != 0)
        return LAB_CURSOR_OTHER_SCOPE;
    write_id(bytes + 1, id);
    return LAB_CURSOR_OK;
}
