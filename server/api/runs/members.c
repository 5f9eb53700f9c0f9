/* The objects in a run. */
#include "members.h"
#include "openapi/schemas.h"

#include "store.h"

const struct lab_schema lab_run_device_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name"), .nullable = true},
    {.name = "node",
     .type = LAB_TYPE_STRING,
     .nullable = true,
     .text = "The machine that has the device.",
     .withheld = true},
    {0},
};

static const struct lab_schema share_members[] = {{LAB_GIVEN(STRING, "title")}, {LAB_GIVEN(NUMBER, "value")}, {0}};

const struct lab_schema lab_headline_members[] = {
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(NUMBER, "value"), .text = "The median."},
    {LAB_GIVEN(OBJECT, "axes"), .text = "The point that was measured."},
    {.name = "lowest", .type = LAB_TYPE_BOOLEAN, .text = "Whether the best value is the lowest."},
    {.name = "share",
     .type = LAB_TYPE_OBJECT,
     .nullable = true,
     .members = share_members,
     .text = "At the same point: the share of the peak, or the metric that the experiment declares. Runs of earlier "
             "versions have none."},
    {0},
};

const struct lab_schema lab_run_error_members[] = {
    {LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "detail")},
    {.name = "log", .type = LAB_TYPE_STRING, .text = "The end of the worker's output."},
    {.name = "messages",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .nullable = true,
     .text = "What the compiler says of an own kernel or program that it has rejected: severity, file, line, column "
             "and text."},
    {0},
};

const struct lab_schema lab_progress_members[] = {
    {LAB_GIVEN(INTEGER, "done"), .maximum = INFINITY},
    {LAB_GIVEN(INTEGER, "total"), .maximum = INFINITY},
    {LAB_GIVEN(STRING, "label")},
    {0},
};

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema runs_members[] = {
    {LAB_GIVEN(OBJECT, "runs"), .count = LAB_LIST, .component = "RunSummary"},
    {LAB_GIVEN(STRING, "next"), .nullable = true, .text = "The cursor of the next page; null on the last one."},
    {0},
};

static const struct lab_schema environment_devices_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(INTEGER, "ordinal")},
    {LAB_GIVEN(CHOICE, "backend"), .choices = LAB_TEXTS("cuda", "host")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(OBJECT, "properties"), .component = "DeviceProperties"},
    {LAB_GIVEN(OBJECT, "peers"), .count = LAB_LIST, .component = "Peer"},
    {0},
};

static const struct lab_schema sharing_members[] = {
    {.name = "mig", .type = LAB_TYPE_BOOLEAN, .text = "A device of the run is a part of a GPU (MIG)."},
    {.name = "mps",
     .type = LAB_TYPE_BOOLEAN,
     .text = "The multi-process service (MPS) runs on the machine, by which processes share devices; whole programs in "
             "the sandbox do not use it."},
    {0},
};

static const struct lab_schema sandbox_members[] = {
    {LAB_GIVEN(CHOICE, "protection"), .choices = LAB_TEXTS("bubblewrap", "landlock"),
     .text = "bubblewrap: namespaces, Landlock and a filter of system calls; landlock: the last two."},
    {.name = "user",
     .type = LAB_TYPE_STRING,
     .nullable = true,
     .text = "The user that executed the program (--program-user); null: the user of the worker."},
    {.name = "cgroup_memory", .type = LAB_TYPE_BOOLEAN, .text = "A cgroup limited the memory of all its processes."},
    {.name = "cgroup_tasks",
     .type = LAB_TYPE_BOOLEAN,
     .text = "A cgroup limited the number of its processes and threads."},
    {0},
};

static const struct lab_schema environment_members[] = {
    {.name = "machine", .type = LAB_TYPE_OBJECT, .component = "Machine"},
    {.name = "build",
     .type = LAB_TYPE_OBJECT,
     .each = &(const struct lab_schema){.type = LAB_TYPE_STRING, .nullable = true}},
    {.name = "devices", .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .members = environment_devices_members},
    {.name = "numa_node", .type = LAB_TYPE_INTEGER, .nullable = true},
    {.name = "variables",
     .type = LAB_TYPE_OBJECT,
     .each = &(const struct lab_schema){.type = LAB_TYPE_STRING},
     .withheld = true},
    {.name = "sharing",
     .type = LAB_TYPE_OBJECT,
     .members = sharing_members,
     .text = "How the devices may be shared with others; absent in runs of earlier versions."},
    {.name = "sandbox",
     .type = LAB_TYPE_OBJECT,
     .members = sandbox_members,
     .text = "What protected the machine from a whole program; absent in other runs."},
    {.name = "libraries",
     .type = LAB_TYPE_OBJECT,
     .each = &(const struct lab_schema){.type = LAB_TYPE_STRING, .nullable = true},
     .text =
         "Versions, after the end of the run; null for a library that it did not open. The only member where another "
         "tool's results were imported."},
    {0},
};

/* A member of a run as a row: every answer has it. */
#define ANSWERED_FOUND(x, form, name, presence, sql, ...) LAB_ANSWERED(x, form, name, presence, __VA_ARGS__)

static const struct lab_schema summary_members[] = {LAB_RUN_SUMMARY(LAB_ANSWERED, ANSWERED_FOUND, LAB_ANSWERED, ){0}};
static const struct lab_schema run_members[] = {
    LAB_RUN_SUMMARY(LAB_ANSWERED, ANSWERED_FOUND, LAB_ANSWERED, ) LAB_RUN_DETAILS(LAB_ANSWERED, ANSWERED_FOUND, ){
        LAB_GIVEN(OBJECT, "measurements"), .count = LAB_LIST, .component = "Measurement"},
    {0},
};

const struct lab_schema lab_run_documents[] = {
    {.name = "Runs", .type = LAB_TYPE_OBJECT, .members = runs_members},
    {.name = "RunSummary", .type = LAB_TYPE_OBJECT, .members = summary_members, .text = "A run as in lists."},
    {.name = "Run", .type = LAB_TYPE_OBJECT, .members = run_members},
    {.name = "RunStatus", .type = LAB_TYPE_CHOICE, .choices = lab_status_names},
    {.name = "RunDevice", .type = LAB_TYPE_OBJECT, .members = lab_run_device_members},
    {.name = "Headline",
     .type = LAB_TYPE_OBJECT,
     .members = lab_headline_members,
     .text = "The median of the point that the headline stands for."},
    {.name = "RunError", .type = LAB_TYPE_OBJECT, .members = lab_run_error_members},
    {.name = "Environment",
     .type = LAB_TYPE_OBJECT,
     .members = environment_members,
     .text = "What the run was measured with; null until the worker has reported it."},
    {0},
};
