/* Names, titles and statuses of the error codes, from their table. */
#include "core/error_codes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *title;
    int status;
} rows[LAB_ERROR_CODE_COUNT] = {{"", "", 0},
#define LAB_ERROR_ROW(value, name, title, status) {name, title, status},
                                LAB_ERROR_CODES(LAB_ERROR_ROW)
#undef LAB_ERROR_ROW
};

const char *lab_error_name(enum lab_error_code code)
{
    return rows[code].name;
}

void lab_error_title(enum lab_error_code code, char title[LAB_ERROR_TITLE_SIZE])
{
    if (rows[code].title != NULL) {
        snprintf(title, LAB_ERROR_TITLE_SIZE, "%s", rows[code].title);
        return;
    }
    snprintf(title, LAB_ERROR_TITLE_SIZE, "%s", rows[code].name);
    title[0] = (char)toupper((unsigned char)title[0]);
    for (char *c = title; *c != '\0'; c++)
        if (*c == '-')
            *c = ' ';
}

int lab_error_status(enum lab_error_code code)
{
    return rows[code].status;
}

enum lab_error_code lab_error_find(const char *name)
{
    for (int code = LAB_ERROR_NONE + 1; name != NULL && code < LAB_ERROR_CODE_COUNT; code++)
        if (strcmp(rows[code].name, name) == 0)
            return (enum lab_error_code)code;
    return LAB_ERROR_UNKNOWN;
}
