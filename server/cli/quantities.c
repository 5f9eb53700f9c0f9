/* Figures for people. */
#include "quantities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scale {
    double from; /* the smallest size that is shown in it */
    double one;
    const char *name;
};

static const struct scale sizes[] = {
    {1099511627776.0, 1099511627776.0, "TiB"},
    {1073741824.0, 1073741824.0, "GiB"},
    {1048576.0, 1048576.0, "MiB"},
    {1024.0, 1024.0, "KiB"},
    {0, 1, "B"},
};

static const struct scale times[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};

static const struct scale *scale_of(double value, const struct scale *scales)
{
    while (fabs(value) < scales->from)
        scales++;
    return scales;
}

const char *lab_show_bytes(double bytes, char text[LAB_QUANTITY_SIZE])
{
    const struct scale *scale = scale_of(bytes, sizes);
    snprintf(text, LAB_QUANTITY_SIZE, "%.*g %s", scale->one > 1 ? 4 : 6, bytes / scale->one, scale->name);
    return text;
}

/* How many decimals make four significant digits; four where the number is below 1. */
static int decimals_of(double number)
{
    double size = fabs(number);
    if (size < 1)
        return size > 0 ? 4 : 3;
    return size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
}

const char *lab_show_seconds(double seconds, char text[LAB_QUANTITY_SIZE])
{
    const struct scale *scale = scale_of(seconds, times);
    double shown = seconds / scale->one;
    snprintf(text, LAB_QUANTITY_SIZE, "%.*f %s", decimals_of(shown), shown, scale->name);
    return text;
}

const char *lab_show_number(double number, char text[LAB_QUANTITY_SIZE])
{
    double size = fabs(number);
    if (size != 0 && (size < 1e-4 || size >= 1e9)) {
        snprintf(text, LAB_QUANTITY_SIZE, "%.3e", number);
        return text;
    }
    snprintf(text, LAB_QUANTITY_SIZE, "%.*f", decimals_of(number), number);
    return text;
}

const char *lab_show_value(double value, const char *unit, char text[LAB_QUANTITY_SIZE])
{
    if (!isfinite(value)) {
        snprintf(text, LAB_QUANTITY_SIZE, "-");
        return text;
    }
    if (strcmp(unit, "B") == 0)
        return lab_show_bytes(value, text);
    if (strcmp(unit, "s") == 0)
        return lab_show_seconds(value, text);
    return lab_show_number(value, text);
}

const char *lab_show_share(double share, char text[LAB_QUANTITY_SIZE])
{
    if (isfinite(share))
        snprintf(text, LAB_QUANTITY_SIZE, "%.1f %%", share * 100);
    else
        snprintf(text, LAB_QUANTITY_SIZE, "-");
    return text;
}
