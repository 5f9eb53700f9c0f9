#include "compile_kernels.h"

#include "core/compiler_log.h"
#include "core/parallel.h"
#include "core/protocol.h"
#include "core/text.h"
#include "descriptor/expected_source.h"
#include "descriptor/macros.h"
#include "descriptor/source.h"
#include "kernel_signature.h"
#include "own_kernel.h"
#include "problem.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* IMAGES_MAX: characters of the images of an operation together; the rest of its line is for everything else. */
enum { IMAGES_MAX = LAB_LINE_MAX - 512 * 1024 };

/* The source in messages. */
static const char source_name[] = "kernel.cu";

/* A source with its options, and what the compiler has made of it. */
struct unit {
    json_t *request, *answer; /* answer NULL: `error` says why */
    struct lab_error error;
};

/* A kernel and its reference, of both sides of a comparison, with each combination of macros. */
enum { UNITS_MAX = 2 * 2 * LAB_MACRO_COMBINATIONS_MAX };

/* The sources of a run. They are collected first, so that the compiler gets all at once. */
struct compilation {
    struct lab_jobs *jobs;
    bool judged; /* the run is: only the kernel has the options that change how it is translated */
    json_t **problem;
    size_t unit_count, image_characters;
    struct unit units[UNITS_MAX];
    json_t *untold; /* the answer in place of one that rejects the reference of a judged run, whose text it may quote */
    atomic_bool failed; /* a source has no answer: no others are compiled */
};

/* One side of a run, while it is compiled. */
struct side {
    struct compilation *all;
    const json_t *kernel, *parameters, *devices;
    json_t *options; /* with one value of each macro */
};

static bool refuse(const struct compilation *c, enum lab_error_code code, const char *detail)
{
    *c->problem = lab_problem_json(code, detail, "");
    return false;
}

/* --- one source --------------------------------------------------------------------------------------------------- */

/* The request for the compiler to compile a source on the first of the devices, a new reference; NULL with a problem
 * set. Takes the source and the entries over. */
static json_t *request_of(const struct side *side, json_t *source, json_t *entries)
{
    struct lab_device_facts facts;
    const char *id = json_string_value(json_array_get(side->devices, 0));
    char architecture[32];
    int major = 0, minor = 0;
    json_t *request = NULL;
    if (id == NULL || !lab_devices_find(side->all->jobs->devices, id, &facts) ||
        sscanf(facts.compute_capability, "%d.%d", &major, &minor) != 2) {
        refuse(side->all, LAB_ERROR_DEVICE_UNAVAILABLE,
               "The device, for which the kernel has to be compiled, was removed.");
    } else {
        snprintf(architecture, sizeof architecture, "sm_%d%d", major, minor);
        request = json_pack("{s:O, s:O*, s:O, s:O, s:s, s:s}", "source", source, "files",
                            json_object_get(side->kernel, "files"), "entries", entries, "options", side->options,
                            "architecture", architecture, "name", source_name);
    }
    json_decref(source);
    json_decref(entries);
    return request;
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

static bool is_compiled(const json_t *answer)
{
    return json_is_string(json_object_get(answer, "cubin"));
}

/* Compiles some of the sources. What is rejected has an answer too. */
static void compile_units(void *context, size_t begin, size_t end)
{
    struct compilation *c = context;
    const struct lab_jobs_compiler *compiler = &c->jobs->compile;
    for (size_t i = begin; i < end && !atomic_load(&c->failed); i++) {
        struct unit *unit = &c->units[i];
        unit->answer = compiler->call(compiler->context, unit->request, &unit->error);
        json_object_del(unit->answer, "ptx"); /* of many variants it needs much memory */
        if (unit->answer == NULL)
            atomic_store(&c->failed, true);
    }
}

static struct unit *find_unit(struct compilation *c, const json_t *request)
{
    for (size_t i = 0; i < c->unit_count; i++)
        if (json_equal(c->units[i].request, request))
            return &c->units[i];
    return NULL;
}

/* Adds a request to those that are compiled, once. Takes it over. The compiler's thread gets a copy of its own. */
static bool collect(struct compilation *c, json_t *request)
{
    if (request != NULL && find_unit(c, request) == NULL)
        c->units[c->unit_count++].request = json_deep_copy(request);
    json_decref(request);
    return request != NULL;
}

/* Compiles what was collected, as much as the compiler takes at a time. */
static bool compile_all(struct compilation *c)
{
    if (c->unit_count > 0 && c->jobs->compile.call == NULL)
        return refuse(c, LAB_ERROR_NO_COMPILER, "This lab has no compiler for CUDA kernels.");
    lab_parallel_for(c->unit_count, 1, compile_units, c);
    for (size_t i = 0; i < c->unit_count; i++)
        if (c->units[i].error.detail[0] != '\0' && c->units[i].answer == NULL)
            return refuse(c, c->units[i].error.code, c->units[i].error.detail);
    return true;
}

/* The compiler's answer for a request that was collected, borrowed. Takes the request over. */
static const json_t *answer_of(struct compilation *c, json_t *request)
{
    const struct unit *unit = request != NULL ? find_unit(c, request) : NULL;
    json_decref(request);
    return unit != NULL ? unit->answer : NULL;
}

/* --- what a worker gets ------------------------------------------------------------------------------------------- */

static bool set_image(struct compilation *c, json_t *object, const json_t *answer)
{
    json_t *image = json_object_get(answer, "cubin");
    char detail[LAB_DETAIL_MAX];
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

/* Whether the kernel of a request gives a variable contents. */
static bool has_variable(const json_t *kernel, const char *name)
{
    size_t index;
    json_t *argument;
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        const char *kind = json_string_value(json_object_get(argument, "kind"));
        const char *own = json_string_value(json_object_get(argument, "name"));
        if (kind != NULL && own != NULL && strcmp(kind, "variable") == 0 && strcmp(own, name) == 0)
            return true;
    }
    return false;
}

/* Refuses a kernel that reads a __constant__ variable without contents: nothing would be measured but zeros. */
static bool check_constants(const struct side *side, const json_t *kernel)
{
    char detail[LAB_DETAIL_MAX];
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(kernel, "constants"), index, name)
    {
        if (has_variable(side->kernel, json_string_value(name)))
            continue;
        snprintf(
            detail, sizeof detail,
            "The kernel %.80s reads the __constant__ variable %.40s, which has no contents: give them with an argument "
            "of the kind variable.",
            json_string_value(json_object_get(kernel, "signature")), json_string_value(name));
        return refuse(side->all, LAB_ERROR_INVALID_LAUNCH, detail);
    }
    return true;
}

/* Refuses a kernel that would not do what it says: whose arguments are others, or that synchronises its grid in an
 * ordinary launch. */
static bool check_facts(const struct side *side, const json_t *described, const json_t *kernels, const char *name)
{
    const struct compilation *c = side->all;
    char detail[LAB_DETAIL_MAX];
    size_t index;
    json_t *kernel;
    json_array_foreach(kernels, index, kernel)
    {
        if (strcmp(json_string_value(json_object_get(kernel, "name")), name) != 0)
            continue;
        if (!check_constants(side, kernel))
            return false;
        if (!lab_kernel_signature_check(json_string_value(json_object_get(kernel, "signature")),
                                        json_object_get(side->kernel, "arguments"), detail, sizeof detail))
            return refuse(c, LAB_ERROR_INVALID_LAUNCH, detail);
        if (!json_is_true(json_object_get(kernel, "grid_sync")) ||
            json_is_true(json_object_get(described, "cooperative")))
            continue;
        snprintf(detail, sizeof detail,
                 "The kernel %.120s synchronises its grid (grid.sync()), which only a cooperative launch can: set "
                 "'cooperative' (--cooperative).",
                 json_string_value(json_object_get(kernel, "signature")));
        return refuse(c, LAB_ERROR_INVALID_LAUNCH, detail);
    }
    return true;
}

/* Sets the member "entry" to the name that the kernel of `described`, a kernel or a reference, has in the compiled
 * source. */
static bool set_entry(const struct side *side, json_t *object, const json_t *described, const json_t *answer)
{
    const json_t *kernels = json_object_get(answer, "kernels");
    const char *given = json_string_value(json_object_get(described, "entry"));
    const char *found =
        given != NULL ? json_string_value(json_object_get(json_object_get(answer, "entries"), given)) : NULL;
    if (found == NULL)
        found = lab_own_kernel_entry(kernels, given);
    char detail[LAB_DETAIL_MAX];
    if (found != NULL)
        return json_object_set_new(object, "entry", json_string(found)) == 0 &&
               check_facts(side, described, kernels, found);
    lab_entry_missing_text(kernels, given, detail, sizeof detail);
    return refuse(side->all, LAB_ERROR_KERNEL_NOT_FOUND, detail);
}

/* Appends the entry of a kernel or reference if the compiler has to know it. */
static void append_entry(json_t *entries, const json_t *object)
{
    json_t *entry = json_object_get(object, "entry");
    if (entry != NULL && lab_own_kernel_is_expression(json_string_value(entry)))
        json_array_append(entries, entry);
}

/* What is compiled for a kernel or a reference, a new reference: its source, or the file of which its source is an
 * edited part. NULL with *c->problem set. */
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

/* Whether the kernel's outputs are compared with those of another source: the source of the reference, or the one that
 * computes the expected outputs. */
static bool has_other_source(const json_t *kernel)
{
    json_t *expected = lab_expected_source(kernel);
    bool other = expected != NULL || json_object_get(json_object_get(kernel, "reference"), "source") != NULL;
    json_decref(expected);
    return other;
}

/* The request to the compiler for the source of the outputs with which the kernel's are compared: that of the reference
 * or of `expected`. NULL with a problem set. */
static json_t *request_of_reference(const struct side *side)
{
    static const char *const of_translation[] = {"fast_math", "max_registers"};
    const json_t *reference = json_object_get(side->kernel, "reference");
    json_t *expected = lab_expected_source(side->kernel), *entries = json_array();
    json_t *source = expected != NULL ? expected : text_of(side->all, reference);
    append_entry(entries, reference);
    struct side plain = *side;
    plain.options = json_copy(side->options);
    for (size_t i = 0; side->all->judged && i < sizeof of_translation / sizeof *of_translation; i++)
        json_object_del(plain.options, of_translation[i]);
    json_t *request = source != NULL ? request_of(&plain, source, entries) : NULL;
    json_decref(plain.options);
    return request;
}

/* The request to the compiler for the kernel's source, which may have the reference too. NULL with a problem set. */
static json_t *request_of_kernel(const struct side *side)
{
    const json_t *reference = json_object_get(side->kernel, "reference");
    json_t *source = text_of(side->all, side->kernel), *entries = json_array();
    append_entry(entries, side->kernel);
    if (json_object_get(reference, "source") == NULL)
        append_entry(entries, reference);
    return source != NULL ? request_of(side, source, entries) : NULL;
}

/* The answer of the compiler that rejects the reference, as the author of the kernel may see it. */
static const json_t *told_of_reference(struct compilation *c, const json_t *answer)
{
    if (!c->judged)
        return answer;
    if (c->untold == NULL)
        c->untold = json_pack("{s:[{s:s, s:s}]}", "messages", "severity", "error", "text",
                              "The compiler rejects the reference with the options of this kernel.");
    return c->untold;
}

/* Adds the reference, which may be in the source of the kernel itself, or the kernel that computes what is expected.
 * Sets *rejected to the answer that rejects its source. */
static bool add_reference(const struct side *side, json_t *variant, const json_t *answer, const json_t **rejected)
{
    struct compilation *c = side->all;
    const json_t *reference = json_object_get(side->kernel, "reference");
    bool is_other = has_other_source(side->kernel);
    if (!json_is_object(reference) && !is_other)
        return true;
    if (is_other) {
        answer = answer_of(c, request_of_reference(side));
        if (answer != NULL && !is_compiled(answer))
            *rejected = told_of_reference(c, answer);
    }
    json_t *compiled = json_object();
    json_object_set_new(variant, "reference", compiled);
    return answer != NULL && (*rejected != NULL || (set_entry(side, compiled, reference, answer) &&
                                                    (!is_other || set_image(c, compiled, answer))));
}

/* Completes the variant of side->options. Sets *rejected to the answer that rejects a source. */
static bool make_variant(const struct side *side, json_t *variant, const json_t **rejected)
{
    struct compilation *c = side->all;
    const json_t *answer = answer_of(c, request_of_kernel(side));
    if (answer != NULL && !is_compiled(answer))
        *rejected = answer;
    return answer != NULL &&
           (*rejected != NULL || (set_entry(side, variant, side->kernel, answer) && set_image(c, variant, answer) &&
                                  add_reference(side, variant, answer, rejected)));
}

/* Makes of a rejected variant {"macros", "refusal"}. */
static void refuse_variant(json_t *variant, const json_t *rejected)
{
    char detail[LAB_DETAIL_MAX];
    json_t *macros = json_incref(json_object_get(variant, "macros"));
    lab_messages_first_error(json_object_get(rejected, "messages"), source_name, detail, sizeof detail);
    json_object_clear(variant);
    json_object_set_new(variant, "macros", macros);
    json_object_set_new(variant, "refusal", json_string(detail));
}

/* Adds the kernel of the experiment `kernel` with all combinations of its macros. Those that the compiler rejects are
 * given to the worker with the reason, unless it rejects all. */
static bool add_variants(struct side *side, json_t *operation)
{
    const json_t *options = json_object_get(side->kernel, "options"), *first_rejected = NULL;
    json_t *combination, *variants = json_array(), *combinations = lab_macros_combine(options, side->parameters);
    size_t index, compiled = 0;
    bool good = true;
    json_object_set_new(operation, "variants", variants);
    json_array_foreach(combinations, index, combination)
    {
        json_t *variant = json_pack("{s:O}", "macros", combination);
        const json_t *rejected = NULL;
        json_array_append_new(variants, variant);
        side->options = lab_macros_choose(options, combination);
        good = make_variant(side, variant, &rejected);
        json_decref(side->options);
        if (good && rejected != NULL)
            refuse_variant(variant, rejected);
        first_rejected = first_rejected == NULL ? rejected : first_rejected;
        compiled += rejected == NULL;
        if (!good)
            break;
    }
    json_decref(combinations);
    return good && (compiled > 0 || report_rejection(side->all, first_rejected));
}

/* Adds an edited source, which has no lists of macros. */
static bool add_edit(struct side *side, json_t *operation)
{
    side->options = lab_macros_choose(json_object_get(side->kernel, "options"), NULL);
    const json_t *answer = answer_of(side->all, request_of_kernel(side));
    json_decref(side->options);
    return answer != NULL && (is_compiled(answer) || report_rejection(side->all, answer)) &&
           set_image(side->all, operation, answer);
}

/* Collects what the compiler is asked for a side. */
static bool collect_side(struct compilation *c, const json_t *kernel, const json_t *parameters, const json_t *devices)
{
    const json_t *options = json_object_get(kernel, "options");
    bool edits = lab_own_kernel_step(kernel) != NULL, good = true;
    struct side side = {.all = c, .kernel = kernel, .parameters = parameters, .devices = devices};
    json_t *combinations = !json_is_object(kernel) ? json_array()
                           : edits                 ? json_pack("[{}]")
                                                   : lab_macros_combine(options, parameters);
    for (size_t i = 0; good && i < json_array_size(combinations); i++) {
        side.options = lab_macros_choose(options, edits ? NULL : json_array_get(combinations, i));
        good = collect(c, request_of_kernel(&side)) &&
               (edits || !has_other_source(kernel) || collect(c, request_of_reference(&side)));
        json_decref(side.options);
    }
    json_decref(combinations);
    return good;
}

/* Replaces the kernel of a side, with these parameters and on these devices, by what a worker gets of it. */
static bool replace_kernel(struct compilation *c, json_t **kernel, const json_t *parameters, const json_t *devices)
{
    if (!json_is_object(*kernel))
        return true;
    struct side side = {.all = c, .kernel = *kernel, .parameters = parameters, .devices = devices};
    json_t *operation = json_deep_copy(*kernel);
    json_object_del(operation, "source");
    json_object_del(operation, "files");
    json_object_del(json_object_get(operation, "reference"), "source");
    bool good = (lab_own_kernel_step(*kernel) != NULL ? add_edit : add_variants)(&side, operation);
    json_decref(good ? *kernel : operation);
    *kernel = good ? operation : *kernel;
    return good;
}

bool lab_compile_kernels(struct lab_jobs *jobs, struct lab_run_request *request, json_t **problem)
{
    const json_t *of_base = request->compare_with;
    const json_t *parameters = json_object_get(of_base, "parameters"), *devices = json_object_get(of_base, "devices");
    json_t *base = json_incref(json_object_get(of_base, "kernel"));
    struct compilation *c = calloc(1, sizeof *c);
    if (c != NULL) {
        c->jobs = jobs;
        c->judged = request->judged;
        c->problem = problem;
    } else {
        *problem = lab_problem_json(LAB_ERROR_OUT_OF_MEMORY, "out of memory for the sources of a run", "");
    }
    bool good = c != NULL && collect_side(c, request->kernel, request->parameters, request->devices) &&
                collect_side(c, base, parameters, devices) && compile_all(c) &&
                replace_kernel(c, &request->kernel, request->parameters, request->devices) &&
                replace_kernel(c, &base, parameters, devices);
    if (base != NULL)
        json_object_set_new(request->compare_with, "kernel", base);
    for (size_t i = 0; c != NULL && i < c->unit_count; i++) {
        json_decref(c->units[i].request);
        json_decref(c->units[i].answer);
    }
    json_decref(c != NULL ? c->untold : NULL);
    free(c);
    return good;
}
