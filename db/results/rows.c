/* Results as rows: the members that core/result_members.h declares as values of SQL. */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

const struct lab_row_member lab_measurement_row_members[] = {
    LAB_MEASUREMENT_MEMBERS(LAB_ROW_MEMBER, struct lab_measurement_row){0}};
const struct lab_row_member lab_span_row_members[] = {LAB_SPAN_MEMBERS(LAB_ROW_MEMBER, struct lab_span_row){0}};

static void read_value(sqlite3_stmt *statement, int column, enum lab_form form, void *at)
{
    switch (form) {
    case LAB_FORM_STATUS:
    case LAB_FORM_PRIORITY:
        *(unsigned *)at = lab_form_number(form, lab_column_text(statement, column));
        break;
    case LAB_FORM_NUMBER:
        *(double *)at = lab_column_real(statement, column);
        break;
    case LAB_FORM_TIME:
    case LAB_FORM_INTEGER:
        *(int64_t *)at = lab_column_optional(statement, column);
        break;
    case LAB_FORM_COUNT:
        *(int64_t *)at = sqlite3_column_int64(statement, column);
        break;
    case LAB_FORM_BOOLEAN:
        *(int *)at = sqlite3_column_type(statement, column) == SQLITE_NULL ? -1 : sqlite3_column_int(statement, column);
        break;
    default:
        *(const char **)at = lab_column_text(statement, column);
        break;
    }
}

int lab_row_read(sqlite3_stmt *statement, int first, const struct lab_row_member *members, void *row)
{
    for (; members->name != NULL; members++)
        if (members->offset != LAB_ELSEWHERE)
            read_value(statement, first++, members->form, (char *)row + members->offset);
    return first;
}

static struct lab_sql_value value_of(enum lab_form form, const void *at)
{
    switch (form) {
    case LAB_FORM_STATUS:
    case LAB_FORM_PRIORITY:
        return lab_text(lab_form_names(form)[*(const unsigned *)at]);
    case LAB_FORM_NUMBER:
        return lab_real(*(const double *)at);
    case LAB_FORM_TIME:
    case LAB_FORM_INTEGER:
    case LAB_FORM_COUNT:
        return lab_integer_or_null(*(const int64_t *)at);
    case LAB_FORM_BOOLEAN:
        return lab_integer_or_null(*(const int *)at < 0 ? INT64_MIN : *(const int *)at);
    default:
        return lab_text(*(const char *const *)at);
    }
}

/* The text of a member; NULL where the row has none. */
static const char **text_of(const struct lab_row_member *member, void *row)
{
    bool is_text = lab_form_is_text(member->form) || lab_form_is_document(member->form);
    const char **text = is_text && member->offset != LAB_ELSEWHERE ? (void *)((char *)row + member->offset) : NULL;
    return text != NULL && *text != NULL ? text : NULL;
}

size_t lab_row_text_bytes(const struct lab_row_member *members, const void *row)
{
    size_t bytes = 0;
    for (; members->name != NULL; members++) {
        const char **text = text_of(members, (void *)row);
        bytes += text != NULL ? strlen(*text) + 1 : 0;
    }
    return bytes;
}

char *lab_row_copy_texts(const struct lab_row_member *members, void *row, char *to)
{
    for (; members->name != NULL; members++) {
        const char **text = text_of(members, row);
        if (text == NULL)
            continue;
        size_t size = strlen(*text) + 1;
        *text = memcpy(to, *text, size);
        to += size;
    }
    return to;
}

void *lab_row_copy(const void *row, size_t size, const struct lab_row_member *const *tables)
{
    size_t bytes = size;
    for (size_t i = 0; tables[i] != NULL; i++)
        bytes += lab_row_text_bytes(tables[i], row);
    char *copy = malloc(bytes);
    if (copy == NULL)
        return NULL;
    char *end = copy + size;
    memcpy(copy, row, size);
    for (size_t i = 0; tables[i] != NULL; i++)
        end = lab_row_copy_texts(tables[i], copy, end);
    return copy;
}

void lab_row_values(const struct lab_row_member *members, const void *row, struct lab_sql_value *values)
{
    for (; members->name != NULL; members++)
        *values++ = value_of(members->form, (const char *)row + members->offset);
}

int lab_measurement_read(sqlite3_stmt *statement, int first, struct lab_measurement_row *row)
{
    *row = (struct lab_measurement_row){.position = sqlite3_column_int64(statement, first),
                                        .sample_count = (size_t)sqlite3_column_int64(statement, first + 1)};
    return lab_row_read(statement, first + 2, lab_measurement_row_members, row);
}
