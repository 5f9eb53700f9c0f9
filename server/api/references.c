/* GET /api/v1/references: published results of all experiments, or with `?experiment=` of one. They are compiled in. */
#include "openapi/schemas.h"
#include "resources.h"

#include "descriptor/references.h"

/* As in the list of runs, an unknown experiment gives an empty list. */
void lab_api_list_references(const struct lab_request *request, struct lab_response *response)
{
    const char *experiment = lab_request_query(request, "experiment");
    lab_respond_json(response, 200, json_pack("{s:o}", "references", lab_references_to_json(experiment)));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema references_members[] = {
    {LAB_GIVEN(OBJECT, "references"), .count = LAB_LIST, .component = "Reference"},
    {0},
};

static const struct lab_schema reference_members[] = {
    {LAB_GIVEN(STRING, "experiment")},
    {LAB_GIVEN(STRING, "system")},
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(OBJECT, "parameters")},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(NUMBER, "value")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(STRING, "source")},
    {LAB_GIVEN(STRING, "remark"), .nullable = true},
    {0},
};

const struct lab_schema lab_references_documents[] = {
    {.name = "References", .type = LAB_TYPE_OBJECT, .members = references_members},
    {.name = "Reference", .type = LAB_TYPE_OBJECT, .members = reference_members, .text = "A published result."},
    {0},
};
