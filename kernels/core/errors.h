/* A bounded list of what is wrong with an input or with the machine. One list travels from the place that finds the
 * faults to the place that shows them (a problem document, a line on a terminal), so that all faults are told at once.
 */
#ifndef LAB_ERRORS_H
#define LAB_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_ERRORS_MAX = 32, LAB_POINTER_MAX = 128, LAB_DETAIL_MAX = 320 };

/* One fault. `code` is a static string in kebab-case ("out-of-bounds"), meant for programs; `detail` is a sentence for
 * people that says what is allowed; `pointer` is a JSON pointer (RFC 6901) into the request, "" for the whole of it. */
struct lab_error {
    const char *code;
    char pointer[LAB_POINTER_MAX];
    char detail[LAB_DETAIL_MAX];
};

/* Starts as `{0}`. `dropped` counts the faults beyond LAB_ERRORS_MAX. */
struct lab_errors {
    size_t count;
    size_t dropped;
    struct lab_error items[LAB_ERRORS_MAX];
};

/* Fills one error; text that does not fit is cut at a character. Always returns false, so that a caller can return it.
 */
bool lab_error_set(struct lab_error *error, const char *code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends an error to the list. Always returns false. */
bool lab_errors_add(struct lab_errors *errors, const char *code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
