/* Finds reasons of throttling by their names. */
#include "core/throttle.h"

#include <string.h>

#define ROW(bit, name, kind) {bit, name, LAB_THROTTLE_##kind},
const struct lab_throttle_reason lab_throttle_reasons[] = {LAB_THROTTLE_REASONS(ROW){0}};

enum lab_throttle_kind lab_throttle_kind(const char *name)
{
    for (const struct lab_throttle_reason *reason = lab_throttle_reasons; reason->name != NULL; reason++)
        if (strcmp(reason->name, name) == 0)
            return reason->kind;
    return LAB_THROTTLE_SETTING;
}

json_t *lab_throttle_cautions(const json_t *reasons)
{
    json_t *cautions = json_array(), *reason;
    size_t index;
    json_array_foreach(reasons, index, reason)
    {
        const char *name = json_string_value(reason);
        if (name != NULL && lab_throttle_kind(name) != LAB_THROTTLE_NORMAL)
            json_array_append(cautions, reason);
    }
    return cautions;
}
