/* What an experiment is: one static descriptor of tables, a pure plan and a run. Both executables link descriptors and
 * plans; from the tables come validation, the JSON Schema of the API, the page's form and charts, and the command
 * line's help. Only the worker calls run().
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
    const char *title; /* for people: "Smallest size" */
    const char *help;  /* one or two sentences */
    const char *unit;  /* "B", "s", "1"; NULL for none */
    enum lab_parameter_type type;
    bool list;                  /* takes one value or a list of distinct values, each of which is measured */
    bool advanced;              /* folded away in the form */
    double minimum, maximum;    /* of a number, both allowed; integers up to 2^53 */
    const char *const *choices; /* CHOICE: ends with NULL */
    const char *fallback;       /* the default, as JSON text: "1024", "[\"h2d\"]" */
};

struct lab_axis {
    const char *name, *title, *unit;
};

struct lab_metric {
    const char *name, *title, *unit;
    const char *formula; /* in words: which bytes, counted how often, over which time */
};

/* A chart: `metric` over axis `x`, one line for each combination of the other axes of its measurements. */
struct lab_view {
    const char *name, *title;
    const char *kind; /* "line", "bars", "ladder", "matrix", "table", "timeline", "roofline" */
    const char *metric, *x;
    bool log_x, log_y;
};

/* The code behind one step of an experiment, for people to read. */
struct lab_source {
    const char *step;        /* value of the axis `step`: "tiled-16" */
    const char *backend;     /* the runtime that has it: "cuda", "host" */
    const char *title;       /* "Tiles in shared memory, 16 x 16" */
    const char *explanation; /* what it changes against the step before, and why that helps; one or two paragraphs */
    const char *file;        /* where the text stands in the repository: "kernels/cuda/gemm/tiled.cu" */
    const char *text;        /* the very text that was compiled */
};

/* One value of a parameter. */
struct lab_value {
    int64_t integer; /* INTEGER; BOOLEAN as 0 or 1; CHOICE as index into choices */
    double number;   /* NUMBER, and INTEGER again */
};

struct lab_values {
    bool given; /* by the person, not the default */
    size_t count;
    struct lab_value *items;
};

/* Parameters, all resolved; owned by whoever parsed them. values[i] belongs to descriptor parameter i, the measuring
 * parameters that all experiments share follow behind the experiment's own. */
struct lab_parameters {
    const struct lab_experiment *experiment;
    size_t count;
    struct lab_values values[LAB_PARAMETERS_MAX];
};

/* What a run will take, known before it starts. */
struct lab_estimate {
    size_t points;
    uint64_t device_bytes; /* largest at any moment, on each device */
    uint64_t host_bytes;   /* largest at any moment */
    double seconds;
};

struct lab_run; /* run.h */

struct lab_experiment {
    const char *name, *title;
    const char *summary;                    /* one sentence */
    const char *explanation;                /* what it shows and what to expect; paragraphs parted by blank lines */
    const struct lab_parameter *parameters; /* each table ends with an entry whose name is NULL */
    const struct lab_axis *axes;
    const struct lab_metric *metrics;
    const struct lab_view *views;
    const struct lab_source *sources; /* ends with step NULL; NULL for an experiment that shows none */
    size_t devices_min, devices_max;
    const char *quick; /* parameters of the quick form, as JSON text */
    bool traced; /* has a timeline: after a run a fresh worker runs it once more with run->tracing (METHOD.md 17) */

    /* Pure: decides from parameters and facts alone. False with pointers ("/parameters/max_bytes") to all that cannot
     * be; `devices` has between devices_min and devices_max entries. */
    bool (*plan)(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);

    /* Measures. True when the run came to its end, whatever its points say. False with run->error set when it could not
     * go on. */
    bool (*run)(struct lab_run *run);
};

/* All experiments, in the order in which they are listed; ends with NULL. */
extern const struct lab_experiment *const lab_experiments[];

/* NULL when there is none of that name. */
const struct lab_experiment *lab_experiment_find(const char *name);

/* What API.md shows of an experiment: {name, title, summary, explanation, parameters (JSON Schema 2020-12), axes,
 * metrics, views, sources (without their texts), devices, quick}. A new reference. */
json_t *lab_experiment_to_json(const struct lab_experiment *experiment);

#endif
