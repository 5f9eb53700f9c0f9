/* The units in which tools write, and those of gpulab. */
#ifndef LAB_FORMATS_UNITS_H
#define LAB_FORMATS_UNITS_H

#include <stdbool.h>

struct lab_unit {
    const char *name;        /* as tools write it */
    const char *unit;        /* gpulab's */
    double multiply, divide; /* the value in gpulab's unit is value * multiply / divide: one rounding */
};

/* The row of a unit; "" is that of plain numbers. NULL: not known. */
const struct lab_unit *lab_unit_find(const char *name);

/* Whether values in the unit are times, sizes, rates or counts, which cannot be negative; plain numbers can be. */
bool lab_unit_is_quantity(const struct lab_unit *unit);

#endif
