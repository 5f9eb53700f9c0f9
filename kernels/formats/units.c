/* One table. Sizes of bytes are decimal unless their name has an "i". */
#include "formats/units.h"

#include <stddef.h>
#include <string.h>

#define KI 1024.0
#define MI (KI * KI)
#define GI (KI * MI)
#define TI (KI * GI)

static const struct lab_unit units[] = {
    {"", "1", 1, 1},
    {"1", "1", 1, 1},
    {"%", "1", 1, 1e2},
    {"s", "s", 1, 1},
    {"sec", "s", 1, 1},
    {"seconds", "s", 1, 1},
    {"ms", "s", 1, 1e3},
    {"us", "s", 1, 1e6},
    {"\u00B5s", "s", 1, 1e6}, /* micro sign */
    {"\u03BCs", "s", 1, 1e6}, /* Greek mu */
    {"ns", "s", 1, 1e9},
    {"B", "B", 1, 1},
    {"bytes", "B", 1, 1},
    {"kB", "B", 1e3, 1},
    {"KB", "B", 1e3, 1},
    {"MB", "B", 1e6, 1},
    {"GB", "B", 1e9, 1},
    {"TB", "B", 1e12, 1},
    {"KiB", "B", KI, 1},
    {"MiB", "B", MI, 1},
    {"GiB", "B", GI, 1},
    {"TiB", "B", TI, 1},
    {"B/s", "GB/s", 1, 1e9},
    {"kB/s", "GB/s", 1, 1e6},
    {"KB/s", "GB/s", 1, 1e6},
    {"MB/s", "GB/s", 1, 1e3},
    {"GB/s", "GB/s", 1, 1},
    {"TB/s", "GB/s", 1e3, 1},
    {"KiB/s", "GB/s", KI, 1e9},
    {"MiB/s", "GB/s", MI, 1e9},
    {"GiB/s", "GB/s", GI, 1e9},
    {"TiB/s", "GB/s", TI, 1e9},
    {"items/s", "G/s", 1, 1e9},
    {"elements/s", "G/s", 1, 1e9},
    {"G/s", "G/s", 1, 1},
    {"FLOP/s", "GFLOP/s", 1, 1e9},
    {"MFLOP/s", "GFLOP/s", 1, 1e3},
    {"GFLOP/s", "GFLOP/s", 1, 1},
    {"TFLOP/s", "GFLOP/s", 1e3, 1},
    {"MFLOPS", "GFLOP/s", 1, 1e3},
    {"GFLOPS", "GFLOP/s", 1, 1},
    {"TFLOPS", "GFLOP/s", 1e3, 1},
    {"op/s", "Gop/s", 1, 1e9},
    {"Gop/s", "Gop/s", 1, 1},
    {"Top/s", "Gop/s", 1e3, 1},
    {"Hz", "Hz", 1, 1},
    {"kHz", "Hz", 1e3, 1},
    {"MHz", "Hz", 1e6, 1},
    {"GHz", "Hz", 1e9, 1},
    {"J", "J", 1, 1},
    {"mJ", "J", 1, 1e3},
    {"cycles", "cycles", 1, 1},
};

const struct lab_unit *lab_unit_find(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

bool lab_unit_is_quantity(const struct lab_unit *unit)
{
    return strcmp(unit->unit, "1") != 0;
}
