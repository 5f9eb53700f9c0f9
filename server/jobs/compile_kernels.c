#include "compile_kernels.h"

#include "core/protocol.h"
#include "core/text.h"
#include "experiment/pairing.h"
#include "own_kernel.h"

#include <stdio.h>
#include <string.h>

/* Characters of the images of both sides together; the rest of the operation's line is for everything else. */
enum { IMAGES_MAX = LAB_LINE_MAX - 512 * 1024 };

static bool refuse(json_t **problem, const char *code, const char *title, const char *detail)
{
    *problem = json_pack("{s:s+, s:s, s:s}", "type", "/problems/", code, "title", title, "detail", detail);
    return false;
}

/* --- one source --------------------------------------------------------------------------------------------------- */

/* The request for the compiler; NULL if the device is not known any more. A new reference. */
static json_t *compile_request(struct lab_jobs *jobs, const json_t *kernel, const json_t *devices)
{
    struct lab_device_facts facts;
    const char *id = json_string_value(json_array_get(devices, 0));
    int major = 0, minor = 0;
    if (id == NULL || !lab_devices_find(jobs->devices, id, &facts) ||
        sscanf(facts.compute_capability, "%d.%d", &major, &minor) != 2)
        return NULL;
    char architecture[32];
    snprintf(architecture, sizeof architecture, "sm_%d%d", major, minor);
    return json_pack("{s:O, s:s, s:s}", "source", json_object_get(kernel, "source"), "architecture", architecture,
                     "name", "kernel.cu");
}

/* The problem of a source that the compiler rejected: the first error as the detail, and all messages. */
static bool report_rejection(const json_t *answer, json_t **problem)
{
    size_t index;
    json_t *message, *messages = json_object_get(answer, "messages");
    char detail[LAB_DETAIL_MAX] = "The compiler rejected the source without a message.";
    json_array_foreach(messages, index, message)
    {
        const char *severity = json_string_value(json_object_get(message, "severity"));
        if (severity == NULL || strcmp(severity, "error") != 0)
            continue;
        snprintf(detail, sizeof detail, "Line %" JSON_INTEGER_FORMAT ", column %" JSON_INTEGER_FORMAT ": %s",
                 json_integer_value(json_object_get(message, "line")),
                 json_integer_value(json_object_get(message, "column")),
                 json_string_value(json_object_get(message, "text")));
        break;
    }
    lab_utf8_drop_invalid(detail);
    refuse(problem, "compile-failed", "The source of the kernel was rejected", detail);
    json_object_set(*problem, "messages", messages != NULL ? messages : json_null());
    return false;
}

/* Sets *image to the compiled source as Base64, a new reference. */
static bool compile(struct lab_jobs *jobs, const json_t *compile_request, json_t **image, json_t **problem)
{
    struct lab_error error = {0};
    if (jobs->compile.call == NULL)
        return refuse(problem, "no-compiler", "No compiler", "This lab has no compiler for CUDA kernels.");
    json_t *answer = jobs->compile.call(jobs->compile.context, compile_request, &error);
    if (answer == NULL)
        return refuse(problem, error.code, "The source of the kernel could not be compiled", error.detail);
    *image = json_incref(json_object_get(answer, "cubin"));
    bool compiled = json_is_string(*image) || report_rejection(answer, problem);
    json_decref(answer);
    return compiled;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* A side's own kernel while it is compiled. */
struct side {
    const json_t *kernel, *devices; /* kernel NULL: none */
    json_t *request, *image;
};

static bool compile_side(struct lab_jobs *jobs, struct side *side, const struct side *other, json_t **problem)
{
    if (!json_is_object(side->kernel))
        return true;
    side->request = compile_request(jobs, side->kernel, side->devices);
    if (side->request == NULL)
        return refuse(problem, "device-unavailable", "Device unavailable",
                      "The device, for which the kernel has to be compiled, was removed.");
    if (other->image != NULL && json_equal(other->request, side->request)) {
        side->image = json_incref(other->image);
        return true;
    }
    return compile(jobs, side->request, &side->image, problem);
}

static bool check_size(const struct side sides[LAB_SIDES], json_t **problem)
{
    size_t size = json_string_length(sides[LAB_BASE].image) + json_string_length(sides[LAB_HEAD].image);
    char detail[LAB_DETAIL_MAX];
    if (size <= IMAGES_MAX)
        return true;
    snprintf(detail, sizeof detail, "The compiled kernels have %zu bytes; a worker takes at most %d.", size / 4 * 3,
             IMAGES_MAX / 4 * 3);
    return refuse(problem, "kernel-too-large", "The compiled kernel is too large", detail);
}

/* What a worker gets of a side's kernel. A new reference. */
static json_t *operation_of(const struct side *side)
{
    json_t *operation = json_pack("{s:s, s:O}", "step", lab_own_kernel_step(side->kernel), "image", side->image);
    static const char *const sizes[] = {"block", "grid"};
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(side->kernel, sizes[i]) != NULL)
            json_object_set(operation, sizes[i], json_object_get(side->kernel, sizes[i]));
    return operation;
}

bool lab_compile_kernels(struct lab_jobs *jobs, struct lab_run_request *request, json_t **problem)
{
    struct side sides[LAB_SIDES] = {[LAB_BASE] = {json_object_get(request->compare_with, "kernel"),
                                                  json_object_get(request->compare_with, "devices")},
                                    [LAB_HEAD] = {request->kernel, request->devices}};
    struct side *base = &sides[LAB_BASE], *head = &sides[LAB_HEAD];
    bool good = compile_side(jobs, head, base, problem) && compile_side(jobs, base, head, problem) &&
                check_size(sides, problem);
    if (good && base->image != NULL)
        json_object_set_new(request->compare_with, "kernel", operation_of(base));
    if (good && head->image != NULL) {
        json_t *operation = operation_of(head);
        json_decref(request->kernel);
        request->kernel = operation;
    }
    for (size_t i = 0; i < LAB_SIDES; i++) {
        json_decref(sides[i].request);
        json_decref(sides[i].image);
    }
    return good;
}
