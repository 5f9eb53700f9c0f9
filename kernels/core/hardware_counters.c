/* The table of what hardware counts, as data. */
#include "core/hardware_counters.h"

#include <string.h>

#define ROW(x, NAME, name_, title_, unit_, text_)                                                                      \
    [LAB_HARDWARE_##NAME] = {.name = #name_, .title = (title_), .unit = (unit_), .text = (text_)},
const struct lab_hardware_counter_row lab_hardware_counter_rows[LAB_HARDWARE_COUNTER_COUNT] = {
    LAB_HARDWARE_COUNTERS(ROW, )};

const char *lab_hardware_counter_title(const char *name)
{
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        if (strcmp(lab_hardware_counter_rows[i].name, name) == 0)
            return lab_hardware_counter_rows[i].title;
    return name;
}
