/* Cursors: a run id and a MAC over it and the query, as base64url. */
#include "cursor.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { ID_BYTES = 16, MAC_BYTES = 8, CURSOR_BYTES = ID_BYTES + MAC_BYTES };

static const char key_setting[] = "api.cursor_key";
static const char digits[] = "0123456789abcdef";
static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* The value of `character` in `alphabet`, -1 when it is none of it. */
static int value_of(const char *alphabet, char character)
{
    const char *at = character != '\0' ? strchr(alphabet, character) : NULL;
    return at != NULL ? (int)(at - alphabet) : -1;
}

static bool hex_read(const char *text, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int high = value_of(digits, text[2 * i]);
        int low = high >= 0 ? value_of(digits, text[2 * i + 1]) : -1;
        if (low < 0)
            return false;
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return text[2 * count] == '\0';
}

static void hex_write(const unsigned char *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0xF];
    }
    text[2 * count] = '\0';
}

enum lab_store_result lab_cursor_key_load(struct lab_store *store, struct lab_cursor_key *key)
{
    char text[2 * LAB_SIPHASH_KEY_SIZE + 1];
    enum lab_store_result result = lab_store_get(store, key_setting, text, sizeof text);
    if (result == LAB_STORE_OK && hex_read(text, key->bytes, sizeof key->bytes))
        return LAB_STORE_OK;
    if (result != LAB_STORE_OK && result != LAB_STORE_NOT_FOUND)
        return result;
    if (getrandom(key->bytes, sizeof key->bytes, 0) != (ssize_t)sizeof key->bytes)
        return LAB_STORE_FAILED;
    hex_write(key->bytes, sizeof key->bytes, text);
    return lab_store_set(store, key_setting, text);
}

/* "0190b6a2-7c1e-7d0a-8f00-0123456789ab" to its 16 bytes. */
static bool id_bytes(const char *id, unsigned char bytes[ID_BYTES])
{
    char hex[2 * ID_BYTES + 1];
    size_t length = 0;
    if (strlen(id) != LAB_RUN_ID_SIZE - 1)
        return false;
    for (size_t i = 0; id[i] != '\0'; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (id[i] == '-'))
            return false;
        if (!dash)
            hex[length++] = id[i];
    }
    hex[length] = '\0';
    return hex_read(hex, bytes, ID_BYTES);
}

static void id_text(const unsigned char bytes[ID_BYTES], char id[LAB_RUN_ID_SIZE])
{
    char hex[2 * ID_BYTES + 1];
    hex_write(bytes, ID_BYTES, hex);
    snprintf(id, LAB_RUN_ID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

/* Covers the id and the scope, the latter by its own hash so that neither can lend bytes to the other. */
static void sign(const struct lab_cursor_key *key, const char *scope, unsigned char cursor[CURSOR_BYTES])
{
    unsigned char signed_bytes[ID_BYTES + MAC_BYTES];
    memcpy(signed_bytes, cursor, ID_BYTES);
    uint64_t hash = lab_siphash(key->bytes, scope, strlen(scope));
    memcpy(signed_bytes + ID_BYTES, &hash, MAC_BYTES);
    uint64_t mac = lab_siphash(key->bytes, signed_bytes, sizeof signed_bytes);
    memcpy(cursor + ID_BYTES, &mac, MAC_BYTES);
}

bool lab_cursor_write(const struct lab_cursor_key *key, const char *scope, const char *id, char text[LAB_CURSOR_SIZE])
{
    unsigned char bytes[CURSOR_BYTES];
    if (!id_bytes(id, bytes))
        return false;
    sign(key, scope, bytes);
    char *out = text;
    for (size_t i = 0; i < CURSOR_BYTES; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            *out++ = base64url[group >> shift & 63];
    }
    *out = '\0';
    return true;
}

bool lab_cursor_read(const struct lab_cursor_key *key, const char *scope, const char *text, char id[LAB_RUN_ID_SIZE])
{
    unsigned char bytes[CURSOR_BYTES], expected[CURSOR_BYTES];
    if (strlen(text) != LAB_CURSOR_SIZE - 1)
        return false;
    for (size_t i = 0; i < CURSOR_BYTES; i += 3) {
        unsigned group = 0;
        for (size_t j = 0; j < 4; j++) {
            int value = value_of(base64url, text[i / 3 * 4 + j]);
            if (value < 0)
                return false;
            group = group << 6 | (unsigned)value;
        }
        bytes[i] = (unsigned char)(group >> 16);
        bytes[i + 1] = (unsigned char)(group >> 8);
        bytes[i + 2] = (unsigned char)group;
    }
    memcpy(expected, bytes, ID_BYTES);
    sign(key, scope, expected);
    unsigned difference = 0; /* compared in constant time: where the first wrong byte is tells nothing */
    for (size_t i = ID_BYTES; i < CURSOR_BYTES; i++)
        difference |= (unsigned)(bytes[i] ^ expected[i]);
    if (difference != 0)
        return false;
    id_text(bytes, id);
    return true;
}
