/* The table of what hardware counts, as data. */
#include "core/hardware_counters.h"

#define ROW(x, NAME, name_, title_, unit_, text_)                                                                      \
    [LAB_HARDWARE_##NAME] = {.name = #name_, .title = (title_), .unit = (unit_), .text = (text_)},
const struct lab_hardware_counter_row lab_hardware_counter_rows[LAB_HARDWARE_COUNTER_COUNT] = {
    LAB_HARDWARE_COUNTERS(ROW, )};
