/* Rows of the store as members of lines. */
#include "export_line.h"

#include "core/result_rows.h"
#include "jobs/run_json.h"

/* The name of a member that a run's line does not have. */
#define OMITTED(x, form, name, presence, ...) OMITTED_##presence(#name)
#define OMITTED_GIVEN(name)
#define OMITTED_NULLABLE(name)
#define OMITTED_LATER(name)
#define OMITTED_LOCAL(name) name,
#define OMITTED_DERIVED(name) name,

json_t *lab_export_run(const struct lab_run_row *row)
{
    static const char *const omitted[] = {LAB_RUN_SUMMARY(OMITTED, OMITTED, OMITTED, )};
    json_t *run = lab_run_json(row, NULL);
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        json_object_del(run, omitted[i]);
    json_object_set_new(run, "estimate_s", json_real(row->estimate_s));
    return run;
}

json_t *lab_export_measurement(const struct lab_measurement_row *row)
{
    json_t *measurement = lab_measurement_row_json(row);
    json_object_del(measurement, "cautions"); /* they follow from the others */
    json_object_set_new(measurement, "position", json_integer(row->position));
    json_object_del(json_object_get(measurement, "conditions"), "throttled_by"); /* follows from `throttle` */
    return measurement;
}

json_t *lab_export_span(const struct lab_span_row *row)
{
    return lab_row_to_json(lab_span_row_members, row, NULL);
}
