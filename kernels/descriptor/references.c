/* Visits the references of the experiments, and derives speedups. */
#include "descriptor/references.h"

#include <stdio.h>
#include <string.h>

typedef void visit_function(void *context, const struct lab_experiment *experiment,
                            const struct lab_reference *reference);

/* Derives the speedup of a time over its baseline, and calls `visit` for it. */
static void visit_speedup(const struct lab_experiment *experiment, const struct lab_reference *time,
                          visit_function *visit, void *context)
{
    char remark[2048]; /* remark and baseline of a time have at most 400 and 40 characters (pages/data.c) */
    struct lab_reference speedup = *time;
    snprintf(remark, sizeof remark, "derived: published time of %s / published time of this configuration%s%s",
             time->baseline, time->remark != NULL ? "; " : "", time->remark != NULL ? time->remark : "");
    speedup.metric = "speedup";
    speedup.value = time->baseline_value / time->value;
    speedup.unit = "1";
    speedup.remark = remark;
    visit(context, experiment, &speedup);
}

static void visit_experiment(const struct lab_experiment *experiment, visit_function *visit, void *context)
{
    for (const struct lab_reference *reference = experiment->references; reference->system != NULL; reference++) {
        visit(context, experiment, reference);
        if (reference->baseline != NULL)
            visit_speedup(experiment, reference, visit, context);
    }
}

void lab_references_each(const char *experiment, visit_function *visit, void *context)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        if (experiment == NULL || strcmp(lab_experiments[i]->name, experiment) == 0)
            visit_experiment(lab_experiments[i], visit, context);
}

static void references_append(void *context, const struct lab_experiment *experiment,
                              const struct lab_reference *reference)
{
    json_t **list = context;
    const char *parameters = reference->parameters != NULL ? reference->parameters : "{}";
    json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:s, s:f, s:s, s:s, s:s?}", "experiment", experiment->name,
                               "system", reference->system, "axes", json_loads(reference->axes, 0, NULL), "parameters",
                               json_loads(parameters, 0, NULL), "metric", reference->metric, "value", reference->value,
                               "unit", reference->unit, "source", reference->source, "remark", reference->remark);
    if (json_array_append_new(*list, object) != 0) { /* out of memory, now or earlier (*list is NULL then) */
        json_decref(*list);
        *list = NULL;
    }
}

json_t *lab_references_to_json(const char *experiment)
{
    json_t *list = json_array();
    lab_references_each(experiment, references_append, &list);
    return list;
}

bool lab_reference_is_of_point(json_t *axes, const json_t *point)
{
    const char *name;
    json_t *value;
    json_object_foreach(axes, name, value)
    {
        if (!json_equal(value, json_object_get(point, name)))
            return false;
    }
    return true;
}

bool lab_reference_is_of_system(const char *system, const char *model, size_t count)
{
    size_t length = strlen(model);
    char prefix[32] = "";
    if (count > 1)
        snprintf(prefix, sizeof prefix, "%zu x ", count);
    if (length == 0 || strncmp(system, prefix, strlen(prefix)) != 0)
        return false;
    system += strlen(prefix);
    return strncmp(system, model, length) == 0 && strchr(" ,", system[length]) != NULL;
}

/* Numbers are equal whether or not they are written as integers. */
static bool is_equal(const json_t *a, const json_t *b)
{
    return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b) : json_equal(a, b);
}

bool lab_reference_is_of_run(json_t *parameters, const json_t *run)
{
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        if (!is_equal(value, json_object_get(run, name)))
            return false;
    }
    return true;
}
