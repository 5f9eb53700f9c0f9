/* The subjects; looks experiments up by name, and writes their tables as JSON. */
#include "descriptor/experiment.h"

#include "descriptor/headline.h"
#include "descriptor/metric.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "descriptor/source.h"

#include <stdio.h>
#include <string.h>

const struct lab_subject lab_subjects[] = {
    {"transfer", "Host-device transfer"},
    {"overlap", "Overlap and launching"},
    {"memory", "Memory"},
    {"execution", "Execution"},
    {"matmul", "Matrix multiply"},
    {"cases", "Case studies"},
    {"multi-gpu", "Several GPUs"},
    {"health", "Health"},
    {NULL, NULL},
};

const struct lab_experiment *lab_experiment_find(const char *name)
{
    static const struct lab_experiment *const unlisted[] = {&lab_kernel, &lab_program};
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        if (strcmp(lab_experiments[i]->name, name) == 0)
            return lab_experiments[i];
    for (size_t i = 0; i < sizeof unlisted / sizeof *unlisted; i++)
        if (strcmp(unlisted[i]->name, name) == 0)
            return unlisted[i];
    return NULL;
}

const struct lab_experiment *lab_experiment_of_checks(void)
{
    size_t i = 0;
    while (lab_experiments[i] != NULL && !lab_experiments[i]->checks_devices)
        i++;
    return lab_experiments[i];
}

const char *lab_experiment_preset(const struct lab_experiment *experiment, const char *name)
{
    for (const struct lab_preset *p = experiment->presets; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0)
            return p->parameters;
    return NULL;
}

static json_t *subjects_to_json(void)
{
    json_t *list = json_array();
    for (const struct lab_subject *s = lab_subjects; s->name != NULL; s++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", s->name, "title", s->title));
    return list;
}

static json_t *axes_to_json(const struct lab_experiment *experiment)
{
    json_t *list = json_array();
    for (const struct lab_axis *a = experiment->axes; a->name != NULL; a++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?}", "name", a->name, "title",
                                              lab_axis_title(experiment, a), "unit", lab_axis_unit(experiment, a)));
    return list;
}

static json_t *metrics_to_json(const struct lab_metric *metrics)
{
    json_t *list = json_array();
    for (const struct lab_metric *m = metrics; m->name != NULL; m++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s?}", "name", m->name, "title", m->title,
                                              "unit", m->unit, "formula", m->formula, "peak", m->peak, "better",
                                              lab_better_name(lab_metric_better(m->name, m->unit))));
    return list;
}

static json_t *views_to_json(const struct lab_view *views)
{
    json_t *list = json_array();
    for (const struct lab_view *v = views; v->name != NULL; v++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:b, s:b, s:b, s:b, s:o}", "name",
                                              v->name, "title", v->title, "kind", v->kind, "metric", v->metric, "x",
                                              v->x, "y", v->y, "beside", v->beside, "predicted", v->predicted, "log_x",
                                              v->log_x, "log_y", v->log_y, "own_scales", v->own_scales, "slope",
                                              v->slope != 0 ? json_real(v->slope) : json_null()));
    return list;
}

/* The paths of the parts, each once. */
static json_t *files_to_json(const struct lab_source *source)
{
    json_t *list = json_array();
    for (size_t i = 0; i < LAB_SOURCE_PARTS_MAX && source->parts[i].file != NULL; i++)
        if (i == 0 || strcmp(source->parts[i].file, source->parts[i - 1].file) != 0)
            json_array_append_new(list, json_string(source->parts[i].file));
    return list;
}

/* Leaves out the text of each source, which the API serves separately. */
static json_t *sources_to_json(const struct lab_experiment *experiment)
{
    json_t *list = json_array();
    const struct lab_source *s = NULL;
    while ((s = lab_source_next(experiment, s)) != NULL)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "step", s->step, "backend", s->backend,
                                              "title", s->title, "explanation", s->explanation, "files",
                                              files_to_json(s), "editable", lab_source_is_editable(experiment, s)));
    return list;
}

static json_t *presets_to_json(const struct lab_preset *presets)
{
    json_t *object = json_object();
    for (const struct lab_preset *p = presets; p->name != NULL; p++)
        json_object_set_new(object, p->name, json_loads(p->parameters, 0, NULL));
    return object;
}

static json_t *metric_titles_to_json(const struct lab_metric *metrics)
{
    json_t *titles = json_array();
    for (const struct lab_metric *m = metrics; m->name != NULL; m++)
        json_array_append_new(titles, json_string(m->title));
    return titles;
}

static json_t *summary_to_json(const struct lab_experiment *experiment)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:{s:I, s:I, s:b}}", "name", experiment->name, "title",
                     experiment->title, "subject", experiment->subject, "summary", experiment->summary, "metric_titles",
                     metric_titles_to_json(experiment->metrics), "devices", "min", (json_int_t)experiment->devices_min,
                     "max", (json_int_t)experiment->devices_max, "several_machines", experiment->spans_nodes);
}

json_t *lab_experiments_to_json(const char *text)
{
    json_t *list = json_array();
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        if (text != NULL && !lab_experiment_mentions(lab_experiments[i], text))
            continue;
        if (json_array_append_new(list, summary_to_json(lab_experiments[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:o, s:o}", "subjects", subjects_to_json(), "experiments", list);
}

json_t *lab_experiment_to_json(const struct lab_experiment *experiment)
{
    json_t *summary = summary_to_json(experiment);
    json_t *details =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "explanation", experiment->explanation, "parameters",
                  lab_parameters_schema(experiment), "axes", axes_to_json(experiment), "metrics",
                  metrics_to_json(experiment->metrics), "views", views_to_json(experiment->views), "headlines",
                  lab_headlines_to_json(experiment), "sources", sources_to_json(experiment), "presets",
                  presets_to_json(experiment->presets));
    bool complete = json_object_update(summary, details) == 0;
    json_object_del(summary, "metric_titles"); /* `metrics` has them */
    json_decref(details);
    if (complete)
        return summary;
    json_decref(summary);
    return NULL;
}

const char *lab_experiment_devices_text(const struct lab_experiment *experiment, char text[LAB_DEVICES_TEXT_SIZE])
{
    size_t least = experiment->devices_min, most = experiment->devices_max;
    if (least == most)
        snprintf(text, LAB_DEVICES_TEXT_SIZE, "%zu device%s", least, least == 1 ? "" : "s");
    else
        snprintf(text, LAB_DEVICES_TEXT_SIZE, "%zu to %zu devices", least, most);
    return text;
}
