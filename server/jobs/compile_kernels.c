#include "compile_kernels.h"

#include "core/compiler_log.h"
#include "core/protocol.h"
#include "core/text.h"
#include "descriptor/source.h"
#include "own_kernel.h"
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SOURCES_MAX: a kernel and a reference of each side. IMAGES_MAX: characters of the images of an operation together; the rest of
 * its line is for everything else. */
enum { SOURCES_MAX = 4, IMAGES_MAX = LAB_LINE_MAX - 512 * 1024 };

/* The source in messages. */
static const char source_name[] = "kernel.cu";

/* The sources of a run that have been compiled. */
struct compilation {
    struct lab_jobs *jobs;
    json_t **problem;
    size_t count;
    struct {
        json_t *request, *answer;
    } sources[SOURCES_MAX];
    size_t image_characters;
};

static bool refuse(const struct compilation *c, enum lab_error_code code, const char *detail)
{
    *c->problem = lab_problem_json(code, detail, "");
    return false;
}

/* --- one source --------------------------------------------------------------------------------------------------- */

/* The request for the compiler, a new reference; NULL if the device is not known any more. */
static json_t *request_of(const struct compilation *c, json_t *source, json_t *entries, const json_t *devices)
{
    struct lab_device_facts facts;
    const char *id = json_string_value(json_array_get(devices, 0));
    char architecture[32];
    int major = 0, minor = 0;
    if (id == NULL || !lab_devices_find(c->jobs->devices, id, &facts) ||
        sscanf(facts.compute_capability, "%d.%d", &major, &minor) != 2)
        return NULL;
    snprintf(architecture, sizeof architecture, "sm_%d%d", major, minor);
    return json_pack("{s:O, s:O, s:s, s:s}", "source", source, "entries", entries, "architecture", architecture, "name",
                     source_name);
}

static bool report_rejection(const struct compilation *c, const json_t *answer)
{
    char detail[LAB_DETAIL_MAX];
    json_t *messages = json_object_get(answer, "messages");
    lab_messages_first_error(messages, source_name, detail, sizeof detail);
    refuse(c, LAB_ERROR_COMPILE_FAILED, detail);
    json_object_set_new(*c->problem, "messages", messages != NULL ? json_incref(messages) : json_null());
    return false;
}

/* Calls the compiler and keeps its answer. */
static const json_t *call_compiler(struct compilation *c, json_t *request)
{
    const struct lab_jobs_compiler *compiler = &c->jobs->compile;
    struct lab_error error = {0};
    json_t *answer = compiler->call != NULL ? compiler->call(compiler->context, request, &error) : NULL;
    if (compiler->call == NULL)
        refuse(c, LAB_ERROR_NO_COMPILER, "This lab has no compiler for CUDA kernels.");
    else if (answer == NULL)
        refuse(c, error.code, error.detail);
    else if (!json_is_string(json_object_get(answer, "cubin")))
        report_rejection(c, answer);
    else {
        c->sources[c->count].request = json_incref(request);
        return c->sources[c->count++].answer = answer;
    }
    json_decref(answer);
    return NULL;
}

/* The compiler's answer for a source on the first of the devices, borrowed; NULL with *c->problem set. `entries`: those that are
 * C++ expressions, which the compiler has to know. */
static const json_t *compile(struct compilation *c, json_t *source, json_t *entries, const json_t *devices)
{
    json_t *request = request_of(c, source, entries, devices);
    const json_t *answer = NULL;
    if (request == NULL) {
        refuse(c, LAB_ERROR_DEVICE_UNAVAILABLE, "The device, for which the kernel has to be compiled, was removed.");
        return NULL;
    }
    for (size_t i = 0; i < c->count && answer == NULL; i++)
        if (json_equal(c->sources[i].request, request))
            answer = c->sources[i].answer;
    if (answer == NULL)
        answer = call_compiler(c, request);
    json_decref(request);
    return answer;
}

/* --- what a worker gets ------------------------------------------------------------------------------------------- */

/* Replaces the source by the image. */
static bool set_image(struct compilation *c, json_t *object, const json_t *answer)
{
    json_t *image = json_object_get(answer, "cubin");
    char detail[LAB_DETAIL_MAX];
    json_object_del(object, "source");
    json_object_set(object, "image", image);
    c->image_characters += json_string_length(image);
    if (c->image_characters <= IMAGES_MAX)
        return true;
    snprintf(detail, sizeof detail, "The compiled kernels have %zu bytes; a worker takes at most %d.",
             c->image_characters / 4 * 3, IMAGES_MAX / 4 * 3);
    return refuse(c, LAB_ERROR_KERNEL_TOO_LARGE, detail);
}

void lab_entry_missing_text(const json_t *kernels, const char *entry, char *detail, size_t size)
{
    char names[LAB_DETAIL_MAX / 2] = "none; of a template it names an instance, such as scale<float>";
    for (size_t i = 0, used = 0; i < json_array_size(kernels) && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 json_string_value(json_object_get(json_array_get(kernels, i), "signature")));
    snprintf(detail, size, "The entry must name one kernel of the source%s%.64s; its kernels are: %s.",
             entry != NULL ? ", not " : "", entry != NULL ? entry : "", names);
    lab_utf8_drop_invalid(detail);
}

/* Sets the member "entry" to the name that the kernel has in the compiled source. */
static bool set_entry(const struct compilation *c, json_t *object, const json_t *answer)
{
    const json_t *kernels = json_object_get(answer, "kernels");
    const char *given = json_string_value(json_object_get(object, "entry"));
    const char *found =
        given != NULL ? json_string_value(json_object_get(json_object_get(answer, "entries"), given)) : NULL;
    if (found == NULL)
        found = lab_own_kernel_entry(kernels, given);
    char detail[LAB_DETAIL_MAX];
    if (found != NULL)
        return json_object_set_new(object, "entry", json_string(found)) == 0;
    lab_entry_missing_text(kernels, given, detail, sizeof detail);
    return refuse(c, LAB_ERROR_KERNEL_NOT_FOUND, detail);
}

/* Appends the entry of a kernel or reference if the compiler has to know it. */
static void append_entry(json_t *entries, const json_t *object)
{
    json_t *entry = json_object_get(object, "entry");
    if (entry != NULL && lab_own_kernel_is_expression(json_string_value(entry)))
        json_array_append(entries, entry);
}

/* What is compiled for a kernel or a reference, a new reference: its source, or the file of which its source is an edited part. NULL
 * with *c->problem set. */
static json_t *text_of(const struct compilation *c, const json_t *object)
{
    const char *source = json_string_value(json_object_get(object, "source"));
    const char *edits = json_string_value(json_object_get(object, "edits"));
    const struct lab_source *edited = edits != NULL ? lab_source_find_edited(edits) : NULL;
    struct lab_error error;
    char *text = lab_source_complete(edited, source, source_name, &error);
    if (text == NULL)
        refuse(c, LAB_ERROR_COMPILE_FAILED, error.detail);
    json_t *whole = text != NULL ? json_string(text) : NULL;
    free(text);
    return whole;
}

/* Compiles the reference, which may be in the source of the kernel itself. */
static bool compile_reference(struct compilation *c, json_t *operation, const json_t *answer, const json_t *devices)
{
    json_t *reference = json_object_get(operation, "reference");
    if (!json_is_object(reference))
        return true;
    bool is_other = json_object_get(reference, "source") != NULL;
    if (is_other) {
        json_t *entries = json_array(), *source = text_of(c, reference);
        append_entry(entries, reference);
        answer = source != NULL ? compile(c, source, entries, devices) : NULL;
        json_decref(source);
        json_decref(entries);
    }
    json_t *compiled = json_copy(reference);
    json_object_set_new(operation, "reference", compiled);
    return answer != NULL && set_entry(c, compiled, answer) && (!is_other || set_image(c, compiled, answer));
}

/* What a worker gets of a kernel, a new reference; NULL with *c->problem set. */
static json_t *make_operation(struct compilation *c, json_t *kernel, const json_t *devices)
{
    json_t *source = text_of(c, kernel), *operation = json_copy(kernel), *entries = json_array();
    const json_t *reference = json_object_get(kernel, "reference");
    append_entry(entries, kernel);
    if (json_object_get(reference, "source") == NULL)
        append_entry(entries, reference);
    const json_t *answer = source != NULL ? compile(c, source, entries, devices) : NULL;
    json_decref(entries);
    bool edits = lab_own_kernel_step(kernel) != NULL;
    if (answer != NULL &&
        (edits || (set_entry(c, operation, answer) && compile_reference(c, operation, answer, devices))) &&
        set_image(c, operation, answer)) {
        json_decref(source);
        return operation;
    }
    json_decref(source);
    json_decref(operation);
    return NULL;
}

static bool compile_side(struct compilation *c, json_t **kernel, const json_t *devices)
{
    if (!json_is_object(*kernel))
        return true;
    json_t *operation = make_operation(c, *kernel, devices);
    if (operation == NULL)
        return false;
    json_decref(*kernel);
    *kernel = operation;
    return true;
}

bool lab_compile_kernels(struct lab_jobs *jobs, struct lab_run_request *request, json_t **problem)
{
    struct compilation c = {.jobs = jobs, .problem = problem};
    const json_t *devices = json_object_get(request->compare_with, "devices");
    json_t *base = json_incref(json_object_get(request->compare_with, "kernel"));
    bool good = compile_side(&c, &request->kernel, request->devices) && compile_side(&c, &base, devices);
    if (base != NULL)
        json_object_set_new(request->compare_with, "kernel", base);
    for (size_t i = 0; i < c.count; i++) {
        json_decref(c.sources[i].request);
        json_decref(c.sources[i].answer);
    }
    return good;
}
