/* Gives the values of a ranking places. */
#include "analysis/places.h"

#include "analysis/comparison.h"
#include "analysis/rank.h"

#include <math.h>

/* Sets *same to whether a value is as the samples of another usually are, or where there are too few, within the
 * minimum effect of it. Returns false when out of memory. */
static bool compare(const struct lab_contender *first, const struct lab_contender *other, bool larger_is_better,
                    bool *same)
{
    struct lab_rank rank;
    if (!lab_rank(other->value, first->samples, first->sample_count, larger_is_better, LAB_MINIMUM_EFFECT, &rank))
        return false;
    *same = rank.verdict == LAB_RANK_TOO_FEW
                ? fabs(other->value - first->value) <= LAB_MINIMUM_EFFECT * fabs(first->value)
                : rank.verdict == LAB_RANK_AS_USUAL;
    return true;
}

bool lab_places(struct lab_contender *contenders, size_t count, bool larger_is_better)
{
    size_t first = 0; /* of the place */
    for (size_t i = 0; i < count; i++) {
        bool same = i == 0;
        if (!same && !compare(&contenders[first], &contenders[i], larger_is_better, &same))
            return false;
        if (!same)
            first = i;
        contenders[i].place = first + 1;
        contenders[i].shared = i > first;
        contenders[first].shared = i > first;
    }
    return true;
}
