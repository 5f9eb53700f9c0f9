/* Formats numbers with a unit and about four significant digits. */
#include "core/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit; the lists below are ordered from large to small and end with name NULL. */
struct unit {
    double size; /* in the last unit of its list; in seconds for times */
    const char *name;
};

static const struct unit byte_units[] = {
    {1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}, {0, NULL}};
static const struct unit throughput_units[] = {{1e6, "PFLOP/s"}, {1e3, "TFLOP/s"}, {1, "GFLOP/s"}, {0, NULL}};
static const struct unit bandwidth_units[] = {{1e3, "TB/s"}, {1, "GB/s"}, {0, NULL}};
static const struct unit frequency_units[] = {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}, {0, NULL}};
static const struct unit time_units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL}};

/* The largest unit that is not larger than the value; the last unit of the list if all are larger. */
static const struct unit *choose_unit(double value, const struct unit *units)
{
    while (fabs(value) < units->size && units[1].name != NULL)
        units++;
    return units;
}

const char *lab_format_bytes(double bytes, char text[LAB_FORMAT_SIZE])
{
    const struct unit *unit = choose_unit(bytes, byte_units);
    snprintf(text, LAB_FORMAT_SIZE, "%.*g %s", unit->size > 1 ? 4 : 6, bytes / unit->size, unit->name);
    return text;
}

/* The number of decimals with which `number` has four significant digits; 4 for numbers below 1. */
static int decimals_of(double number)
{
    double size = fabs(number);
    if (size < 1)
        return size > 0 ? 4 : 3;
    return size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
}

const char *lab_format_seconds(double seconds, char text[LAB_FORMAT_SIZE])
{
    const struct unit *unit = choose_unit(seconds, time_units);
    double shown = seconds / unit->size;
    snprintf(text, LAB_FORMAT_SIZE, "%.*f %s", decimals_of(shown), shown, unit->name);
    return text;
}

const char *lab_format_number(double number, char text[LAB_FORMAT_SIZE])
{
    double size = fabs(number);
    if (size != 0 && (size < 1e-4 || size >= 1e9)) {
        snprintf(text, LAB_FORMAT_SIZE, "%.3e", number);
        return text;
    }
    snprintf(text, LAB_FORMAT_SIZE, "%.*f", decimals_of(number), number);
    return text;
}

const char *lab_format_digits(double number, char text[LAB_FORMAT_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, LAB_FORMAT_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return text;
}

const char *lab_format_value(double value, const char *unit, char text[LAB_FORMAT_SIZE])
{
    if (!isfinite(value)) {
        snprintf(text, LAB_FORMAT_SIZE, "-");
        return text;
    }
    if (strcmp(unit, "B") == 0)
        return lab_format_bytes(value, text);
    if (strcmp(unit, "s") == 0)
        return lab_format_seconds(value, text);
    return lab_format_number(value, text);
}

bool lab_format_has_unit(const char *unit)
{
    return strcmp(unit, "B") == 0 || strcmp(unit, "s") == 0;
}

const char *lab_format_quantity(double value, const char *unit, char text[LAB_FORMAT_SIZE])
{
    const struct unit *units = strcmp(unit, "GFLOP/s") == 0 ? throughput_units
                               : strcmp(unit, "GB/s") == 0  ? bandwidth_units
                               : strcmp(unit, "Hz") == 0    ? frequency_units
                                                            : NULL;
    double size = 1;
    if (units != NULL && isfinite(value)) {
        const struct unit *larger = choose_unit(value, units);
        unit = larger->name;
        size = larger->size;
    }
    lab_format_value(value / size, unit, text);
    if (isfinite(value) && !lab_format_has_unit(unit) && strcmp(unit, "1") != 0) {
        size_t used = strlen(text);
        snprintf(text + used, LAB_FORMAT_SIZE - used, " %s", unit);
    }
    return text;
}

const char *lab_format_duration(double seconds, char text[LAB_FORMAT_SIZE])
{
    static const struct unit units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {0, NULL}};
    const struct unit *unit = choose_unit(seconds / 2, units); /* 90 s, not 1 min */
    snprintf(text, LAB_FORMAT_SIZE, "%.0f %s", round(seconds / unit->size), unit->name);
    return text;
}

const char *lab_format_share(double share, char text[LAB_FORMAT_SIZE])
{
    if (isfinite(share))
        snprintf(text, LAB_FORMAT_SIZE, "%.1f %%", share * 100);
    else
        snprintf(text, LAB_FORMAT_SIZE, "-");
    return text;
}
