/* What the reasons of throttle_reasons.h mean for a value. */
#ifndef LAB_THROTTLE_H
#define LAB_THROTTLE_H

#include "core/throttle_reasons.h"

#include <jansson.h>

struct lab_throttle_reason {
    unsigned long long bit;
    const char *name;
    enum lab_throttle_kind kind;
};
extern const struct lab_throttle_reason lab_throttle_reasons[]; /* ends with name NULL */

/* The kind of a reason; of one that has no row, SETTING. */
enum lab_throttle_kind lab_throttle_kind(const char *name);

/* The reasons that are cautions, among `reasons`, a list or NULL: a new reference. */
json_t *lab_throttle_cautions(const json_t *reasons);

#endif
