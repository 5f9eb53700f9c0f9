/* Schemas of answers, from schemas.json, which is compiled in, and of error codes, from their table. */
#include "schemas.h"

#include <stdio.h>

/* LAB_SCHEMAS_FILE is the path of schemas.json; the build sets it. */
__asm__(
    ".section .rodata\n"
    "lab_schemas_text: .incbin \"" LAB_SCHEMAS_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char lab_schemas_text[];

/* "ErrorCode": the names of all codes. */
static json_t *error_codes(void)
{
    json_t *names = json_array();
    for (int code = LAB_ERROR_NONE + 1; code < LAB_ERROR_CODE_COUNT; code++)
        json_array_append_new(names, json_string(lab_error_name((enum lab_error_code)code)));
    return json_pack("{s:s, s:o}", "type", "string", "enum", names);
}

json_t *lab_answer_schemas(void)
{
    json_t *schemas = json_loads(lab_schemas_text, JSON_REJECT_DUPLICATES, NULL);
    json_object_set_new(schemas, "ErrorCode", error_codes());
    return schemas;
}

json_t *lab_component(const char *section, const char *name)
{
    char reference[128];
    snprintf(reference, sizeof reference, "#/components/%s/%s", section, name);
    return json_pack("{s:s}", "$ref", reference);
}
