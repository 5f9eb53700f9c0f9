/* Errors as JSON. */
#include "core/error_json.h"

#include <string.h>

static const char type_prefix[] = "/problems/";

json_t *lab_error_problem(enum lab_error_code code)
{
    char title[LAB_ERROR_TITLE_SIZE];
    lab_error_title(code, title);
    return json_pack("{s:s+, s:s}", "type", type_prefix, lab_error_name(code), "title", title);
}

enum lab_error_code lab_error_of_problem(const json_t *problem)
{
    const char *type = json_string_value(json_object_get(problem, "type"));
    size_t length = strlen(type_prefix);
    return lab_error_find(type != NULL && strncmp(type, type_prefix, length) == 0 ? type + length : NULL);
}

json_t *lab_error_write(const struct lab_error *error)
{
    return json_pack("{s:s, s:s, s:s}", "pointer", error->pointer, "detail", error->detail, "code",
                     lab_error_name(error->code));
}

void lab_error_read(const json_t *from, struct lab_error *error)
{
    const char *name = json_string_value(json_object_get(from, "code"));
    const char *pointer = json_string_value(json_object_get(from, "pointer"));
    const char *detail = json_string_value(json_object_get(from, "detail"));
    enum lab_error_code code = lab_error_find(name);
    bool foreign = name != NULL && strcmp(name, lab_error_name(code)) != 0;
    lab_error_set(error, code, pointer, "%s%s%s", foreign ? name : "", foreign && detail != NULL ? ": " : "",
                  detail != NULL ? detail : "");
}
