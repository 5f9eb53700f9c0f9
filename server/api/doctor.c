/* GET /api/v1/doctor: what gpulab finds on this machine or on a node. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/finding_groups.h"
#include "descriptor/results.h"

/* How long a request waits until the examination begins, and until it ends: opening the way to the machine and the
 * worker have limits of their own. Both together are less than what gpulab's clients wait. */
static const double begin_s = 20, end_s = 90;

void lab_api_get_doctor(const struct lab_request *request, struct lab_response *response)
{
    struct lab_error error = {0};
    const char *node = lab_request_query(request, "node");
    json_t *document = lab_jobs_examine(lab_api_of(request)->jobs, node, begin_s, end_s, &error);
    if (document != NULL) {
        lab_respond_json(response, 200, document);
        return;
    }
    if (error.code == LAB_ERROR_NOT_FOUND) {
        lab_respond_problem(response, error.code, error.detail, NULL);
        return;
    }
    bool busy =
        error.code == LAB_ERROR_RUN_IN_PROGRESS || error.code == LAB_ERROR_TOO_BUSY || error.code == LAB_ERROR_STOPPING;
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, busy ? error.code : LAB_ERROR_NOT_EXAMINED, error.detail, NULL);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema packages_members[] = {
    {LAB_GIVEN(STRING, "debian"), .text = "On Debian and Ubuntu."},
    {LAB_GIVEN(STRING, "rhel"), .text = "On RHEL and its like."},
    {0},
};

static const struct lab_schema finding_members[] = {
    {LAB_GIVEN(STRING, "name"), .text = "What was looked for; it never changes."},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(CHOICE, "group"), .choices = LAB_TEXTS(LAB_FINDING_WORKS, LAB_FINDING_MISSING, LAB_FINDING_DISTURBS),
     .text = "disturbs: measurements on the machine are worse for it."},
    {LAB_GIVEN(BOOLEAN, "blocks"), .text = "Whether it keeps gpulab from working."},
    {LAB_GIVEN(STRING, "text"), .text = "What was found."},
    {LAB_GIVEN(STRING, "enables"), .nullable = true, .text = "Experiments and functions of gpulab that need it."},
    {LAB_GIVEN(OBJECT, "packages"), .nullable = true, .members = packages_members, .text = "The packages to install."},
    {LAB_GIVEN(STRING, "remedy"), .nullable = true, .text = "How to fix it."},
    {0},
};

static const struct lab_schema examination_members[] = {
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {LAB_GIVEN(STRING, "version"), .text = "Of gpulab on that machine."},
    {LAB_GIVEN(BOOLEAN, "works"), .text = "Whether no finding blocks."},
    {LAB_GIVEN(OBJECT, "findings"), .count = LAB_LIST, .members = finding_members},
    {0},
};

const struct lab_schema lab_doctor_documents[] = {
    {.name = "Examination",
     .type = LAB_TYPE_OBJECT,
     .members = examination_members,
     .text = "What gpulab finds on a machine. No names of machines, users or devices are in it."},
    {0},
};
