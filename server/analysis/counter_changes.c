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

json_t *lab_counter_changes(const json_t *base, const json_t *head)
{
    size_t index;
    json_t *each;
    if (!json_is_array(base) || !json_is_array(head))
        return json_null();
    json_t *changes = json_array();
    json_array_foreach(base, index, each)
    {
        const char *name = lab_text_of(each, "name");
        double before = lab_number_of(each, "value"), after = value_of(head, name);
        if (lab_figures_differ(before, after))
            json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", name, "title",
                                                     lab_hardware_counter_title(name), "unit",
                                                     lab_text_of(each, "unit"), "base", before, "head", after));
    }
    return changes;
}
