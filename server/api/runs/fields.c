/* The fields of requests that create and change runs. */
#include "fields.h"

static const char *const priorities[] = {"normal", "low", NULL};

#define TAGS                                                                                                           \
    .name = "tags", .type = LAB_TYPE_STRINGS, .items_max = 32, .minimum = 1, .maximum = 64,                            \
    .description = "Words by which runs are found."
#define NOTE .name = "note", .type = LAB_TYPE_STRING, .maximum = 4096, .description = "Text for people."

#define PRIORITY                                                                                                       \
    .name = "priority", .type = LAB_TYPE_CHOICE, .choices = priorities,                                                \
    .description = "Runs of low priority are started when no other run is queued; normal by default."

#define EXPERIMENT .name = "experiment", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 64
#define DEVICES .name = "devices", .type = LAB_TYPE_STRINGS, .items_max = 64, .minimum = 1, .maximum = 64
#define TIME_LIMIT                                                                                                     \
    .name = "time_limit_s", .type = LAB_TYPE_NUMBER, .above = true, .maximum = 86400,                                  \
    .description =                                                                                                     \
        "A run fails when it takes longer, in seconds; by default ten times the planned duration, at least 600."
#define PARAMETERS .name = "parameters", .type = LAB_TYPE_OBJECT

#define KERNEL .name = "kernel", .type = LAB_TYPE_OBJECT, .members = kernel_fields
static const struct lab_field kernel_fields[] = {
    {.name = "edits",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 3,
     .maximum = 128,
     .description = "EXPERIMENT/STEP: the source of the experiment that was edited."},
    {.name = "source",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 1,
     .maximum = 262144,
     .description = "CUDA C++. Its kernels replace those of the experiment that have the same names."},
    {.name = "block",
     .type = LAB_TYPE_LIST,
     .items_max = 3,
     .description = "Threads per block, in one to three dimensions; by default as the experiment launches the kernel."},
    {.name = "grid",
     .type = LAB_TYPE_LIST,
     .items_max = 3,
     .description = "Blocks, in one to three dimensions; by default as many as the experiment's items need."},
    {0},
};

static const struct lab_field compared_fields[] = {
    {EXPERIMENT, .description = "The name of another experiment."},
    {DEVICES, .description = "Ids of other devices."},
    {PARAMETERS, .description = "Parameters that differ; the others are those of the run."},
    {KERNEL, .nullable = true,
     .description = "Another kernel; null: none. By default an edited source is compared with the original."},
    {0},
};

const struct lab_field lab_new_run_fields[] = {
    {EXPERIMENT, .required = true, .description = "The name of an experiment."},
    {DEVICES, .description = "Ids of devices; by default all that are available, up to the experiment's maximum."},
    {PARAMETERS, .description = "Parameters of the experiment; those that are absent have their defaults."},
    {KERNEL, .description = "A kernel of one's own, which needs a CUDA device."},
    {.name = "compare_with",
     .type = LAB_TYPE_OBJECT,
     .members = compared_fields,
     .description = "What the run is compared with: only what differs from the request itself. Both are measured "
                    "alternately."},
    {TAGS},
    {NOTE},
    {PRIORITY},
    {TIME_LIMIT},
    {0},
};

const struct lab_field lab_new_sweep_fields[] = {
    {EXPERIMENT, .required = true, .description = "The name of an experiment."},
    {.name = "devices",
     .type = LAB_TYPE_LIST,
     .items_max = 1000,
     .description = "Ids of devices, or a list of such lists, which is swept."},
    {PARAMETERS, .required = true,
     .description = "Parameters of the experiment. Those that are given as lists are swept: there is a run for each "
                    "combination of their items."},
    {TAGS},
    {NOTE},
    {PRIORITY},
    {TIME_LIMIT},
    {0},
};

const struct lab_field lab_run_change_fields[] = {
    {TAGS},
    {NOTE},
    {.name = "pinned", .type = LAB_TYPE_BOOLEAN, .description = "Whether the run is kept: it cannot be deleted."},
    {0},
};

const struct lab_field lab_repeat_fields[] = {{TAGS}, {NOTE}, {PRIORITY}, {0}};
