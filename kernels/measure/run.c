/* Keeps the calibrated values of a run. */
#include "measure/run.h"

bool lab_run_find_calibrated(const struct lab_run *run, const char *name, int64_t *value)
{
    const json_t *found = json_object_get(run->calibrated, name);
    if (!json_is_integer(found))
        return false;
    *value = (int64_t)json_integer_value(found);
    return true;
}

void lab_run_keep_calibrated(struct lab_run *run, const char *name, int64_t value)
{
    if (run->calibrated != NULL)
        json_object_set_new(run->calibrated, name, json_integer((json_int_t)value));
}
