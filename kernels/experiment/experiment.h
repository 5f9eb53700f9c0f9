/* An experiment: a static descriptor with its tables, the function plan(), which has no side effects, and the function
 * run(). Server and worker both link the descriptors and the plans. Validation, the JSON Schema of the API, the form and
 * charts of the web page, and the help of the command line are all derived from the tables. Only the worker calls run().
 */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "core/errors.h"
#include "facts/facts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_PARAMETERS_MAX = 48, LAB_POINTS_MAX = 10000 };

enum lab_parameter_type { LAB_PARAMETER_INTEGER, LAB_PARAMETER_NUMBER, LAB_PARAMETER_BOOLEAN, LAB_PARAMETER_CHOICE };

struct lab_parameter {
    const char *name;  /* snake_case */
    const char *title; /* label in the web page's form: "Smallest size" */
    const char *help;  /* one or two sentences for the form and the command line */
    const char *unit;  /* "B", "s", "1"; NULL for none */
    enum lab_parameter_type type;
    bool list;                  /* accepts one value or a list of distinct values; every value is measured */
    bool advanced;              /* hidden in the form until advanced settings are opened */
    double minimum, maximum;    /* INTEGER and NUMBER: inclusive bounds of the value; for INTEGER below 2^53 */
    const char *const *choices; /* CHOICE: the allowed values, ends with NULL */
    const char *fallback;       /* the default, as JSON text: "1024", "[\"h2d\"]" */
};

/* One of the dimensions in which the points of the experiment differ: "bytes", "direction". */
struct lab_axis {
    const char *name, *title;
    const char *unit; /* NULL for none */
};

/* A quantity that the experiment reports. */
struct lab_metric {
    const char *name, *title, *unit;
    const char *formula; /* text: which bytes, how often they count, divided by which time */
};

/* A chart: `metric` over axis `x`, with one series for each combination of values on the other axes. */
struct lab_view {
    const char *name, *title;
    const char *kind; /* "line", "bars", "ladder", "matrix", "table", "timeline", "roofline" */
    const char *metric, *x;
    bool log_x, log_y;
};

/* The source code of one step of an experiment, which the page shows. */
struct lab_source {
    const char *step;        /* the value of the axis "step": "tiled-16" */
    const char *backend;     /* the runtime that it belongs to: "cuda", "host" */
    const char *title;       /* "Tiles in shared memory, 16 x 16" */
    const char *explanation; /* what changes compared with the step before, and why; one or two paragraphs */
    const char *file;        /* path of the source file in the repository: "kernels/cuda/gemm/tiled.cu" */
    const char *text;        /* the content of the source file when it was compiled */
};

/* One value of a parameter. */
struct lab_value {
    int64_t integer; /* INTEGER; BOOLEAN as 0 or 1; CHOICE as an index into choices */
    double number;   /* NUMBER and INTEGER */
};

/* The values of one parameter: a single value unless the parameter is a list. */
struct lab_values {
    bool given; /* the request contains the parameter; false: the default is used */
    size_t count;
    struct lab_value *items;
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
};

struct lab_run; /* measure/run.h, which includes this header */

struct lab_experiment {
    const char *name, *title;
    const char *summary;                    /* one sentence */
    const char *explanation;                /* what the experiment shows; paragraphs separated by blank lines */
    const struct lab_parameter *parameters; /* this and the next tables end with an entry whose name is NULL */
    const struct lab_axis *axes;
    const struct lab_metric *metrics;
    const struct lab_view *views;
    const struct lab_source *sources; /* ends with an entry whose step is NULL; NULL when there are no sources */
    size_t devices_min, devices_max;
    const char *quick; /* parameters of a short run, as JSON text */
    bool traced;       /* has a timeline: after a run, a new worker runs it again with run->tracing (METHOD.md 17) */

    /* Checks the parameters against the devices' facts and estimates the run. Has no side effects and uses no device.
     * `devices` has between devices_min and devices_max entries. Returns false when the run is impossible, and adds an
     * error with a pointer such as "/parameters/max_bytes" for each reason. */
    bool (*plan)(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);

    /* Measures all points. Returns true when the run is complete, even if points were skipped or wrong; false with
     * run->error set when it could not continue. */
    bool (*run)(struct lab_run *run);
};

/* All experiments, in the order in which they are listed (experiments/registry.c); ends with NULL. */
extern const struct lab_experiment *const lab_experiments[];

/* The experiment of that name, or NULL. */
const struct lab_experiment *lab_experiment_find(const char *name);

/* An experiment as the API shows it: {name, title, summary, explanation, parameters (JSON Schema 2020-12), axes,
 * metrics, views, sources (without their texts), devices, quick}. A new reference. */
json_t *lab_experiment_to_json(const struct lab_experiment *experiment);

#endif
