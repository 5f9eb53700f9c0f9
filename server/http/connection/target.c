/* The target is parsed here because the path that libmicrohttpd offers is already decoded, ends at a %00 and may
 * contain "..".
 */
#include "target.h"

#include "http/http.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static const enum lab_error_code code = LAB_ERROR_MALFORMED_TARGET;

static void set_path(struct lab_target *target, const char *path, size_t length)
{
    memcpy(target->path, path, length);
    target->path[length] = '\0';
    target->path_length = length;
}

bool lab_target_set(struct lab_target *target, const char *text)
{
    size_t length = strlen(text);
    /* The text, its path, and the decoded names, values and parts, which together are not longer than the text, without
     * the NUL of each. */
    size_t needed = 3 * (length + 1) + 2 * LAB_QUERIES_MAX + LAB_PARTS_MAX;
    if (target->capacity < needed) {
        lab_target_release(target);
        target->text = malloc(needed);
        if (target->text == NULL)
            return false;
        target->capacity = needed;
    }
    memcpy(target->text, text, length + 1);
    target->path = target->text + length + 1;
    set_path(target, text, strcspn(text, "?"));
    target->decoded = target->path + length + 1;
    target->decoded_length = 0;
    target->query_count = 0;
    target->authority = NULL;
    target->source = text;
    return true;
}

void lab_target_release(struct lab_target *target)
{
    free(target->text);
    *target = (struct lab_target){0};
}

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes into the unused part of the target's buffer and adds a NUL; *written is the length without it. The caller
 * adds to decoded_length to keep the result. */
static const char *decode(struct lab_target *target, const char *text, size_t length, bool plus_is_space,
                          size_t *written)
{
    char *start = target->decoded + target->decoded_length, *out = start;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%') {
            *out++ = (char)(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
            i += 2;
        } else {
            *out++ = plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    *out = '\0';
    *written = (size_t)(out - start);
    return start;
}

const char *lab_target_decode(struct lab_target *target, const char *text, size_t length)
{
    size_t written;
    const char *start = decode(target, text, length, false, &written);
    target->decoded_length += written + 1;
    return start;
}

/* Checks that all characters are allowed in a target, and that two hexadecimal digits follow each '%'. */
static bool check_characters(const char *text, struct lab_error *error)
{
    for (const char *c = text; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte <= ' ' || byte == 0x7F || byte == '#')
            return lab_error_set(error, code, "",
                                 "The request target has a character that must be percent-encoded (0x%02x).", byte);
        if (byte == '%' && (hexadecimal(c[1]) < 0 || hexadecimal(c[2]) < 0))
            return lab_error_set(error, code, "",
                                 "Each '%%' in the request target must be followed by two hexadecimal digits.");
    }
    return true;
}

/* Checks a decoded path: no control characters; no segment that is ".", ".." or empty, except an empty last one. A '/'
 * that was encoded separates segments here too, so that decoding the path elsewhere cannot make such a segment. */
static bool check_path(const char *path, size_t length, struct lab_error *error)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)path[i] < ' ' || path[i] == 0x7F)
            return lab_error_set(error, code, "", "The path must not have control characters.");
    if (!lab_utf8_is_valid(path, length))
        return lab_error_set(error, code, "", "The path must be valid UTF-8.");
    for (size_t start = 1; start < length;) {
        const char *slash = memchr(path + start, '/', length - start);
        size_t end = slash != NULL ? (size_t)(slash - path) : length;
        size_t size = end - start;
        if (size == 0 || (size <= 2 && memcmp(path + start, "..", size) == 0))
            return lab_error_set(error, code, "", "The path must not have empty, '.' or '..' segments.");
        start = end + 1;
    }
    return true;
}

/* An absolute target, "http://host/path", stands for "/path"; its host is checked like the Host header. */
static bool split_absolute(struct lab_target *target, struct lab_error *error)
{
    size_t scheme = strncmp(target->text, "http://", 7) == 0 ? 7 : strncmp(target->text, "https://", 8) == 0 ? 8 : 0;
    if (scheme == 0)
        return lab_error_set(error, code, "", "The request target must begin with '/'.");
    const char *host = target->text + scheme;
    size_t length = strcspn(host, "/?");
    target->authority = lab_target_decode(target, host, length);
    const char *path = host[length] == '/' ? host + length : "/";
    set_path(target, path, strcspn(path, "?"));
    return true;
}

static bool add_query(struct lab_target *target, const char *text, size_t length, struct lab_error *error)
{
    if (target->query_count == LAB_QUERIES_MAX)
        return lab_error_set(error, code, "/query", "A query may have at most %d parameters.", LAB_QUERIES_MAX);
    struct lab_query *query = &target->queries[target->query_count++];
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - text) : length;
    const char *parts[2] = {text, equals != NULL ? equals + 1 : ""};
    size_t lengths[2] = {name_length, equals != NULL ? length - name_length - 1 : 0};
    for (int i = 0; i < 2; i++) {
        size_t written;
        const char *decoded = decode(target, parts[i], lengths[i], true, &written);
        if (memchr(decoded, '\0', written) != NULL || !lab_utf8_is_valid(decoded, written))
            return lab_error_set(error, code, "/query", "The query must be valid UTF-8 without %%00.");
        target->decoded_length += written + 1;
        *(i == 0 ? &query->name : &query->value) = decoded;
    }
    return true;
}

static bool parse_query(struct lab_target *target, struct lab_error *error)
{
    const char *text = strchr(target->text, '?');
    while (text != NULL) {
        text++;
        size_t length = strcspn(text, "&");
        if (length > 0 && !add_query(target, text, length, error))
            return false;
        text = text[length] == '&' ? text + length : NULL;
    }
    return true;
}

bool lab_base_path_is_valid(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(text);
    if (length > LAB_BASE_PATH_MAX || strcmp(text, "/api") == 0 || strncmp(text, "/api/", 5) == 0)
        return false;
    while (*text == '/') {
        size_t segment = strspn(++text, allowed);
        if (segment == 0)
            return false;
        text += segment;
    }
    return length > 0 && *text == '\0';
}

bool lab_target_parse(struct lab_target *target, struct lab_error *error)
{
    if (!check_characters(target->text, error) || (target->text[0] != '/' && !split_absolute(target, error)))
        return false;
    size_t length;
    const char *path = decode(target, target->path, target->path_length, false, &length);
    return check_path(path, length, error) && parse_query(target, error);
}
