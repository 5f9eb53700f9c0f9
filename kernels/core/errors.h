/* A bounded list of errors in an input or on the machine. The list is passed from the code that finds the errors to the
 * code that shows them (a problem document, a line on a terminal), so that all errors are reported at once.
 */
#ifndef LAB_ERRORS_H
#define LAB_ERRORS_H

#include "core/error_codes.h"

#include <stdbool.h>
#include <stddef.h>

enum { LAB_ERRORS_MAX = 32, LAB_POINTER_MAX = 128, LAB_DETAIL_MAX = 320 };

/* One error. `code` is for programs; LAB_ERROR_NONE: there is no error. `detail` is a sentence for the
 * user that says what is wrong and what is allowed. `pointer` is a JSON pointer (RFC 6901) into the request; "" means
 * the whole request. */
struct lab_error {
    enum lab_error_code code;
    char pointer[LAB_POINTER_MAX];
    char detail[LAB_DETAIL_MAX];
};

/* The bounded list. Initialise with `{0}`. `dropped` counts the errors that did not fit into `items`. */
struct lab_errors {
    size_t count;
    size_t dropped;
    struct lab_error items[LAB_ERRORS_MAX];
};

/* Fills one error. Text that does not fit is cut between two UTF-8 characters. A NULL `pointer` is stored as "". Always
 * returns false, so that callers can write `return lab_error_set(...)`. */
bool lab_error_set(struct lab_error *error, enum lab_error_code code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends an error to the list, unless it is there already, or counts it in `dropped` when the list is full. Always
 * returns false. */
bool lab_errors_add(struct lab_errors *errors, enum lab_error_code code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends errors from another list, with `prefix` before their pointers. */
void lab_errors_append(struct lab_errors *errors, const struct lab_errors *from, const char *prefix);

#endif
