/* Errors as JSON: in problem documents (RFC 9457) and in the answers of child processes. */
#ifndef LAB_ERROR_JSON_H
#define LAB_ERROR_JSON_H

#include "core/errors.h"

#include <jansson.h>

/* {type, title} of a problem document, to which the caller adds "detail" and more. A new reference. */
json_t *lab_error_problem(enum lab_error_code code);

/* The code in a problem's type; LAB_ERROR_UNKNOWN if it names none. */
enum lab_error_code lab_error_of_problem(const json_t *problem);

/* {pointer, detail, code}. A new reference. */
json_t *lab_error_write(const struct lab_error *error);

/* Reads what lab_error_write has written, in this process or in one of another version. A code without a row becomes
 * LAB_ERROR_UNKNOWN, and `detail` begins with its name. Members may be missing. */
void lab_error_read(const json_t *from, struct lab_error *error);

#endif
