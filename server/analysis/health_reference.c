/* Finds what the values of a health run are compared with. */
#include "analysis/health_reference.h"

#include "core/order.h"
#include "core/throttle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lab_health_write_quantity(const struct lab_health_value *of, double value, char text[LAB_FORMAT_SIZE])
{
    if (strcmp(of->unit, "1") != 0)
        return lab_format_quantity(value, of->unit, text);
    snprintf(text, LAB_FORMAT_SIZE, "%.0f", value); /* a count */
    return text;
}

static bool equal(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Whether both are measurements of the same thing on devices of the same model. Copies between devices are compared
 * only with those between the same two, because pairs may have different links. */
static bool comparable(const struct lab_health_value *a, const struct lab_health_value *b)
{
    return b->skipped == NULL && b->verified != 0 && equal(a->check, b->check) && equal(a->metric, b->metric) &&
           equal(a->model, b->model) && equal(a->peer, b->peer) && (a->peer == NULL || equal(a->device, b->device));
}

static struct lab_health_reference no_reference(void)
{
    return (struct lab_health_reference){.value = NAN, .usual = NAN};
}

struct lab_health_reference lab_health_find_history(struct lab_health_values *all, const struct lab_health_value *value)
{
    struct lab_health_reference reference = no_reference();
    struct lab_rank rank;
    size_t found = 0, runs = 0, last = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct lab_health_value *earlier = &all->values[i];
        if (earlier->run == 0 || !comparable(value, earlier))
            continue;
        all->selected[found++] = earlier->value;
        runs += earlier->run != last;
        last = earlier->run;
    }
    if (runs < LAB_HEALTH_RUNS_MIN)
        return reference;
    if (!lab_rank(value->value, all->selected, found, true, 0, &rank)) {
        all->failed = true;
        return reference;
    }
    char usual[LAB_FORMAT_SIZE];
    reference.value = rank.median;
    reference.usual = rank.low;
    snprintf(reference.source, sizeof reference.source, "median of %zu earlier runs on %.64s, usually %s or more", runs,
             value->model, lab_health_write_quantity(value, fmax(rank.low, 0), usual));
    return reference;
}

/* Whether an earlier entry has the same device: values are ordered by run, so the first one is the latest. */
static bool is_latest(const struct lab_health_values *all, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (all->values[i].run != 0 && comparable(&all->values[index], &all->values[i]) &&
            equal(all->values[i].device, all->values[index].device))
            return false;
    return true;
}

static size_t select_peers(const struct lab_health_values *all, const struct lab_health_value *value, bool earlier)
{
    size_t found = 0;
    for (size_t i = 0; i < all->count; i++)
        if ((all->values[i].run != 0) == earlier && comparable(value, &all->values[i]) &&
            !equal(value->device, all->values[i].device) && (!earlier || is_latest(all, i)))
            all->selected[found++] = all->values[i].value;
    return found;
}

struct lab_health_reference lab_health_find_peers(const struct lab_health_values *all,
                                                  const struct lab_health_value *value)
{
    size_t found = select_peers(all, value, false);
    bool earlier = found == 0;
    if (earlier)
        found = select_peers(all, value, true);
    struct lab_health_reference reference = no_reference();
    if (found > 0)
        reference.value = lab_median(all->selected, found);
    snprintf(reference.source, sizeof reference.source, "median of %zu other %s%s", found,
             found == 1 ? "device" : "devices", earlier ? ", in their latest runs" : "");
    return reference;
}

struct lab_health_reference lab_health_find_opposite(const struct lab_health_values *all,
                                                     const struct lab_health_value *value)
{
    struct lab_health_reference reference = {NAN, NAN, "the copy in the other direction"};
    for (size_t i = 0; i < all->count && all->values[i].run == 0; i++) {
        const struct lab_health_value *other = &all->values[i];
        if (other->skipped == NULL && value->peer != NULL && equal(other->check, value->check) &&
            equal(other->metric, value->metric) && equal(other->device, value->peer) &&
            equal(other->peer, value->device))
            reference.value = other->value;
    }
    return reference;
}

/* Whether the clock was as low as the load demands, at the power limit for example. */
static bool is_limited_by_load(const struct lab_health_value *value)
{
    for (size_t i = 0; i < value->throttle_count; i++)
        if (lab_throttle_kind(value->throttle[i]) == LAB_THROTTLE_NORMAL)
            return true;
    return false;
}

struct lab_health_reference lab_health_find_peak(const struct lab_health_value *value)
{
    struct lab_health_reference reference = {value->peak, NAN, ""};
    if (strcmp(value->metric, "clock") == 0 && is_limited_by_load(value))
        reference.value = NAN;
    snprintf(reference.source, sizeof reference.source, "%s", value->peak_name != NULL ? value->peak_name : "peak");
    return reference;
}
