/* The objects in a run. */
#include "members.h"

const struct lab_schema lab_run_device_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name"), .nullable = true},
    {.name = "node", .type = LAB_TYPE_STRING, .nullable = true, .text = "The machine that has the device."},
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
     .text = "What the compiler says of the source of an own kernel that it has rejected: severity, line, column and "
             "text."},
    {0},
};

const struct lab_schema lab_progress_members[] = {
    {LAB_GIVEN(INTEGER, "done"), .maximum = INFINITY},
    {LAB_GIVEN(INTEGER, "total"), .maximum = INFINITY},
    {LAB_GIVEN(STRING, "label")},
    {0},
};
