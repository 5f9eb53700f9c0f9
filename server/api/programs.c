/* GET /api/v1/programs: whole programs that people open, run and change. They are compiled in. */
#include "openapi/schemas.h"
#include "resources.h"

#include "descriptor/sample_programs.h"

static json_t *program_json(const struct lab_sample_program *program)
{
    json_t *lessons = json_array();
    for (size_t i = 0; program->lessons[i] != NULL; i++)
        json_array_append_new(lessons, json_string(program->lessons[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:{s:s}}", "name", program->name, "title", program->title, "text",
                     program->text, "lessons", lessons, "files", program->file, program->source);
}

void lab_api_list_programs(const struct lab_request *request, struct lab_response *response)
{
    json_t *programs = json_array();
    (void)request;
    for (const struct lab_sample_program *program = lab_sample_programs; program->name != NULL; program++)
        json_array_append_new(programs, program_json(program));
    lab_respond_json(response, 200, json_pack("{s:o}", "programs", programs));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema programs_members[] = {
    {LAB_GIVEN(OBJECT, "programs"), .count = LAB_LIST, .component = "SampleProgram"},
    {0},
};

static const struct lab_schema program_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "text"), .text = "What the program shows, in Markdown."},
    {LAB_GIVEN(STRING, "lessons"), .count = LAB_LIST, .text = "The experiments that explain it."},
    {LAB_GIVEN(OBJECT, "files"), .each = &(const struct lab_schema){.type = LAB_TYPE_STRING},
     .text = "The texts of its files, as the field `program.files` of a request."},
    {0},
};

const struct lab_schema lab_programs_documents[] = {
    {.name = "SamplePrograms", .type = LAB_TYPE_OBJECT, .members = programs_members},
    {.name = "SampleProgram",
     .type = LAB_TYPE_OBJECT,
     .members = program_members,
     .text = "A whole program that people open, run and change."},
    {0},
};
