/* Compares the recorded environments of two runs. */
#include "analysis/environment.h"

#include "core/text.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { PATH_MAX_BYTES = 512 };

/* --- what is compared --------------------------------------------------------------------------------------------- */

/* A fact, or facts, of an environment. */
struct fact {
    const char *pattern; /* of fnmatch, for the JSON pointer */
    const char *kind;    /* NULL: left out */
    bool marks;          /* part of lab_environment_key */
};

#define PROPERTY(name) "/devices/*/properties/" name

/* The first row that matches decides. The order of the rows is that of the differences. */
static const struct fact facts[] = {
    {"*temperature*", NULL, false},
    {"*utilization*", NULL, false},
    {"*uptime*", NULL, false},
    {"*_used_bytes", NULL, false},
    {"*_free_bytes", NULL, false},
    {"*_available_bytes", NULL, false},
    {"*/pid", NULL, false},
    {"*/pids/*", NULL, false},
    {"*/processes/*", NULL, false},
    {"*/telemetry/*", NULL, false},
    {"/devices/*/ordinal", NULL, false},
    {PROPERTY("*_peak_*"), NULL, false}, /* from clocks and widths */

    {"/devices/*/name", "device", true},
    {"/devices/*/backend", "device", true},
    {PROPERTY("compute_capability"), "device", true},
    {PROPERTY("multiprocessors"), "device", true},
    {PROPERTY("total_memory_bytes"), "device", true},
    {PROPERTY("driver_*"), "driver", true},
    {PROPERTY("*clock*"), "clocks", true},
    {PROPERTY("*power_limit*"), "clocks", true},
    {PROPERTY("ecc*"), "mode", true},
    {PROPERTY("mig*"), "mode", true},
    {"/sharing/*", "mode", true},
    {"/sandbox/*", "sandbox", true},
    {PROPERTY("persistence*"), "mode", true},
    {PROPERTY("compute_mode"), "mode", true},
    {PROPERTY("runtime_version"), "cuda", true},
    {"/build/cuda*", "cuda", true},
    {"/build/architectures", "cuda", true},
    {"/libraries/*", "library", true},
    {"/machine/kernel", "system", true},
    {"/machine/governor", "system", true},
    {"/machine/cpu", "host", true},
    {"/machine/processors", "host", true},
    {"/machine/*", "host", false},
    {PROPERTY("pcie_*"), "link", false},
    {PROPERTY("numa_node"), "link", false},
    {"/numa_node", "link", false},
    {"/devices/*/peers/*/id", "unit", false},
    {"/devices/*/peers/*", "link", false},
    {"/variables/*", "variable", true},
    {"/build/*", "gpulab", true},
    {"/devices/*/id", "unit", false},
    {PROPERTY("uuid"), "unit", false},
    {PROPERTY("pci_address"), "unit", false},
    {PROPERTY("pci_root_port"), "unit", false},
    {PROPERTY("*"), "device", false}, /* what follows from the model */
    {"*", "other", false},
};

enum { FACT_COUNT = sizeof facts / sizeof *facts };

static size_t row_of(const char *path)
{
    size_t row = 0;
    while (fnmatch(facts[row].pattern, path, 0) != 0)
        row++;
    return row;
}

/* --- facts by path ------------------------------------------------------------------------------------------------ */

/* Adds every value in `json` that is not null to `flat`, by its path; paths that are too long are left out. Returns
 * false when out of memory. */
static bool flatten(const json_t *json, char *path, json_t *flat)
{
    bool added = true;
    size_t length = strlen(path);
    if (json_is_object(json)) {
        const char *name;
        json_t *value;
        json_object_foreach((json_t *)json, name, value)
        {
            if (lab_pointer_append(path, PATH_MAX_BYTES, name, strlen(name)))
                added = flatten(value, path, flat) && added;
            path[length] = '\0';
        }
    } else if (json_is_array(json)) {
        size_t index;
        json_t *value;
        json_array_foreach(json, index, value)
        {
            if (lab_pointer_append_index(path, PATH_MAX_BYTES, index))
                added = flatten(value, path, flat) && added;
            path[length] = '\0';
        }
    } else if (json != NULL && !json_is_null(json) && length > 0) {
        added = json_object_set(flat, path, (json_t *)json) == 0;
    }
    return added;
}

/* Returns {path: value}; NULL when out of memory. */
static json_t *flat_facts(const json_t *environment)
{
    char path[PATH_MAX_BYTES] = "";
    json_t *flat = json_object();
    if (flat == NULL || flatten(environment, path, flat))
        return flat;
    json_decref(flat);
    return NULL;
}

/* --- differences -------------------------------------------------------------------------------------------------- */

static bool equal(const json_t *base, const json_t *head)
{
    if (json_is_number(base) && json_is_number(head))
        return json_number_value(base) == json_number_value(head);
    return json_equal(base, head);
}

static json_t *or_null(const json_t *value)
{
    return value != NULL ? json_incref((json_t *)value) : json_null();
}

/* Differences by the row of their fact. */
struct differences {
    json_t *rows[FACT_COUNT]; /* arrays; NULL: none */
};

static bool add_difference(struct differences *differences, const char *path, const json_t *base, const json_t *head)
{
    size_t row = row_of(path);
    if (facts[row].kind == NULL || (base != NULL && head != NULL && equal(base, head)))
        return true;
    if (differences->rows[row] == NULL)
        differences->rows[row] = json_array();
    json_t *difference = json_pack("{s:s, s:s, s:o, s:o}", "path", path, "kind", facts[row].kind, "base", or_null(base),
                                   "head", or_null(head));
    return json_array_append_new(differences->rows[row], difference) == 0;
}

static bool compare(const json_t *base, const json_t *head, struct differences *differences)
{
    bool added = true;
    const char *path;
    json_t *value;
    json_object_foreach((json_t *)base, path, value)
    {
        added = added && add_difference(differences, path, value, json_object_get(head, path));
    }
    json_object_foreach((json_t *)head, path, value)
    {
        if (json_object_get(base, path) == NULL)
            added = added && add_difference(differences, path, NULL, value);
    }
    return added;
}

static json_t *in_order(const struct differences *differences)
{
    bool other_model = differences->rows[row_of("/devices/0/name")] != NULL;
    json_t *all = json_array();
    for (size_t row = 0; row < FACT_COUNT; row++)
        if (differences->rows[row] != NULL && !(other_model && strcmp(facts[row].pattern, PROPERTY("*")) == 0))
            json_array_extend(all, differences->rows[row]);
    return all;
}

json_t *lab_environment_differences(const json_t *base, const json_t *head)
{
    json_t *all = NULL;
    struct differences differences = {{NULL}};
    json_t *base_facts = flat_facts(base);
    json_t *head_facts = flat_facts(head);
    if (base_facts != NULL && head_facts != NULL && compare(base_facts, head_facts, &differences))
        all = in_order(&differences);
    for (size_t row = 0; row < FACT_COUNT; row++)
        json_decref(differences.rows[row]);
    json_decref(base_facts);
    json_decref(head_facts);
    return all;
}

char *lab_environment_key(const json_t *environment)
{
    json_t *flat = flat_facts(environment);
    if (flat == NULL)
        return NULL;
    const char *path;
    json_t *value;
    void *next;
    json_object_foreach_safe(flat, next, path, value)
    {
        if (!facts[row_of(path)].marks)
            json_object_del(flat, path);
    }
    char *text = json_dumps(flat, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(flat);
    return text;
}
