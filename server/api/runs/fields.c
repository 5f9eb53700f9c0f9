/* The fields of requests that create and change runs. */
#include "fields.h"

#include "experiment/experiment.h"
#include "store.h"

#define TAGS                                                                                                           \
    .name = "tags", .type = LAB_TYPE_STRING, .count = LAB_LIST, .items_max = 32, .distinct = true, .minimum = 1,       \
    .maximum = 64, .text = "Words by which runs are found."
#define NOTE .name = "note", .type = LAB_TYPE_STRING, .maximum = 4096, .text = "Text for people."

#define PRIORITY                                                                                                       \
    .name = "priority", .type = LAB_TYPE_CHOICE, .choices = lab_priority_names,                                        \
    .text = "Runs of low priority are started when no other run is queued; normal by default."

#define EXPERIMENT .name = "experiment", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 64
#define DEVICES                                                                                                        \
    .name = "devices", .type = LAB_TYPE_STRING, .count = LAB_LIST, .items_max = 64, .distinct = true, .minimum = 1,    \
    .maximum = 64
#define NODE .name = "node", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 64
#define TIME_LIMIT                                                                                                     \
    .name = "time_limit_s", .type = LAB_TYPE_NUMBER, .above = true, .maximum = 86400,                                  \
    .text = "A run fails when it takes longer, in seconds; by default ten times the planned duration, at least 600."
#define PARAMETERS .name = "parameters", .type = LAB_TYPE_OBJECT

#define SOURCE .name = "source", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 262144, .text = "CUDA C++."
#define ENTRY                                                                                                          \
    .name = "entry", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 1024,                                           \
    .text = "The kernel's name; by default the only kernel of the source."
#define GRID .name = "grid", .type = LAB_TYPE_ANY, .text = "Blocks, in one to three dimensions: sizes or expressions."
#define BLOCK .name = "block", .type = LAB_TYPE_ANY, .text = "Threads per block, in one to three dimensions."
#define SHARED .name = "shared", .type = LAB_TYPE_ANY, .text = "Bytes of dynamic shared memory of a block."

static const struct lab_schema reference_fields[] = {
    {SOURCE},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {.name = "tolerance",
     .type = LAB_TYPE_NUMBER,
     .minimum = 0,
     .maximum = 1e300,
     .text = "Floats may differ by this, times the larger one of 1 and the reference."},
    {0},
};

#define KERNEL .name = "kernel", .type = LAB_TYPE_OBJECT, .members = kernel_fields
static const struct lab_schema kernel_fields[] = {
    {.name = "edits",
     .type = LAB_TYPE_STRING,
     .minimum = 3,
     .maximum = 128,
     .text = "EXPERIMENT/STEP: the source of the experiment that was edited. Not for the experiment kernel."},
    {SOURCE, .required = true},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {.name = "arguments",
     .type = LAB_TYPE_ANY,
     .count = LAB_LIST,
     .items_max = 16,
     .text = "The kernel's arguments: buffers and scalars. Scalars that are given as lists are axes."},
    {.name = "bytes", .type = LAB_TYPE_ANY, .text = "Bytes that a launch reads and writes."},
    {.name = "operations", .type = LAB_TYPE_ANY, .text = "Arithmetic operations of a launch."},
    {.name = "expressions",
     .type = LAB_TYPE_INTEGER,
     .minimum = LAB_EXPRESSIONS_REAL,
     .maximum = LAB_EXPRESSIONS_NEWEST,
     .text = "The version of the rules for expressions; by default the newest. In version 1 all arithmetic is real."},
    {.name = "reference",
     .type = LAB_TYPE_OBJECT,
     .nullable = true,
     .members = reference_fields,
     .text = "A kernel with the same arguments, with whose outputs those of the kernel are compared."},
    {.name = "sanitize",
     .type = LAB_TYPE_BOOLEAN,
     .text = "Whether the worker runs under compute-sanitizer, whose report becomes the run's output."},
    {0},
};

static const struct lab_schema compared_fields[] = {
    {EXPERIMENT, .text = "The name of another experiment."},
    {DEVICES, .text = "Ids of other devices."},
    {PARAMETERS, .text = "Parameters that differ; the others are those of the run."},
    {KERNEL, .nullable = true,
     .text = "Another kernel; null: none. By default an edited source is compared with the original."},
    {0},
};

const struct lab_schema lab_new_run_fields[] = {
    {EXPERIMENT, .required = true, .text = "The name of an experiment."},
    {DEVICES, .text = "Ids of devices of one machine; by default those of a machine that are available, up to the "
                      "experiment's maximum. A run of collectives may have CUDA devices of several."},
    {NODE, .text =
               "The name of the machine on which to run; by default that of the devices, or else the first that has "
               "enough."},
    {PARAMETERS, .text = "Parameters of the experiment; those that are absent have their defaults."},
    {KERNEL, .text = "A kernel of one's own, which needs a CUDA device."},
    {.name = "compare_with",
     .type = LAB_TYPE_OBJECT,
     .members = compared_fields,
     .text = "What the run is compared with: only what differs from the request itself. Both are measured "
             "alternately."},
    {TAGS},
    {NOTE},
    {PRIORITY},
    {TIME_LIMIT},
    {0},
};

const struct lab_schema lab_new_sweep_fields[] = {
    {EXPERIMENT, .required = true, .text = "The name of an experiment."},
    {.name = "devices",
     .type = LAB_TYPE_ANY,
     .count = LAB_LIST,
     .items_max = 1000,
     .text = "Ids of devices, or a list of such lists, which is swept."},
    {NODE, .text = "The name of the machine on which to run."},
    {.name = "nodes",
     .type = LAB_TYPE_STRING,
     .count = LAB_LIST,
     .distinct = true,
     .items_max = 64,
     .minimum = 1,
     .maximum = 64,
     .text = "Names of machines, which are swept: the same on each. Not together with devices or node."},
    {PARAMETERS, .required = true,
     .text = "Parameters of the experiment. Those that are given as lists are swept: there is a run for each "
             "combination of their items."},
    {TAGS},
    {NOTE},
    {PRIORITY},
    {TIME_LIMIT},
    {0},
};

const struct lab_schema lab_run_change_fields[] = {
    {TAGS},
    {NOTE},
    {.name = "pinned", .type = LAB_TYPE_BOOLEAN, .text = "Whether the run is kept: it cannot be deleted."},
    {0},
};

const struct lab_schema lab_repeat_fields[] = {{TAGS}, {NOTE}, {PRIORITY}, {0}};
