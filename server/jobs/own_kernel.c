#include "own_kernel.h"

#include "core/number.h"
#include "core/program.h"
#include "core/text.h"
#include "descriptor/macros.h"
#include "descriptor/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lab_own_kernel_step(const json_t *kernel)
{
    const char *edits = json_string_value(json_object_get(kernel, "edits"));
    const char *slash = edits != NULL ? strchr(edits, '/') : NULL;
    return slash != NULL ? slash + 1 : NULL;
}

bool lab_side_is_program(const struct lab_experiment *experiment, const json_t *kernel)
{
    return (experiment != NULL && experiment->programs) || json_object_get(kernel, "check") != NULL;
}

/* A size as an integer, a new reference; a value that is not a whole number stays as it is. */
static json_t *resolve_size(json_t *size)
{
    double number = json_number_value(size);
    bool is_number = json_is_real(size) || (json_is_string(size) && lab_size_parse(json_string_value(size), &number));
    bool whole = is_number && number == floor(number) && fabs(number) <= LAB_INTEGER_MAX;
    return whole ? json_integer((json_int_t)number) : json_incref(size);
}

json_t *lab_own_kernel_resolve(const json_t *kernel)
{
    static const char *const launch[] = {"grid", "block"};
    json_t *resolved = json_copy((json_t *)kernel);
    bool edits = json_object_get(kernel, "edits") != NULL;
    if (!edits && json_object_get(kernel, "expressions") == NULL)
        json_object_set_new(resolved, "expressions", json_integer(LAB_EXPRESSIONS_NEWEST));
    for (size_t i = 0; edits && i < sizeof launch / sizeof *launch; i++) {
        size_t index;
        json_t *given = json_object_get(kernel, launch[i]), *size, *sizes = json_array();
        json_array_foreach(given, index, size)
        {
            json_array_append_new(sizes, resolve_size(size));
        }
        if (json_is_array(given))
            json_object_set(resolved, launch[i], sizes);
        json_decref(sizes);
    }
    return resolved;
}

/* --- the source --------------------------------------------------------------------------------------------------- */

/* Writes the steps whose sources can be edited: "naive, tiled". */
static void list_steps(const struct lab_experiment *experiment, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    const struct lab_source *s = NULL;
    while ((s = lab_source_next(experiment, s)) != NULL)
        if (lab_source_find_editable(experiment, s->step) == s && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", s->step);
}

static bool edits_experiment(const char *edits, const struct lab_experiment *experiment)
{
    size_t length = strlen(experiment->name);
    return strncmp(edits, experiment->name, length) == 0 && edits[length] == '/' &&
           lab_source_find_editable(experiment, edits + length + 1) != NULL;
}

/* Checks that a kernel has only members that an edited source has. */
static bool check_members(const json_t *kernel, struct lab_errors *errors)
{
    static const char *const others[] = {"entry",      "shared",    "arguments",   "bytes", "cluster", "cooperative",
                                         "operations", "reference", "expressions", "files", "check"};
    bool good = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char pointer[32];
        snprintf(pointer, sizeof pointer, "/kernel/%s", others[i]);
        if (json_object_get(kernel, others[i]) != NULL)
            good = lab_errors_add(
                errors, LAB_ERROR_UNKNOWN_FIELD, pointer,
                "An edited source keeps what the experiment has; only the experiment kernel takes '%s'.", others[i]);
    }
    return good;
}

/* Checks the options of an edited source, whose points are those of the experiment. */
static bool check_macros(const json_t *kernel, struct lab_errors *errors)
{
    const json_t *options = json_object_get(kernel, "options");
    size_t index;
    json_t *define;
    bool good = lab_kernel_options_check(options, "/kernel/options", errors);
    json_array_foreach(json_object_get(options, "defines"), index, define)
    {
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/kernel/options/defines/%zu", index);
        if (lab_macro_is_list(json_string_value(define)))
            good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                                  "A macro of an edited source has one value; only the experiment kernel takes lists.");
    }
    return good;
}

static bool check_edit(const json_t *kernel, const struct lab_experiment *experiment, struct lab_errors *errors)
{
    const char *edits = json_string_value(json_object_get(kernel, "edits"));
    char steps[LAB_DETAIL_MAX / 2];
    if (edits != NULL && edits_experiment(edits, experiment))
        return check_members(kernel, errors) && check_macros(kernel, errors);
    list_steps(experiment, steps, sizeof steps);
    if (steps[0] == '\0')
        return lab_errors_add(errors, LAB_ERROR_UNKNOWN_SOURCE, "/kernel/edits",
                              "%s has no CUDA source that can be edited.", experiment->name);
    return lab_errors_add(errors, LAB_ERROR_UNKNOWN_SOURCE, "/kernel/edits",
                          "'edits' must be %s/STEP with one of the steps %s, not \"%.60s\".", experiment->name, steps,
                          edits != NULL ? edits : "");
}

bool lab_own_kernel_sanitizes(const json_t *kernel)
{
    return json_is_true(json_object_get(kernel, "sanitize"));
}

bool lab_own_kernel_check(const json_t *kernel, const struct lab_experiment *experiment, struct lab_errors *errors)
{
    char path[PATH_MAX];
    if (lab_own_kernel_sanitizes(kernel) && !lab_program_find("compute-sanitizer", NULL, path))
        return lab_errors_add(
            errors, LAB_ERROR_NO_SANITIZER, "/kernel/sanitize",
            "This machine has no compute-sanitizer, a program of the CUDA toolkit; leave 'sanitize' out.");
    if (experiment->define == NULL)
        return check_edit(kernel, experiment, errors);
    return json_object_get(kernel, "edits") == NULL ||
           lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, "/kernel/edits",
                          "The experiment %s edits no source; leave 'edits' out.", experiment->name);
}

bool lab_own_kernel_is_expression(const char *entry)
{
    return strpbrk(entry, "<:") != NULL;
}

/* Whether C++ has made `name` of `entry`, whatever its parameters are. */
static bool is_mangled(const char *name, const char *entry)
{
    char prefix[128];
    int length = snprintf(prefix, sizeof prefix, "_Z%zu%s", strlen(entry), entry);
    return length > 0 && (size_t)length < sizeof prefix && strncmp(name, prefix, (size_t)length) == 0;
}

const char *lab_own_kernel_entry(const json_t *kernels, const char *entry)
{
    const char *found = NULL;
    size_t index, count = 0;
    json_t *kernel;
    json_array_foreach(kernels, index, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        if (name != NULL && entry != NULL && strcmp(name, entry) == 0)
            return name;
        if (name != NULL && (entry == NULL || is_mangled(name, entry))) {
            found = name;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* --- the launch --------------------------------------------------------------------------------------------------- */

/* Checks a size of block or grid against the device's limit, if it is known. */
static bool check_size(const json_t *kernel, const char *name, size_t dimension, const int64_t limits[3],
                       struct lab_errors *errors)
{
    const json_t *size = json_array_get(json_object_get(kernel, name), dimension);
    int64_t most = limits[dimension] != LAB_UNKNOWN ? limits[dimension] : UINT32_MAX;
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/kernel/%s/%zu", name, dimension);
    return size == NULL ||
           (json_is_integer(size) && json_integer_value(size) >= 1 && json_integer_value(size) <= most) ||
           lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer, "Must be a whole number from 1 to %" PRId64 "%s.",
                          most, limits[dimension] != LAB_UNKNOWN ? ", the limit of the device" : "");
}

static bool check_sizes(const json_t *kernel, const char *name, const int64_t most[3], struct lab_errors *errors)
{
    const json_t *sizes = json_object_get(kernel, name);
    char pointer[32];
    bool good = true;
    snprintf(pointer, sizeof pointer, "/kernel/%s", name);
    if (sizes != NULL && (json_array_size(sizes) < 1 || json_array_size(sizes) > 3))
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer, "'%s' must be a list of one to three sizes.",
                              name);
    for (size_t i = 0; i < 3; i++)
        good = check_size(kernel, name, i, most, errors) && good;
    return good;
}

static bool check_threads(const json_t *kernel, int64_t most, struct lab_errors *errors)
{
    size_t index;
    json_t *size;
    double threads = 1;
    json_array_foreach(json_object_get(kernel, "block"), index, size)
    {
        threads *= (double)json_integer_value(size);
    }
    return most == LAB_UNKNOWN || threads <= (double)most ||
           lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/kernel/block",
                          "A block of %.0f threads is too large: the device allows %" PRId64 ".", threads, most);
}

bool lab_own_kernel_check_device(const json_t *kernel, const struct lab_device_facts *device, struct lab_errors *errors)
{
    if (strcmp(device->backend, "cuda") != 0)
        return lab_errors_add(errors, LAB_ERROR_NO_CUDA_DEVICE, "/kernel",
                              "An own kernel needs a CUDA device; %s is none. Without one it can be compiled, not run.",
                              device->id);
    if (json_object_get(kernel, "edits") == NULL) /* its plan checks the sizes, which are expressions */
        return true;
    return check_sizes(kernel, "grid", device->max_grid_dim, errors) &&
           check_sizes(kernel, "block", device->max_block_dim, errors) &&
           check_threads(kernel, device->max_threads_per_block, errors);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

json_t *lab_own_kernel_parameters(const json_t *kernel, const struct lab_experiment *experiment, const json_t *given)
{
    const char *step = lab_own_kernel_step(kernel);
    int64_t value;
    const struct lab_axis *axis = step != NULL ? lab_source_axis(experiment, step, &value) : NULL;
    if (axis == NULL || json_object_get(given, axis->name) != NULL || (given != NULL && !json_is_object(given)))
        return json_incref((json_t *)given);
    json_t *parameters = given != NULL ? json_copy((json_t *)given) : json_object();
    json_object_set_new(parameters, axis->name, json_string(step));
    return parameters;
}
