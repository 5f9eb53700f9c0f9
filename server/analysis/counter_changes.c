/* Which hardware counters differ between two measurements of a point. */
#include "analysis/counter_changes.h"

#include "core/hardware_counters.h"
#include "core/json_members.h"

#include <math.h>
#include <string.h>

bool lab_figures_differ(double value, double other)
{
    static const double least = 0.1; /* of the larger one */
    return isfinite(value) && isfinite(other) && fabs(other - value) > least * fmax(fabs(value), fabs(other));
}

static double value_of(const json_t *counters, const char *name)
{
    size_t index;
    json_t *each;
    json_array_foreach(counters, index, each)
    {
        if (strcmp(lab_text_of(each, "name"), name) == 0)
            return lab_number_of(each, "value");
    }
    return (double)NAN;
}

/* Whether two values of a counter differ by more than their noise: a share, or a number of waiting warps, varies by a
 * few hundredths from pass to pass. */
static bool is_change(double before, double after, const char *unit)
{
    static const double noise = 0.03;
    return lab_figures_differ(before, after) && (strcmp(unit, "1") != 0 || fabs(after - before) > noise);
}

json_t *lab_counter_changes(const json_t *base, const json_t *head)
{
    size_t index;
    json_t *each;
    if (!json_is_array(base) || !json_is_array(head))
        return json_null();
    json_t *changes = json_array();
    json_array_foreach(base, index, each)
    {
        const char *name = lab_text_of(each, "name"), *unit = lab_text_of(each, "unit");
        double before = lab_number_of(each, "value"), after = value_of(head, name);
        if (is_change(before, after, unit))
            json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", name, "title",
                                                     lab_hardware_counter_title(name), "unit", unit, "base", before,
                                                     "head", after));
    }
    return changes;
}
