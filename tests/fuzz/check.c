/* Checks of answers, which end the process if one fails. */
#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

void check_text(const char *text, const char *what)
{
    json_t *string = text != NULL ? json_string(text) : NULL; /* NULL if it is not UTF-8 */
    must(string != NULL, what);
    json_decref(string);
}

void check_error(const struct lab_error *error)
{
    must(error->code != LAB_ERROR_NONE && error->detail[0] != '\0', "an error has a code and a detail");
    check_text(error->pointer, "an error's pointer is valid UTF-8");
    check_text(error->detail, "an error's detail is valid UTF-8");
    must(error->pointer[0] == '\0' || error->pointer[0] == '/', "an error's pointer is a JSON pointer");
}

void check_errors(bool accepted, const struct lab_errors *errors)
{
    must(accepted == (errors->count == 0), "there are errors exactly when the input is refused");
    for (size_t i = 0; i < errors->count; i++)
        check_error(&errors->items[i]);
}
