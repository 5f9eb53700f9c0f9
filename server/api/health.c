/* GET /api/v1/version, /healthz (the process responds) and /readyz (it can accept and start runs). */
#include "openapi/schemas.h"
#include "resources.h"
#include "visibility.h"

#include "core/build.h"

#include <unistd.h>

#include "descriptor/results.h"

void lab_api_get_version(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_json(response, 200,
                     json_pack("{s:s, s:s, s:s, s:i, s:{s:s, s:s, s:s, s:s, s:s, s:s}}", "name", "gpulab", "version",
                               lab_build.version, "commit", lab_build.commit, "api", 1, "build", "type", lab_build.type,
                               "compiler", lab_build.compiler, "flags", lab_build.flags, "cuda", lab_build.cuda,
                               "cuda_flags", lab_build.cuda_flags, "architectures", lab_build.architectures));
}

void lab_api_healthz(const struct lab_request *request, struct lab_response *response)
{
    static const char ok[] = "{\"status\":\"ok\"}";
    (void)request;
    lab_respond_text(response, 200, "application/json", ok, sizeof ok - 1);
}

/* Adds an error for each reason why a run could not be stored or started. */
static void check_ready(const struct lab_request *request, struct lab_errors *errors)
{
    struct lab_api *api = lab_api_of(request);
    char message[LAB_DETAIL_MAX];
    if (!lab_store_healthy(api->store, message, sizeof message))
        lab_errors_add(errors, LAB_ERROR_STORE_UNAVAILABLE, "/store", "%s", message);
    if (access(api->worker_path, X_OK) != 0)
        lab_errors_add(errors, LAB_ERROR_NO_WORKER, "/worker", "The worker %s is not executable: %m", api->worker_path);
    struct lab_queue_state queue;
    lab_queue_seen(request, &queue);
    if (queue.held[0] != '\0')
        lab_errors_add(errors, LAB_ERROR_QUEUE_HELD, "/queue", "%s", queue.held);
}

void lab_api_readyz(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    check_ready(request, &errors);
    if (errors.count == 0) {
        lab_respond_json(response, 200, json_pack("{s:s}", "status", "ready"));
        return;
    }
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, LAB_ERROR_NOT_READY, "The server cannot run experiments now.", &errors);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema health_members[] = {
    {LAB_GIVEN(CHOICE, "status"), .choices = LAB_TEXTS("ok", "ready")},
    {0},
};

static const struct lab_schema version_build_members[] = {
    {LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(STRING, "compiler")},
    {LAB_GIVEN(STRING, "flags")},
    {LAB_GIVEN(STRING, "cuda")},
    {LAB_GIVEN(STRING, "cuda_flags")},
    {LAB_GIVEN(STRING, "architectures")},
    {0},
};

static const struct lab_schema version_members[] = {
    {LAB_GIVEN(CHOICE, "name"), .choices = LAB_TEXTS("gpulab")},
    {LAB_GIVEN(STRING, "version")},
    {LAB_GIVEN(STRING, "commit")},
    {LAB_GIVEN(INTEGER, "api"), .minimum = 1, .maximum = 1},
    {LAB_GIVEN(OBJECT, "build"), .members = version_build_members},
    {0},
};

const struct lab_schema lab_health_documents[] = {
    {.name = "Health", .type = LAB_TYPE_OBJECT, .members = health_members},
    {.name = "Version", .type = LAB_TYPE_OBJECT, .members = version_members},
    {0},
};
