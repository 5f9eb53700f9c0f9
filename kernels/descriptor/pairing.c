/* Pairs the points of a comparison, and plans its run. */
#include "descriptor/pairing.h"

#include "core/text.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the axes that both sides have -------------------------------------------------------------------------------- */

/* An axis that both sides have: its indices in their tables, and the texts of its values if it is a choice. */
struct shared_axis {
    size_t base, head;
    struct lab_choices base_choices, head_choices;
};

static bool is_shared(const struct lab_experiment *base, const struct lab_experiment *head, struct shared_axis *axis)
{
    const struct lab_axis *one = &base->axes[axis->base], *other = &head->axes[axis->head];
    return strcmp(one->name, other->name) == 0 &&
           lab_axis_kind(base, one, &axis->base_choices) == lab_axis_kind(head, other, &axis->head_choices);
}

static size_t list_shared_axes(const struct lab_experiment *base, const struct lab_experiment *head,
                               struct shared_axis axes[LAB_AXES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; head->axes[i].name != NULL; i++)
        for (size_t k = 0; base->axes[k].name != NULL; k++) {
            struct shared_axis axis = {.base = k, .head = i};
            if (is_shared(base, head, &axis))
                axes[count++] = axis;
        }
    return count;
}

/* The head's value on an axis as the base has it, because two experiments may list their choices in another order. Not
 * a value of the base if it has no such choice. */
static int64_t value_in_base(const struct shared_axis *axis, int64_t value)
{
    if (axis->head_choices.texts == NULL || axis->head_choices.texts == axis->base_choices.texts ||
        value == LAB_NO_VALUE)
        return value;
    size_t i = lab_choice_find(axis->base_choices, lab_choice_text(axis->head_choices, (size_t)value));
    return lab_choice_text(axis->base_choices, i) != NULL ? (int64_t)i : -1 - value;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* The values of a point on the shared axes; 0 on those that the comparison changes, so that points which belong
 * together have equal values. */
struct key {
    int64_t values[LAB_AXES_MAX];
    size_t point;
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    for (size_t i = 0; i < LAB_AXES_MAX; i++)
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

static int compare_keys_and_points(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_keys(a, b);
    return order != 0 ? order : (a->point > b->point) - (a->point < b->point);
}

static int compare_values(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The points of both sides while they are paired. */
struct matching {
    size_t axis_count, base_count, head_count;
    struct shared_axis axes[LAB_AXES_MAX];
    struct key *base, *head;
    int64_t *values; /* of the base on one axis */
    size_t *partner; /* of each point of the head: a point of the base; LAB_NO_POINT */
    bool *used;      /* of each point of the base: it has a partner */
};

static void fill_keys(struct matching *m, const struct lab_points *base, const struct lab_points *head)
{
    for (size_t i = 0; i < base->count; i++) {
        m->base[i].point = i;
        for (size_t k = 0; k < m->axis_count; k++)
            m->base[i].values[k] = base->items[i].values[m->axes[k].base];
    }
    for (size_t i = 0; i < head->count; i++) {
        m->head[i].point = i;
        for (size_t k = 0; k < m->axis_count; k++)
            m->head[i].values[k] = value_in_base(&m->axes[k], head->items[i].values[m->axes[k].head]);
    }
}

static bool have_common_value(const struct matching *m, size_t axis)
{
    for (size_t i = 0; i < m->base_count; i++)
        m->values[i] = m->base[i].values[axis];
    qsort(m->values, m->base_count, sizeof *m->values, compare_values);
    for (size_t i = 0; i < m->head_count; i++)
        if (bsearch(&m->head[i].values[axis], m->values, m->base_count, sizeof *m->values, compare_values) != NULL)
            return true;
    return false;
}

static void ignore_axis(const struct matching *m, size_t axis)
{
    for (size_t i = 0; i < m->base_count; i++)
        m->base[i].values[axis] = 0;
    for (size_t i = 0; i < m->head_count; i++)
        m->head[i].values[axis] = 0;
}

static void ignore_changed_axes(const struct matching *m, const struct lab_parameters *base,
                                const struct lab_parameters *head)
{
    bool same_experiment = base->experiment == head->experiment;
    json_t *one = lab_parameters_to_json(base), *other = lab_parameters_to_json(head);
    for (size_t i = 0; i < m->axis_count; i++) {
        const char *name = head->experiment->axes[m->axes[i].head].name;
        const json_t *values = json_object_get(one, name);
        bool differs = same_experiment && values != NULL && !json_equal(values, json_object_get(other, name));
        if (differs || !have_common_value(m, i))
            ignore_axis(m, i);
    }
    json_decref(one);
    json_decref(other);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

/* The end of the keys, from `first` on, that are equal to the first. */
static size_t end_of_group(const struct key *keys, size_t count, size_t first)
{
    size_t end = first + 1;
    while (end < count && compare_keys(&keys[first], &keys[end]) == 0)
        end++;
    return end;
}

/* Finds the partners of the head's points. Both lists are sorted, so that points which belong together are in
 * groups. */
static void find_partners(const struct matching *m)
{
    size_t base = 0, base_end;
    for (size_t head = 0, head_end; head < m->head_count; head = head_end) {
        head_end = end_of_group(m->head, m->head_count, head);
        while (base < m->base_count && compare_keys(&m->base[base], &m->head[head]) < 0)
            base++;
        bool found = base < m->base_count && compare_keys(&m->base[base], &m->head[head]) == 0;
        base_end = found ? end_of_group(m->base, m->base_count, base) : base;
        for (size_t i = head; i < head_end; i++) {
            size_t partner = base_end - base == 1 ? base : base + (i - head);
            m->partner[m->head[i].point] = partner < base_end ? m->base[partner].point : LAB_NO_POINT;
            if (partner < base_end)
                m->used[m->base[partner].point] = true;
        }
    }
}

/* Complete pairs first, then points of the head and of the base without a partner. */
static void list_pairs(const struct matching *m, struct lab_pairs *pairs)
{
    for (size_t i = 0; i < m->head_count; i++)
        if (m->partner[i] != LAB_NO_POINT)
            pairs->items[pairs->count++] = (struct lab_pair){m->partner[i], i};
    pairs->complete = pairs->count;
    for (size_t i = 0; i < m->head_count; i++)
        if (m->partner[i] == LAB_NO_POINT)
            pairs->items[pairs->count++] = (struct lab_pair){LAB_NO_POINT, i};
    for (size_t i = 0; i < m->base_count; i++)
        if (!m->used[i])
            pairs->items[pairs->count++] = (struct lab_pair){i, LAB_NO_POINT};
}

bool lab_pairs_init(struct lab_pairs *pairs, const struct lab_parameters *base, const struct lab_points *base_points,
                    const struct lab_parameters *head, const struct lab_points *head_points, struct lab_errors *errors)
{
    struct matching m = {.base_count = base_points->count, .head_count = head_points->count};
    m.axis_count = list_shared_axes(base->experiment, head->experiment, m.axes);
    m.base = calloc(m.base_count + 1, sizeof *m.base);
    m.head = calloc(m.head_count + 1, sizeof *m.head);
    m.values = calloc(m.base_count + 1, sizeof *m.values);
    m.partner = calloc(m.head_count + 1, sizeof *m.partner);
    m.used = calloc(m.base_count + 1, sizeof *m.used);
    *pairs = (struct lab_pairs){.items = calloc(m.base_count + m.head_count + 1, sizeof *pairs->items)};
    bool good = m.base != NULL && m.head != NULL && m.values != NULL && m.partner != NULL && m.used != NULL &&
                pairs->items != NULL;
    if (good) {
        fill_keys(&m, base_points, head_points);
        ignore_changed_axes(&m, base, head);
        qsort(m.base, m.base_count, sizeof *m.base, compare_keys_and_points);
        qsort(m.head, m.head_count, sizeof *m.head, compare_keys_and_points);
        find_partners(&m);
        list_pairs(&m, pairs);
    } else {
        lab_pairs_release(pairs);
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the pairs of points");
    }
    free(m.used);
    free(m.partner);
    free(m.values);
    free(m.head);
    free(m.base);
    return good;
}

void lab_pairs_release(struct lab_pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct lab_pairs){0};
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool plan_side(const struct lab_points_request *side, struct lab_estimate *estimate, struct lab_errors *errors)
{
    int64_t max_samples = lab_parameter_integer(side->parameters, "max_samples");
    bool enough =
        max_samples >= LAB_COMPARED_SAMPLES_MIN ||
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/parameters/max_samples",
                       "max_samples must be at least %d for a comparison, which takes the samples in rounds, not %d.",
                       LAB_COMPARED_SAMPLES_MIN, (int)max_samples);
    bool good =
        side->parameters->experiment->plan(side->parameters, side->devices, side->device_count, estimate, errors);
    lab_estimate_leave_out_counters(estimate);
    return good && enough;
}

/* Plans the base, whose errors then point below "/compare_with". */
static bool plan_base(const struct lab_points_request *base, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_errors own = {0};
    bool good = plan_side(base, estimate, &own);
    lab_errors_append(errors, &own, "/compare_with");
    return good;
}

/* Sets *points to the number of points that are measured; there must be one of each side. */
static bool count_points(const struct lab_points_request *base, const struct lab_points_request *head, size_t *points,
                         struct lab_errors *errors)
{
    struct lab_points of_base, of_head = {0};
    struct lab_pairs pairs = {0};
    if (!lab_points_init(&of_base, base->parameters, base->devices, base->device_count, errors))
        return false;
    bool good = lab_points_init(&of_head, head->parameters, head->devices, head->device_count, errors) &&
                lab_pairs_init(&pairs, base->parameters, &of_base, head->parameters, &of_head, errors) &&
                (pairs.complete > 0 ||
                 lab_errors_add(errors, LAB_ERROR_NO_COMMON_POINT, "/compare_with",
                                "The two sides have no point in common: none is equal on the axes that both have."));
    *points = LAB_SIDES * pairs.complete;
    lab_pairs_release(&pairs);
    lab_points_release(&of_head);
    lab_points_release(&of_base);
    return good;
}

/* Adds up the sides, which are in memory together. A device that only one of them uses needs that side's memory. */
static struct lab_estimate add_estimates(const struct lab_estimate *base, const struct lab_estimate *head,
                                         bool share_devices)
{
    struct lab_estimate sum = *head;
    sum.device_bytes = share_devices                             ? base->device_bytes + head->device_bytes
                       : base->device_bytes > head->device_bytes ? base->device_bytes
                                                                 : head->device_bytes;
    sum.host_bytes += base->host_bytes;
    sum.seconds += base->seconds;
    sum.counting_s += base->counting_s;
    sum.least_seconds += base->least_seconds;
    return sum;
}

/* Adds up the sides and checks that the memory of both fits on the devices that both use. */
static bool add_sides(const struct lab_points_request *base, const struct lab_estimate *of_base,
                      const struct lab_points_request *head, const struct lab_estimate *of_head,
                      struct lab_estimate *estimate, struct lab_errors *errors)
{
    bool good = true;
    *estimate = add_estimates(of_base, of_head, false);
    for (size_t i = 0; i < head->device_count; i++)
        for (size_t k = 0; k < base->device_count; k++)
            if (strcmp(head->devices[i]->id, base->devices[k]->id) == 0) {
                *estimate = add_estimates(of_base, of_head, true);
                good = lab_estimate_check_memory(estimate, &head->devices[i], 1, "the buffers of both sides",
                                                 "/compare_with", errors) &&
                       good;
            }
    /* Blocks are measured for as long as the ratio is not certain enough. */
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(head->parameters, "time_budget_s"));
    lab_estimate_finish(estimate, head->parameters);
    return good;
}

bool lab_comparison_plan(const struct lab_points_request *base, const struct lab_points_request *head,
                         struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_estimate of_base = {0}, of_head = {0};
    bool head_good = plan_side(head, &of_head, errors);
    if (!plan_base(base, &of_base, errors) || !head_good)
        return false;
    return add_sides(base, &of_base, head, &of_head, estimate, errors) &&
           count_points(base, head, &estimate->points, errors);
}
