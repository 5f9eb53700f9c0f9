/* The check of a query and of headers. */
#include "field.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* How many of the parameters have that name. */
static size_t times_given(const struct lab_query *queries, size_t count, const char *name)
{
    size_t times = 0;
    for (size_t i = 0; i < count; i++)
        times += strcmp(queries[i].name, name) == 0;
    return times;
}

bool lab_query_check(const struct lab_schema *rows, const struct lab_query *queries, size_t count,
                     struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX];
    bool good = true;
    if (rows == lab_any_members)
        return true;
    for (size_t i = 0; i < count; i++) {
        const char *name = queries[i].name;
        const struct lab_schema *row = lab_schema_find(rows, name);
        strcpy(pointer, "/query");
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        if (row == NULL)
            good =
                lab_schema_refuse_unknown(rows, "query parameter", LAB_ERROR_UNKNOWN_PARAMETER, name, pointer, errors);
        else if (times_given(queries, i, name) > 0)
            good = lab_errors_add(errors, LAB_ERROR_REPEATED_PARAMETER, pointer,
                                  "The query parameter '%s' must be given only once.", name);
        else
            good = lab_schema_read_text(row, queries[i].value, pointer, NULL, errors) && good;
    }
    for (const struct lab_schema *row = rows; row != NULL && row->name != NULL; row++) {
        snprintf(pointer, sizeof pointer, "/query/%s", row->name);
        if (row->required && times_given(queries, count, row->name) == 0)
            good = lab_schema_refuse_missing(row, pointer, errors);
    }
    return good;
}

bool lab_header_check(const struct lab_schema *row, const char *value, struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/headers/%s", row->name);
    for (const char *c = value; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            return lab_errors_add(errors, LAB_ERROR_WRONG_TYPE, pointer,
                                  "'%s' must have only printable ASCII characters.", row->name);
    return lab_schema_read_text(row, value, pointer, NULL, errors);
}
