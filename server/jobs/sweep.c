/* The product of the lists in a request. */
#include "sweep.h"

#include "core/text.h"

#include <string.h>

/* The items of `devices` when it is a list of lists; NULL when it is not swept. */
static const json_t *swept_devices(const json_t *request)
{
    const json_t *devices = json_object_get(request, "devices");
    return json_is_array(json_array_get(devices, 0)) ? devices : NULL;
}

static bool check_devices(const json_t *devices, struct lab_errors *errors)
{
    size_t index;
    json_t *item;
    json_array_foreach((json_t *)devices, index, item)
    {
        if (!json_is_array(item))
            return lab_errors_add(errors, LAB_ERROR_WRONG_TYPE, "/devices",
                                  "devices must be a list of ids, or a list of such lists.");
    }
    return true;
}

/* Nodes are swept instead of devices. False with an error where both are given. */
static bool check_nodes(const json_t *request, struct lab_errors *errors)
{
    bool both = json_object_get(request, "nodes") != NULL &&
                (json_object_get(request, "devices") != NULL || json_object_get(request, "node") != NULL);
    return !both || lab_errors_add(errors, LAB_ERROR_CONFLICT, "/nodes",
                                   "nodes sweeps the machines: leave out devices and node, or leave out nodes.");
}

/* Multiplies the number of runs by the length of a list. False with an error when the list is empty. */
static bool multiply(const json_t *list, const char *pointer, size_t *count, struct lab_errors *errors)
{
    size_t length = json_array_size(list);
    if (length == 0)
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer, "A list of values to sweep must not be empty.");
    if (*count <= SIZE_MAX / length) /* else it is far beyond the limit already */
        *count *= length;
    return true;
}

/* Checks the lists. False with *errors when the request stands for no runs, or for too many. */
static bool check_lists(const json_t *request, struct lab_errors *errors)
{
    size_t count = 1;
    const char *name;
    json_t *value;
    const json_t *devices = swept_devices(request), *nodes = json_object_get(request, "nodes");
    bool valid =
        check_nodes(request, errors) &&
        (devices == NULL || (check_devices(devices, errors) && multiply(devices, "/devices", &count, errors))) &&
        (nodes == NULL || multiply(nodes, "/nodes", &count, errors));
    json_object_foreach(json_object_get(request, "parameters"), name, value)
    {
        char pointer[LAB_POINTER_MAX] = "/parameters";
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        valid = (!json_is_array(value) || multiply(value, pointer, &count, errors)) && valid;
    }
    if (count > LAB_SWEEP_RUNS_MAX)
        return lab_errors_add(errors, LAB_ERROR_TOO_MANY_RUNS, "/parameters",
                              "These lists make %zu runs; a sweep may have at most %d.", count, LAB_SWEEP_RUNS_MAX);
    return valid;
}

/* Multiplies the runs by the items of a list: each run is replaced by one for each item, which `set` puts into it. */
static json_t *multiply_runs(json_t *runs, const json_t *list, const char *name,
                             void (*set)(json_t *run, const char *name, json_t *value))
{
    json_t *product = json_array(), *run, *value;
    size_t index, item;
    json_array_foreach(runs, index, run)
    {
        json_array_foreach((json_t *)list, item, value)
        {
            json_t *copy = json_copy(run);
            set(copy, name, value);
            json_array_append_new(product, copy);
        }
    }
    json_decref(runs);
    return product;
}

static void set_field(json_t *run, const char *name, json_t *value)
{
    json_object_set(run, name, value);
}

static void set_parameter(json_t *run, const char *name, json_t *value)
{
    json_t *parameters = json_copy(json_object_get(run, "parameters"));
    json_object_set(parameters, name, value);
    json_object_set_new(run, "parameters", parameters);
}

json_t *lab_sweep_expand(const json_t *request, struct lab_errors *errors)
{
    const char *name;
    json_t *value;
    if (!check_lists(request, errors))
        return NULL;
    json_t *runs = json_pack("[o]", json_copy((json_t *)request));
    if (swept_devices(request) != NULL)
        runs = multiply_runs(runs, swept_devices(request), "devices", set_field);
    if (json_is_array(json_object_get(request, "nodes")))
        runs = multiply_runs(runs, json_object_get(request, "nodes"), "node", set_field);
    json_object_foreach(json_object_get(request, "parameters"), name, value)
    {
        if (json_is_array(value))
            runs = multiply_runs(runs, value, name, set_parameter);
    }
    return runs;
}
