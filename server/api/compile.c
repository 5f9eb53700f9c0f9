/* POST /api/v1/compile: compiles a source, between runs. GET /api/v1/compiler: what it compiles for. */
#include "compiler/compiler.h"
#include "descriptor/macros.h"
#include "descriptor/source.h"
#include "jobs/compile_kernels.h"
#include "jobs/own_kernel.h"
#include "openapi/schemas.h"
#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* How long a request waits until no run is measured. */
static const double wait_s = 5;

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void respond_error(struct lab_response *response, const struct lab_error *error)
{
    if (error->code == LAB_ERROR_NO_COMPILER || error->code == LAB_ERROR_COMPILER_FAILED) {
        lab_respond_problem(response, error->code, error->detail, NULL);
        return;
    }
    struct lab_errors errors = {.count = 1, .items = {*error}};
    lab_reply_invalid(response, &errors);
}

/* Compiles while no run is measured, and adds the SASS if it is wanted. NULL when the response is set. */
static json_t *compile(const struct lab_api *api, const json_t *request, bool sass, struct lab_response *response)
{
    struct lab_error error;
    if (!lab_jobs_reserve(api->jobs, wait_s)) {
        lab_respond_header(response, "Retry-After", "5");
        lab_respond_problem(response, LAB_ERROR_RUN_IN_PROGRESS,
                            "A run is being measured, which compiling would disturb; try again when it has ended.",
                            NULL);
        return NULL;
    }
    json_t *answer = lab_compile(api->compiler, request, &error);
    if (answer != NULL && sass)
        lab_compiler_add_sass(api->compiler, answer);
    lab_jobs_release(api->jobs);
    if (answer == NULL)
        respond_error(response, &error);
    return answer;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* The architecture of the device with this id, "sm_90", as a new reference; NULL with an error if it has none. */
static json_t *architecture_of(const struct lab_api *api, const char *id, struct lab_errors *errors)
{
    json_t *document = lab_jobs_last_devices(api->jobs), *device = lab_device_find(document, id);
    const char *capability =
        json_string_value(json_object_get(json_object_get(device, "properties"), "compute_capability"));
    int major, minor;
    json_t *architecture = NULL;
    if (device == NULL)
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_DEVICE, "/device",
                       "device not found; GET /api/v1/devices lists the ids");
    else if (capability == NULL || sscanf(capability, "%d.%d", &major, &minor) != 2)
        lab_errors_add(errors, LAB_ERROR_NO_ARCHITECTURE, "/device",
                       "is not a CUDA device, so there is no architecture to compile for; name one in architecture");
    else
        architecture = json_sprintf("sm_%d%d", major, minor);
    json_decref(device);
    json_decref(document);
    return architecture;
}

/* What is compiled, a new reference: the source, or the file of which it is an edited part. NULL with an error. */
static json_t *text_of(const json_t *body, struct lab_errors *errors)
{
    const char *source = json_string_value(json_object_get(body, "source"));
    const char *name = json_string_value(json_object_get(body, "name"));
    const char *edits = json_string_value(json_object_get(body, "edits"));
    const struct lab_source *edited = edits != NULL ? lab_source_find_edited(edits) : NULL;
    struct lab_error error;
    if (edits != NULL && edited == NULL) {
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_SOURCE, "/edits",
                       "must be EXPERIMENT/STEP, a step whose CUDA source an experiment lists and compiles itself");
        return NULL;
    }
    char *text = lab_source_complete(edited, source, name != NULL ? name : "kernel.cu", &error);
    if (text == NULL)
        lab_errors_add(errors, error.code, "/source", "%s", error.detail);
    json_t *whole = text != NULL ? json_string(text) : NULL;
    free(text);
    return whole;
}

/* The request for lab_compile, which does not know of SASS: `*sass` is whether it is wanted. NULL with errors. */
static json_t *make_request(const struct lab_api *api, const json_t *body, bool *sass, struct lab_errors *errors)
{
    const char *device = json_string_value(json_object_get(body, "device"));
    json_t *source = text_of(body, errors), *architecture = json_incref(json_object_get(body, "architecture"));
    if ((device == NULL) == (architecture == NULL))
        lab_errors_add(errors, LAB_ERROR_NO_ARCHITECTURE, "/architecture",
                       "either architecture or device must be given");
    else if (device != NULL)
        architecture = architecture_of(api, device, errors);
    json_t *name = json_incref(json_object_get(body, "name")), *files = json_incref(json_object_get(body, "files"));
    json_t *options = lab_macros_choose(json_object_get(body, "options"), NULL);
    lab_kernel_options_check(json_object_get(body, "options"), "/options", errors);
    lab_source_files_check(files, "/files", errors);
    *sass = json_is_true(json_object_get(options, "sass"));
    json_object_del(options, "sass");
    const char *entry = json_string_value(json_object_get(body, "entry"));
    json_t *entries = entry != NULL && lab_own_kernel_is_expression(entry) ? json_pack("[s]", entry) : NULL;
    json_t *request = json_pack("{s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}", "source", source, "files", files,
                                "architecture", architecture, "name", name, "entries", entries, "options", options);
    if (errors->count == 0)
        return request;
    json_decref(request);
    return NULL;
}

/* Rejects a source without the kernel that the request names. The compiler itself looks for instances of templates. */
static void check_entry(json_t *answer, const json_t *body)
{
    const char *entry = json_string_value(json_object_get(body, "entry"));
    const json_t *kernels = json_object_get(answer, "kernels");
    if (entry == NULL || kernels == NULL || lab_own_kernel_is_expression(entry) ||
        json_object_get(body, "edits") != NULL || lab_own_kernel_entry(kernels, entry) != NULL)
        return;
    char text[LAB_DETAIL_MAX];
    lab_entry_missing_text(kernels, entry, text, sizeof text);
    json_object_set_new(answer, "status", json_string("rejected"));
    json_array_insert_new(json_object_get(answer, "messages"), 0,
                          json_pack("{s:s, s:s}", "severity", "error", "text", text));
}

void lab_api_compile(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    struct lab_errors errors = {0};
    bool sass;
    json_t *body = make_request(api, lab_request_json(request), &sass, &errors);
    json_t *answer = body != NULL ? compile(api, body, sass, response) : NULL;
    if (body == NULL)
        lab_reply_invalid(response, &errors);
    json_decref(body);
    if (answer == NULL)
        return;
    check_entry(answer, lab_request_json(request));
    json_object_del(answer, "cubin");
    json_object_del(answer, "entries");
    json_object_del(answer, "names");
    lab_respond_json(response, 200, answer);
}

void lab_api_get_compiler(const struct lab_request *request, struct lab_response *response)
{
    json_t *body = json_object(), *answer = compile(lab_api_of(request), body, false, response);
    json_decref(body);
    if (answer == NULL)
        return;
    lab_respond_json(response, 200, json_incref(json_object_get(answer, "compiler")));
    json_decref(answer);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema compiler_members[] = {
    {LAB_GIVEN(STRING, "version"), .text = "The version of NVRTC."},
    {LAB_GIVEN(STRING, "architectures"), .count = LAB_LIST},
    {LAB_GIVEN(CHOICE, "protection"), .count = LAB_LIST, .choices = LAB_TEXTS("seccomp", "landlock"),
     .text = "What keeps a source from files and network while it is compiled."},
    {LAB_GIVEN(BOOLEAN, "sass"), .text = "Whether the lab has nvdisasm, which writes SASS."},
    {0},
};

static const struct lab_schema compilation_members[] = {
    {LAB_GIVEN(CHOICE, "status"), .choices = LAB_TEXTS("compiled", "rejected")},
    {LAB_GIVEN(OBJECT, "messages"), .count = LAB_LIST, .component = "CompilerMessage"},
    {LAB_GIVEN(STRING, "log"), .text = "As NVRTC wrote it, at most 64 KiB."},
    {LAB_GIVEN(NUMBER, "seconds")},
    {.name = "ptx", .type = LAB_TYPE_STRING},
    {.name = "sass",
     .type = LAB_TYPE_STRING,
     .text = "The machine code as nvdisasm writes it, cut to 4 MiB; only on request."},
    {.name = "kernels", .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .component = "CompiledKernel"},
    {LAB_GIVEN(OBJECT, "compiler"), .component = "Compiler"},
    {0},
};

static const struct lab_schema compiler_message_members[] = {
    {LAB_GIVEN(CHOICE, "severity"), .choices = LAB_TEXTS("error", "warning", "note")},
    {.name = "file", .type = LAB_TYPE_STRING},
    {.name = "line", .type = LAB_TYPE_INTEGER},
    {.name = "column", .type = LAB_TYPE_INTEGER, .text = "In characters, from 1."},
    {LAB_GIVEN(STRING, "text")},
    {0},
};

static const struct lab_schema compiled_kernel_members[] = {
    {LAB_GIVEN(STRING, "name"), .text = "The symbol, which C++ mangles unless the kernel is extern \"C\"."},
    {LAB_GIVEN(STRING, "signature"), .text = "The name in C++, such as add(float*, int)."},
    {LAB_GIVEN(INTEGER, "registers"), .text = "Registers of a thread."},
    {LAB_GIVEN(INTEGER, "shared_bytes"), .text = "Shared memory of a block, without what a launch adds."},
    {LAB_GIVEN(INTEGER, "local_bytes"), .text = "The stack of a thread."},
    {LAB_GIVEN(INTEGER, "spill_bytes"), .text = "Registers that a thread stores to local memory."},
    {LAB_GIVEN(INTEGER, "parameters"), .count = LAB_LIST, .text = "Their sizes in bytes."},
    {LAB_GIVEN(BOOLEAN, "grid_sync"),
     .text = "Whether it synchronises its grid, so that its launch must be cooperative."},
    {LAB_GIVEN(STRING, "constants"), .count = LAB_LIST,
     .text = "The symbols of the __constant__ variables that it reads and that have no contents in the source."},
    {LAB_GIVEN(OBJECT, "occupancy"), .count = LAB_LIST, .component = "Occupancy",
     .text = "For blocks of 32 to 1024 threads. Empty for an architecture whose limits are not known."},
    {0},
};

static const struct lab_schema occupancy_members[] = {
    {LAB_GIVEN(INTEGER, "threads"), .text = "Threads of a block."},
    {LAB_GIVEN(INTEGER, "warps"), .text = "Resident on a multiprocessor; 0: such a block cannot be launched."},
    {LAB_GIVEN(NUMBER, "share"), .text = "The share of the most warps that a multiprocessor holds, from 0 to 1."},
    {LAB_GIVEN(CHOICE, "limit"), .choices = LAB_TEXTS("registers", "shared memory", "blocks", "warps"),
     .text = "The resource that limits the resident warps."},
    {0},
};

const struct lab_schema lab_compile_documents[] = {
    {.name = "Compiler", .type = LAB_TYPE_OBJECT, .members = compiler_members},
    {.name = "Compilation", .type = LAB_TYPE_OBJECT, .members = compilation_members},
    {.name = "CompilerMessage", .type = LAB_TYPE_OBJECT, .members = compiler_message_members},
    {.name = "CompiledKernel", .type = LAB_TYPE_OBJECT, .members = compiled_kernel_members},
    {.name = "Occupancy", .type = LAB_TYPE_OBJECT, .members = occupancy_members},
    {0},
};
