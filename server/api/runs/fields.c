/* The fields of requests that create and change runs. */
#include "fields.h"

#include "descriptor/own_kernel.h"
#include "descriptor/program.h"
#include "jobs/queue.h"
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
#define SECRET_UNTIL                                                                                                   \
    .name = "secret_until", .type = LAB_TYPE_TIME,                                                                     \
    .text =                                                                                                            \
        "Until this time, at most 366 days in the future, only the person who asks for the run, and admins, know of "  \
        "it. Only with a kernel of one's own: of the others, what is measured is part of the history."
#define PRESET                                                                                                         \
    .name = "preset", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 64,                                            \
    .text =                                                                                                            \
        "The name of a preset of the experiment. Parameters of the request replace those of the preset. The time "     \
        "budget of the preset is ignored in a comparison, for which it is too short."
#define PARAMETERS .name = "parameters", .type = LAB_TYPE_OBJECT

#define KERNEL .name = "kernel", .type = LAB_TYPE_OBJECT, .members = lab_own_kernel_members

#define PROGRAM .name = "program", .type = LAB_TYPE_OBJECT, .members = lab_program_members

static const struct lab_schema compared_fields[] = {
    {EXPERIMENT, .text = "The name of another experiment."},
    {DEVICES, .text = "Ids of other devices."},
    {PARAMETERS, .text = "Parameters that differ; the others are those of the run."},
    {KERNEL, .nullable = true,
     .text = "Another kernel; null: none. By default an edited source is compared with the original."},
    {PROGRAM, .text = "Another program."},
    {0},
};

const struct lab_schema lab_new_run_fields[] = {
    {EXPERIMENT, .required = true, .text = "The name of an experiment."},
    {DEVICES, .text = "Ids of devices of one machine; by default those of a machine that are available, up to the "
                      "experiment's maximum. A run of collectives may have CUDA devices of several."},
    {NODE,
     .text = "The name of the machine on which to run; by default the machine of `devices` or, without `devices`, the "
             "first machine that has enough available devices."},
    {PRESET},
    {PARAMETERS, .text = "Parameters of the experiment; those that are absent have their defaults."},
    {KERNEL, .text = "A kernel of one's own, which needs a CUDA device."},
    {PROGRAM, .text = "A whole program, for the experiment program. It is executed in a sandbox by the lab's user."},
    {.name = "compare_with",
     .type = LAB_TYPE_OBJECT,
     .members = compared_fields,
     .text = "What the run is compared with: only what differs from the request itself. Both are measured "
             "alternately."},
    {TAGS},
    {NOTE},
    {PRIORITY},
    {TIME_LIMIT},
    {SECRET_UNTIL},
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
     .items_max = LAB_QUEUE_NODES_MAX,
     .minimum = 1,
     .maximum = 64,
     .text = "Names of machines, which are swept: the same on each. Not together with devices or node."},
    {PRESET},
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
    {.name = "public", .type = LAB_TYPE_BOOLEAN, .text = "Whether a lab that is open to everyone shows the whole run."},
    {0},
};

const struct lab_schema lab_repeat_fields[] = {{TAGS}, {NOTE}, {PRIORITY}, {0}};
