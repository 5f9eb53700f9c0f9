/* Jansson parses recursively, so the depth is checked before it parses. Jansson reports the place of an error as an
 * offset in the text; the API reports a JSON pointer.
 */
#include "core/json_text.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* The offset after the string whose opening quote is at `start`, or the length of the text if the string does not
 * end. */
static size_t skip_string(const char *text, size_t length, size_t start)
{
    size_t at = start + 1;
    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < length ? at + 1 : length;
}

/* Whether arrays and objects are nested more than `depth_max` deep; *where is then the offset of the bracket that opens
 * one level too many. */
static bool is_too_deep(const char *text, size_t length, size_t depth_max, size_t *where)
{
    size_t depth = 0;
    for (size_t at = 0; at < length;) {
        char c = text[at];
        if (c == '"') {
            at = skip_string(text, length, at);
            continue;
        }
        if (c == '{' || c == '[') {
            *where = at;
            if (++depth > depth_max)
                return true;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
        at++;
    }
    return false;
}

/* An array or object that contains the offset, and the member of it in which the offset is. */
struct level {
    bool object;
    bool key_next;   /* object: the next string is a key */
    const char *key; /* object: the last key read, NULL before the first */
    size_t key_length;
    size_t index; /* array: of the element */
};

static void write_pointer(const struct level *levels, size_t depth, char *pointer, size_t size)
{
    pointer[0] = '\0';
    for (size_t i = 0; i < depth; i++) {
        const struct level *level = &levels[i];
        if (level->object && level->key == NULL)
            break;
        if (level->object ? !lab_pointer_append(pointer, size, level->key, level->key_length)
                          : !lab_pointer_append_index(pointer, size, level->index))
            break;
    }
}

void lab_json_pointer_at(const char *text, size_t length, size_t offset, char *pointer, size_t size)
{
    struct level levels[LAB_JSON_DEPTH_MAX + 1] = {0};
    size_t depth = 0, end = offset < length ? offset : length;
    for (size_t at = 0; at < end;) {
        struct level *level = depth > 0 ? &levels[depth - 1] : NULL;
        size_t next = at + 1;
        char c = text[at];
        if (c == '"') {
            next = skip_string(text, length, at);
            if (level != NULL && level->object && level->key_next) {
                level->key = text + at + 1;
                level->key_length = next - at - (next > at + 1 && text[next - 1] == '"' ? 2 : 1);
                level->key_next = false;
            }
        } else if (c == '{' || c == '[') {
            if (depth == LAB_JSON_DEPTH_MAX + 1)
                break;
            levels[depth++] = (struct level){.object = c == '{', .key_next = c == '{'};
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        } else if (c == ',' && level != NULL) {
            level->key_next = level->object;
            level->index++;
        }
        at = next;
    }
    write_pointer(levels, depth, pointer, size);
}

/* The place of an offset, in lines and characters. */
static void find_place(const char *text, struct lab_json_fault *fault)
{
    const char *line = text;
    fault->line = 1;
    for (size_t at = 0; at < fault->offset; at++) {
        if (text[at] != '\n')
            continue;
        fault->line++;
        line = text + at + 1;
    }
    fault->column = (int)lab_utf8_count(line, (size_t)(text + fault->offset - line)) + 1;
}

json_t *lab_json_parse(const char *text, size_t length, struct lab_json_fault *fault)
{
    json_error_t error;
    *fault = (struct lab_json_fault){.code = LAB_ERROR_TOO_DEEP};
    if (is_too_deep(text, length, LAB_JSON_DEPTH_MAX, &fault->offset)) {
        find_place(text, fault);
        snprintf(fault->text, sizeof fault->text, "Arrays and objects must be nested at most %d levels deep",
                 LAB_JSON_DEPTH_MAX);
        return NULL;
    }
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (value != NULL)
        return value;
    enum json_error_code code = json_error_code(&error);
    fault->code = code == json_error_duplicate_key ? LAB_ERROR_DUPLICATE_KEY : LAB_ERROR_MALFORMED_JSON;
    fault->line = error.line;
    fault->column = error.column;
    fault->offset = (size_t)error.position;
    fault->ends_early = code == json_error_premature_end_of_input;
    snprintf(fault->text, sizeof fault->text, "%s",
             code == json_error_numeric_overflow
                 ? "too large a number: integers must be below 2^63, others below 1.8e308"
                 : error.text);
    lab_utf8_drop_invalid(fault->text);
    return NULL;
}

json_t *lab_json_stored(const char *text)
{
    size_t where;
    if (text == NULL || is_too_deep(text, strlen(text), LAB_JSON_DEPTH_MAX, &where))
        return NULL;
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

json_t *lab_json_stored_object(const char *text)
{
    json_t *value = lab_json_stored(text);
    if (json_is_object(value))
        return value;
    json_decref(value);
    return json_object();
}

json_t *lab_json_stored_list(const char *text)
{
    json_t *value = lab_json_stored(text);
    if (json_is_array(value))
        return value;
    json_decref(value);
    return json_array();
}
