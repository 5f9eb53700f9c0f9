/* An experiment: a static descriptor with its tables, the function plan(), which has no side effects, and the function
 * run(). Server and worker both link the descriptors and the plans. Validation, the JSON Schema of the API, the form
 * and charts of the web page, and the help of the command line are all derived from the tables. Only the worker calls
 * run().
 */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "core/schema.h"
#include "facts/facts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_PARAMETERS_MAX = 48, LAB_POINTS_MAX = 10000, LAB_AXES_MAX = 12 };

/* Fields of a parameter that is a list of choices, of booleans or of integers, or one integer, number or boolean; the
 * default comes last, or is all choices: {LAB_INTEGERS("band", "Tiles of a band", "Tiles of a column.", 16, 32),
 * .minimum = 1, .maximum = 1024}. */
#define LAB_CHOICES(name_, title_, text_, choices_, ...)                                                               \
    LAB_CHOICE_FIELDS(name_, title_, text_, choices_), .fallback = "[" #__VA_ARGS__ "]"
#define LAB_CHOICES_ALL(name_, title_, text_, choices_)                                                                \
    LAB_CHOICE_FIELDS(name_, title_, text_, choices_), .fallback = LAB_ALL_CHOICES
#define LAB_CHOICE_FIELDS(name_, title_, text_, choices_)                                                              \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST,            \
    .choices = (choices_)
/* The same for the steps of an experiment: the rows of a table, each of which begins with a name; it ends with name
 * NULL. The default is all steps, or those that come last. Without a text the parameter's is that of the steps' titles,
 * "triad: c = a + s b"; a text is needed if a step has no source, such as a copy or the call of a library. */
#define LAB_STEPS(name_, title_, rows_) LAB_STEP_FIELDS(name_, title_, rows_), .fallback = LAB_ALL_CHOICES
#define LAB_STEPS_OF(name_, title_, rows_, ...) LAB_STEP_FIELDS(name_, title_, rows_), .fallback = "[" #__VA_ARGS__ "]"
#define LAB_STEP_FIELDS(name_, title_, rows_)                                                                          \
    .name = (name_), .title = (title_), .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST,                             \
    .choices = &(rows_)[0].name, .choice_stride = sizeof *(rows_)
#define LAB_BOOLEANS(name_, title_, text_, ...)                                                                        \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_BOOLEAN, .count = LAB_ONE_OR_LIST,           \
    .fallback = "[" #__VA_ARGS__ "]"
#define LAB_INTEGERS(name_, title_, text_, ...)                                                                        \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_SIZE, .count = LAB_ONE_OR_LIST,              \
    .fallback = "[" #__VA_ARGS__ "]"
#define LAB_INTEGER(name_, title_, text_, fallback_)                                                                   \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_SIZE, .fallback = #fallback_
#define LAB_NUMBER(name_, title_, text_, fallback_)                                                                    \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_NUMBER, .fallback = #fallback_
#define LAB_BOOLEAN(name_, title_, text_, fallback_)                                                                   \
    .name = (name_), .title = (title_), .text = (text_), .type = LAB_TYPE_BOOLEAN, .fallback = #fallback_

/* The value of a point on an axis that does not apply to it, such as the kind of host memory of a copy within a
 * device. */
#define LAB_NO_VALUE INT64_MIN

/* One combination of values of the axes. values[i] belongs to entry i of the experiment's table of axes: an integer, a
 * boolean as 0 or 1, a choice as its index, a device as its index in the run, or LAB_NO_VALUE. */
struct lab_point {
    int64_t values[LAB_AXES_MAX];
};

/* Where the points of a request (points.h) get their values on an axis. */
enum lab_axis_source {
    LAB_AXIS_PARAMETER, /* all values of the parameter that has the axis's name */
    LAB_AXIS_SIZES,     /* from parameter min_NAME to max_NAME, each `factor` times the previous one */
    LAB_AXIS_RUN        /* LAB_NO_VALUE; run() sets it, for example for a phase of a point */
};

struct lab_points_request;
struct lab_axis_values;

/* One of the dimensions in which the points of an experiment differ: "bytes", "direction". The points are those of
 * nested loops over the axes in the order of the table, the first axis being the outermost loop. */
struct lab_axis {
    const char *name;
    const char *title; /* NULL: title and unit are those of the parameter of the same name */
    const char *unit;  /* NULL for none */
    enum lab_axis_source source;
    const char *const *choices; /* texts of the values, ends with NULL; NULL: those of the parameter of the same name */
    bool flag;                  /* the values are 0 and 1, reported as booleans, though no parameter has this name */
    bool devices;               /* the values are indices of the run's devices; reported as their ids */
    bool boolean;               /* the values are booleans; need not be set if the parameter of the same name is one */
    bool (*applies)(const struct lab_point *point); /* NULL: to all points. The outer axes of `point` are set */
    /* Whether a value of the parameter is one for a point whose outer axes are set. NULL: all are */
    bool (*keeps)(const struct lab_points_request *request, const struct lab_point *point, int64_t value);
    /* The choice, if it is not 0, that stands for those before it which `keeps` keeps. Choices that are named are kept
     * in any case, so that they are reported with the reason for which they are skipped. */
    int64_t all;
    /* How a value is rounded to one that the experiment can measure: down to a multiple of `multiple`, but not to 0;
     * down to a power of two; or by a function. Values that become equal are used once. */
    int64_t multiple; /* 0: any value */
    bool power_of_two;
    int64_t (*round)(const struct lab_point *point, int64_t value); /* NULL: none */
    /* Adds the axis's values for a point whose outer axes are set, instead of those of `source`. Without any value the
     * combination of outer values has no points. NULL: those of `source`. */
    void (*list)(const struct lab_points_request *request, const struct lab_point *point,
                 struct lab_axis_values *values);
};

/* What one repetition of a point's work does. A metric with a counter is the count per second, in its unit (GB/s and
 * GFLOP/s are 10^9 per second), and is reported for every point whose count is not 0. */
enum lab_counter {
    LAB_COUNT_NONE,            /* run() reports the metric itself */
    LAB_COUNT_SECONDS,         /* the metric is the time of a repetition; has no count */
    LAB_COUNT_BYTES,           /* bytes read and written, as the metric's formula counts them */
    LAB_COUNT_AGGREGATE_BYTES, /* bytes of several copies that run together */
    LAB_COUNT_OPERATIONS,      /* arithmetic operations */
    LAB_COUNT_ITEMS,           /* elements */
    LAB_COUNT_STEPS,    /* consecutive steps; the metric is the time of one, in "s", or in "cycles" of the clock */
    LAB_COUNT_PARTS,    /* parts of which steps consist; the metric is the time of one, as of a step */
    LAB_COUNT_BASELINE, /* the metric is count * time of the baseline / time */
    LAB_COUNT_ENERGY,   /* the metric is the energy of 10^12 arithmetic operations, in J/TFLOP; has no count. The plan
                         * calls lab_estimate_add_energy */
    LAB_COUNTERS
};

/* A quantity that the experiment reports. */
struct lab_metric {
    const char *name, *title, *unit;
    const char *formula; /* text: which bytes, how often they count, divided by which time */
    enum lab_counter counter;
    /* The values have a theoretical peak in common, that of the links between the run's devices in one direction:
     * "link": of a device's link to another; "links": of all devices together. NULL: a measurement has its own peak, or
     * none */
    const char *peak;
};

/* Fields of a metric: {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS}. */
#define LAB_METRIC(name_, title_, unit_, formula_)                                                                     \
    .name = (name_), .title = (title_), .unit = (unit_), .formula = (formula_)

/* A chart: `metric` over axis `x`, with one series for each combination of values on the other axes. */
struct lab_view {
    const char *name, *title;
    /* "line", "bars", "ladder", "matrix", "table", "timeline", "roofline"; "heat": a table of cells, coloured by
     * `metric`; "scatter": `metric` over the metric `x`, a point for each value of `y`; "blocks", "kernels": the spans
     * of a point that its kernels recorded, a row for each multiprocessor or stream; "field": the fields of the run as
     * heat maps */
    const char *kind;
    const char *metric, *x;
    /* heat: the axis of the rows, or several separated by spaces, "m n k"; scatter, roofline: the axis of the points of
     * a series; else NULL */
    const char *y;
    const char *beside; /* scatter: a metric that the table shows beside the two; NULL: none */
    bool log_x, log_y;
    bool predicted;  /* scatter: `x` predicts `metric`: both are equal on a line, and the table has their difference */
    bool own_scales; /* bars: each group has a scale of its own, because the groups are of different things */
    /* line with both scales logarithmic: the exponent of the power of `x` to which theory says that `metric` is
     * proportional, drawn as a line of this slope; 0: none */
    double slope;
};

/* Fields of a view: {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true}. */
#define LAB_VIEW(kind_, name_, title_, metric_, x_)                                                                    \
    .name = (name_), .title = (title_), .kind = (kind_), .metric = (metric_), .x = (x_)

/* A value of an axis, as text: "read", "true", "32". */
struct lab_axis_text {
    const char *axis, *text;
};

enum { LAB_HEADLINE_AXES_MAX = 3 };

/* A result that stands for a run (headline.h): the median of `metric` at one point of the run. Points count that are at
 * every value of `at` and not at `except`. Of them, that one is taken which is at the largest number on each axis of
 * `largest` and at the smallest on each of `smallest`, the first axis before the next. What is left open, such as the
 * step, is that of the best value; an axis in bytes or a number of elements is not left open. Lists end with NULL. */
struct lab_headline {
    const char *title, *metric;
    struct lab_axis_text at[LAB_HEADLINE_AXES_MAX + 1], except;
    const char *largest[LAB_HEADLINE_AXES_MAX + 1], *smallest[LAB_HEADLINE_AXES_MAX + 1];
    const char *share; /* a metric of the unit 1 that is shown beside, at the same point; NULL: the share of the peak */
    bool lowest;       /* the best value is the lowest; false: the highest */
    bool worst;        /* what is left open is that of the worst value, such as the slowest of several devices */
};

/* Fields of a headline: {LAB_HEADLINE("Read", "bandwidth"), .at = {{"variant", "read"}}, .largest = {"bytes"}}. */
#define LAB_HEADLINE(title_, metric_) .title = (title_), .metric = (metric_)

/* A part of a shown source: a file, or the region of a file between the lines "// region NAME" and "// end". */
struct lab_source_part {
    const char *file;   /* path in the repository: "kernels/experiments/memory/stream/stream.cu" */
    const char *region; /* NULL: the whole file */
};

enum { LAB_SOURCE_PARTS_MAX = 8 };

/* The source code of one step or variant of an experiment, which the page shows; source.h makes its text. */
struct lab_source {
    const char *step;        /* a value of the axis "step", or of "variant" where there is no such axis: "tiled-16" */
    const char *backend;     /* the runtime that it belongs to: "cuda", "host" */
    const char *title;       /* "Tiles in shared memory, 16 x 16" */
    const char *explanation; /* what changes compared with the source before, and why; Markdown */
    struct lab_source_part parts[LAB_SOURCE_PARTS_MAX]; /* ends with file NULL if there are fewer */
};

/* All parameters with their values. values[i] belongs to entry i of the experiment's own table, followed by the
 * entries of lab_measure_parameters, which all experiments have. Created by lab_parameters_parse, released by
 * lab_parameters_free. */
struct lab_parameters {
    const struct lab_experiment *experiment;
    size_t count;
    struct lab_values values[LAB_PARAMETERS_MAX];
};

/* The resources that a run needs, estimated before it starts. */
struct lab_estimate {
    size_t points;
    uint64_t device_bytes; /* largest amount of device memory in use at a time, on each device */
    uint64_t host_bytes;   /* largest amount of host memory in use at a time */
    double seconds;        /* duration of the run */
    double counting_s;     /* that of reading hardware counters, besides; used by lab_estimate_finish */
    double
        least_seconds; /* its duration if every point takes as few samples as possible; used by lab_estimate_finish */
};

/* A field of study to which experiments belong. */
struct lab_subject {
    const char *name, *title; /* "multi-gpu", "Several GPUs" */
};

/* All subjects, in the order in which they are listed; ends with name NULL. */
extern const struct lab_subject lab_subjects[];

/* Parameters of a run for a purpose. Every experiment has "quick", which takes seconds; "source" is exactly the program
 * of the text that the experiment reproduces, and only where there is one (tests/unit/descriptor/test_presets.c);
 * "thorough": everything that it can measure; other names are the experiment's own. */
struct lab_preset {
    const char *name;
    const char *parameters; /* JSON text */
};

/* A result of another system or laboratory, with which a run can be compared (references.h). */
struct lab_reference {
    const char *system;     /* device and host */
    const char *source;     /* document and section; or gpulab with device, driver and date */
    const char *axes;       /* JSON object: names and values of axes; on those left out, any value is compared */
    const char *parameters; /* JSON object: parameters of the run that are not axes; NULL: any values are compared */
    const char *metric;
    double value;
    const char *unit;      /* SI: "s", "GB/s"; "1" for none */
    const char *remark;    /* NULL if there is none */
    const char *baseline;  /* name of the time over which this time is a speedup; NULL if there is none */
    double baseline_value; /* that time */
};

/* What is generated of NAME.md, NAME.json and the markers in the other files of a folder (kernels/pages): declarations,
 * and fields of struct lab_experiment. NAME is that of the folder. */
#define LAB_PAGE(name)                                                                                                 \
    extern const char lab_##name##_explanation[];                                                                      \
    extern const struct lab_source lab_##name##_sources[];                                                             \
    extern const struct lab_preset lab_##name##_presets[];                                                             \
    extern const struct lab_reference lab_##name##_references[]
#define LAB_PAGE_FIELDS(name)                                                                                          \
    .explanation = lab_##name##_explanation, .sources = lab_##name##_sources, .presets = lab_##name##_presets,         \
    .references = lab_##name##_references

/* The tables of an experiment whose names in its file are those of the fields, as fields of struct lab_experiment. */
#define LAB_TABLE_FIELDS(name_, axes_)                                                                                 \
    .parameters = parameters, .axes = (axes_), .metrics = metrics, .views = views, .headlines = headlines,             \
    LAB_PAGE_FIELDS(name_)

/* The axes, the plan and the run of an experiment that has them in other files than its descriptor: declarations, and
 * fields of struct lab_experiment. */
#define LAB_RUN(name_)                                                                                                 \
    extern const struct lab_axis name_##_axes[];                                                                       \
    bool name_##_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,          \
                      size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);                  \
    bool name_##_run(struct lab_run *run)
#define LAB_RUN_FIELDS(name_) LAB_TABLE_FIELDS(name_, name_##_axes), .plan = name_##_plan, .run = name_##_run

struct lab_benchmark; /* benchmark/benchmark.h */
struct lab_run;       /* measure/run.h, which includes this header */

struct lab_experiment {
    const char *name, *title;
    const char *subject;                 /* name in lab_subjects */
    const char *summary;                 /* one sentence */
    const char *explanation;             /* what the experiment shows; Markdown (kernels/experiments/README.md) */
    const struct lab_schema *parameters; /* this and the next tables end with an entry whose name is NULL */
    const struct lab_axis *axes;
    const struct lab_metric *metrics;
    const struct lab_view *views;
    const struct lab_headline *headlines; /* ends with title NULL */
    const struct lab_source *sources;     /* ends with an entry whose step is NULL; NULL when there are no sources */
    /* run() launches an edited source in place of its step (benchmark/own_kernels.h), as those of `benchmark` do. */
    bool edits;
    size_t devices_min, devices_max;
    size_t devices_usual; /* of a request that names no devices; 0: as many as there are, up to devices_max */
    bool spans_nodes;     /* a run may have devices of several machines; run->group is set then */
    const struct lab_preset *presets;       /* ends with name NULL */
    const struct lab_reference *references; /* ends with system NULL */
    const struct lab_benchmark *benchmark; /* of an experiment whose plan and run are those of benchmark.h; else NULL */
    bool programs;       /* run() executes the whole program of its request (program.h) and uses no opened device */
    bool checks_devices; /* a run that succeeds shows that its devices are sound; of one experiment at most */
    bool traced;         /* has a timeline: after a run, a new worker runs it again with run->tracing (METHOD.md 17) */

    /* Checks the parameters against the devices' facts and estimates the run. Has no side effects and uses no device.
     * `devices` has between devices_min and devices_max entries. Returns false when the run is impossible, and adds an
     * error with a pointer such as "/parameters/max_bytes" for each reason. */
    bool (*plan)(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);

    /* Measures all points. Returns true when the run is complete, even if points were skipped or wrong; false with
     * run->error set when it could not continue. */
    bool (*run)(struct lab_run *run);

    /* Makes the descriptor of a request from the own kernel that it has, with parameters and axes of the kernel; the
     * caller releases it with `undefine`. Returns NULL with errors added, whose pointers begin with "/kernel". NULL:
     * the descriptor is the same for all requests. */
    const struct lab_experiment *(*define)(const json_t *kernel, struct lab_errors *errors);
    void (*undefine)(const struct lab_experiment *experiment);
};

/* All experiments, in the order in which they are listed (experiments/registry.c); ends with NULL. */
extern const struct lab_experiment *const lab_experiments[];

/* The experiments of own kernels and of whole programs, which are in no list, because they measure nothing without
 * one. */
extern const struct lab_experiment lab_kernel, lab_program;

/* Versions of the rules for expressions (expression.h), the member "expressions" of a kernel of lab_kernel. In
 * LAB_EXPRESSIONS_REAL all arithmetic is real; kernels without the member, which were stored before there was one, have
 * this version. In the newest one, what must be whole has integer arithmetic. */
enum { LAB_EXPRESSIONS_REAL = 1, LAB_EXPRESSIONS_NEWEST = 2 };

/* The experiment of that name, or NULL; also lab_kernel and lab_program. */
const struct lab_experiment *lab_experiment_find(const char *name);

/* The experiment that checks devices, or NULL if this build has none. */
const struct lab_experiment *lab_experiment_of_checks(void);

/* Whether every word of `text` occurs, case ignored, in what the experiment says of itself: its name, title, summary
 * and explanation, the names, titles and values of its own parameters and axes, and the titles of its metrics, views,
 * headlines and sources, and who published its references, where, with which remark. A text without words is mentioned
 * nowhere. */
bool lab_experiment_mentions(const struct lab_experiment *experiment, const char *text);

/* The parameters of a preset, as JSON text; NULL if the experiment has no preset of that name. */
const char *lab_experiment_preset(const struct lab_experiment *experiment, const char *name);

/* The experiments that mention `text` (NULL: all) as the API lists them: {"subjects": [{name, title}], "experiments":
 * [{name, title, subject, summary, metric_titles, devices}]}. A new reference; NULL when out of memory. */
json_t *lab_experiments_to_json(const char *text);

/* All about an experiment: the members that it has in a list but metric_titles, and {explanation, parameters (JSON
 * Schema 2020-12), axes, metrics, views, headlines, sources (without their texts), presets}. A new reference. */
json_t *lab_experiment_to_json(const struct lab_experiment *experiment);

/* Writes how many devices a run needs, for a message: "1 device" or "2 to 8 devices". Returns `text`. */
enum { LAB_DEVICES_TEXT_SIZE = 64 };
const char *lab_experiment_devices_text(const struct lab_experiment *experiment, char text[LAB_DEVICES_TEXT_SIZE]);

#endif
