/* Schemas of answers, from schemas.json, which is compiled in. */
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

json_t *lab_answer_schemas(void)
{
    return json_loads(lab_schemas_text, JSON_REJECT_DUPLICATES, NULL);
}

json_t *lab_component(const char *section, const char *name)
{
    char reference[128];
    snprintf(reference, sizeof reference, "#/components/%s/%s", section, name);
    return json_pack("{s:s}", "$ref", reference);
}
