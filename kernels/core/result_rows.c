/* Converts rows of results, member by member. */
#include "core/result_rows.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "core/json_text.h"

#include <stdbool.h>
#include <stdlib.h>

/* A document that was stored. One that cannot be read, or has another type than its row, is named in `unreadable`. */
static json_t *document(const struct lab_row_member *member, const char *text, json_t *unreadable)
{
    bool is_list = member->form == LAB_FORM_LIST;
    json_t *value = lab_json_stored(text);
    if (value != NULL && (member->nullable || (is_list ? json_is_array(value) : json_is_object(value))))
        return value;
    json_decref(value);
    if (text != NULL)
        json_array_append_new(unreadable, json_string(member->name));
    return member->nullable ? json_null() : is_list ? json_array() : json_object();
}

static json_t *value_of(const struct lab_row_member *member, const void *at, json_t *unreadable)
{
    int flag;
    switch (member->form) {
    case LAB_FORM_TEXT:
    case LAB_FORM_CHOICE:
        return lab_json_text_or_null(*(const char *const *)at);
    case LAB_FORM_STATUS:
    case LAB_FORM_PRIORITY:
        return json_string(lab_form_names(member->form)[*(const unsigned *)at]);
    case LAB_FORM_TIME:
        return lab_json_time_or_null(*(const int64_t *)at);
    case LAB_FORM_OBJECT:
    case LAB_FORM_LIST:
        return document(member, *(const char *const *)at, unreadable);
    case LAB_FORM_INTEGER:
    case LAB_FORM_COUNT:
        return lab_json_integer_or_null(*(const int64_t *)at);
    case LAB_FORM_NUMBER:
        return lab_json_real_or_null(*(const double *)at);
    case LAB_FORM_BOOLEAN:
        flag = *(const int *)at;
        return flag >= 0 ? json_boolean(flag) : json_null();
    }
    return json_null();
}

json_t *lab_row_to_json(const struct lab_row_member *members, const void *row, json_t *unreadable)
{
    json_t *object = json_object();
    for (; members->name != NULL; members++)
        json_object_set_new(object, members->name,
                            members->offset != LAB_ELSEWHERE
                                ? value_of(members, (const char *)row + members->offset, unreadable)
                                : json_null());
    return object;
}

static void set_value(const struct lab_row_member *member, void *at, const json_t *object)
{
    const json_t *value = json_object_get(object, member->name);
    switch (member->form) {
    case LAB_FORM_TEXT:
    case LAB_FORM_CHOICE:
        *(const char **)at = json_string_value(value);
        break;
    case LAB_FORM_STATUS:
    case LAB_FORM_PRIORITY:
        *(unsigned *)at = lab_form_number(member->form, json_string_value(value));
        break;
    case LAB_FORM_TIME:
        *(int64_t *)at = LAB_NO_TIME;
        if (json_is_string(value))
            lab_time_parse(json_string_value(value), at);
        break;
    case LAB_FORM_OBJECT:
    case LAB_FORM_LIST:
        *(char **)at = json_is_object(value) || json_is_array(value) ? json_dumps(value, JSON_COMPACT) : NULL;
        break;
    case LAB_FORM_INTEGER:
        *(int64_t *)at = lab_integer_of(object, member->name, INT64_MIN);
        break;
    case LAB_FORM_COUNT:
        *(int64_t *)at = lab_integer_of(object, member->name, 0);
        break;
    case LAB_FORM_NUMBER:
        *(double *)at = lab_number_of(object, member->name);
        break;
    case LAB_FORM_BOOLEAN:
        *(int *)at = json_is_boolean(value) ? json_is_true(value) : -1;
        break;
    }
}

void lab_row_from_json(const struct lab_row_member *members, void *row, const json_t *object)
{
    for (; members->name != NULL; members++)
        if (members->offset != LAB_ELSEWHERE)
            set_value(members, (char *)row + members->offset, object);
}

void lab_row_release(const struct lab_row_member *members, void *row)
{
    for (; members->name != NULL; members++)
        if (members->offset != LAB_ELSEWHERE && lab_form_is_document(members->form))
            free(*(char **)((char *)row + members->offset));
}
