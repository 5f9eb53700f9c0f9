/* Parses JSON text that came from outside, with the limits of every entrance, and finds what Jansson does not report:
 * nesting that is too deep, and the JSON pointer of an offset. */
#ifndef LAB_JSON_TEXT_H
#define LAB_JSON_TEXT_H

#include "core/error_codes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { LAB_JSON_DEPTH_MAX = 32 };

/* Why a text was refused. */
struct lab_json_fault {
    enum lab_error_code code;          /* LAB_ERROR_MALFORMED_JSON, …_DUPLICATE_KEY or …_TOO_DEEP */
    int line, column;                  /* from 1 */
    size_t offset;                     /* in the text */
    bool ends_early;                   /* malformed: the text ends before the value does */
    char text[JSON_ERROR_TEXT_LENGTH]; /* valid UTF-8, without the place */
};

/* The value of a text in UTF-8 whose objects have no member twice, and which is nested at most LAB_JSON_DEPTH_MAX deep:
 * a new reference. NULL with *fault otherwise. */
json_t *lab_json_parse(const char *text, size_t length, struct lab_json_fault *fault);
/* The value of a text that was stored, perhaps before these limits: a new reference. NULL for NULL, for what is not
 * JSON, and for what is nested deeper than LAB_JSON_DEPTH_MAX, which could overflow the stack of the thread that reads
 * or writes it. */
json_t *lab_json_stored(const char *text);
/* As lab_json_stored, where readers rely on the type: a value of another type becomes {} or []. NULL when out of
 * memory. */
json_t *lab_json_stored_object(const char *text);
json_t *lab_json_stored_list(const char *text);

/* Writes the JSON pointer of the value at `offset`, or as much of it as fits. */
void lab_json_pointer_at(const char *text, size_t length, size_t offset, char *pointer, size_t size);

#endif
