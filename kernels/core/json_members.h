/* Members of JSON objects. What is not known is written as null. A member that is null, missing or of another type is
 * read as a value that stands for it.
 */
#ifndef LAB_JSON_MEMBERS_H
#define LAB_JSON_MEMBERS_H

#include <jansson.h>
#include <stdint.h>

/* --- writing: new references; NULL when out of memory ------------------------------------------------------------- */

/* Null for NULL. NULL also for a text that is not valid UTF-8. */
json_t *lab_json_text_or_null(const char *text);
/* Null for what is not finite. */
json_t *lab_json_real_or_null(double value);
/* Null for INT64_MIN, which stands for an unknown integer. */
json_t *lab_json_integer_or_null(int64_t value);
/* The text of a time (clock.h); null for LAB_NO_TIME. */
json_t *lab_json_time_or_null(int64_t at);

/* --- reading: texts are borrowed from the object ------------------------------------------------------------------ */

/* "" by default. */
const char *lab_text_of(const json_t *object, const char *name);
/* NULL by default. */
const char *lab_optional_text_of(const json_t *object, const char *name);
/* NAN by default. */
double lab_number_of(const json_t *object, const char *name);
int64_t lab_integer_of(const json_t *object, const char *name, int64_t fallback);

/* The number that a value is; NAN for a value of another type, and for NULL. */
double lab_number_or_nan(const json_t *value);

#endif
