/* Rows of the store as members of lines. */
#include "export_line.h"

#include "core/json_text.h"
#include "jobs/run_json.h"

json_t *lab_export_run(const struct lab_run_row *row)
{
#define NAME(name) name,
    static const char *const omitted[] = {LAB_EXPORT_OMITTED(NAME)};
    json_t *run = lab_run_json(row, NULL);
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        json_object_del(run, omitted[i]);
    json_object_set_new(run, "estimate_s", json_real(row->estimate_s));
    return run;
}

json_t *lab_export_measurement(const struct lab_measurement_row *row)
{
    json_t *measurement = lab_measurement_row_json(row);
    json_object_set_new(measurement, "position", json_integer(row->position));
    return measurement;
}

json_t *lab_export_span(const struct lab_span_row *row)
{
    return json_pack("{s:s, s:s, s:s?, s:o?, s:I, s:I}", "lane", row->lane, "kind", row->kind, "label", row->label,
                     "axes", lab_json_stored(row->axes), "start_ns", (json_int_t)row->start_ns, "end_ns",
                     (json_int_t)row->end_ns);
}
