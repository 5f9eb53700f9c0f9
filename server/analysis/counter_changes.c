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

/* The counter with this name; NULL: there is none. */
static const json_t *counter_of(const json_t *counters, const char *name)
{
    size_t index;
    json_t *each;
    json_array_foreach(counters, index, each)
    {
        if (strcmp(lab_text_of(each, "name"), name) == 0)
            return each;
    }
    return NULL;
}

/* Counters that are parts of one whole: those whose names begin and end so. */
static const struct whole {
    const char *begin, *end;
} wholes[] = {{"stall_", ""}, {"dram_", "_bytes"}};

static bool is_part(const struct whole *whole, const char *name)
{
    size_t length = strlen(name), end = strlen(whole->end);
    return strncmp(name, whole->begin, strlen(whole->begin)) == 0 && length >= end &&
           strcmp(name + length - end, whole->end) == 0;
}

/* The value with which a change of the counter is compared: the sum of the counters of its group (`wholes`) on one
 * side. For a counter of no group: 1 if its unit is "1", which is the whole of a share and next to nothing for a large
 * count; otherwise 0. */
static double whole_of(const json_t *counters, const char *name)
{
    double sum = 0;
    size_t index, i = 0, count = sizeof wholes / sizeof *wholes;
    json_t *each;
    while (i < count && !is_part(&wholes[i], name))
        i++;
    if (i == count)
        return strcmp(lab_text_of(counter_of(counters, name), "unit"), "1") == 0 ? 1 : 0;
    json_array_foreach(counters, index, each)
    {
        if (is_part(&wholes[i], lab_text_of(each, "name")))
            sum += lab_number_of(each, "value");
    }
    return sum;
}

/* Whether the counter is a result, and no cause of one. */
static bool is_result(const char *name)
{
    return strcmp(name, lab_hardware_counter_rows[LAB_HARDWARE_TIME].name) == 0 ||
           strcmp(name, lab_hardware_counter_rows[LAB_HARDWARE_CYCLES].name) == 0;
}

bool lab_counter_differs(const json_t *base, const json_t *head, const char *name)
{
    double before = lab_number_of(counter_of(base, name), "value"),
           after = lab_number_of(counter_of(head, name), "value");
    double whole = fmax(whole_of(base, name), whole_of(head, name));
    return !is_result(name) && lab_figures_differ(before, after) && fabs(after - before) > LAB_COUNTER_NOISE * whole;
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
        if (lab_counter_differs(base, head, name))
            json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", name, "title",
                                                     lab_hardware_counter_title(name), "unit",
                                                     lab_text_of(each, "unit"), "base", lab_number_of(each, "value"),
                                                     "head", lab_number_of(counter_of(head, name), "value")));
    }
    return changes;
}
