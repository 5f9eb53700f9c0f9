/* What a file became: its figures and axes for those who store them. */
#include "formats/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double lab_result_figures_value(const struct lab_result_figures *figures)
{
    return isnan(figures->median) ? figures->mean : figures->median;
}

json_t *lab_result_axes(const json_t *given)
{
    json_t *axes = json_object(), *value;
    const char *axis;
    json_object_foreach((json_t *)given, axis, value)
    {
        char text[32];
        if (json_is_real(value)) {
            snprintf(text, sizeof text, "%.15g", json_real_value(value));
            json_object_set_new(axes, axis, json_string(text));
        } else {
            json_object_set(axes, axis, value);
        }
    }
    return axes;
}

void lab_result_file_release(struct lab_result_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->measurements[i].metric);
        free(file->measurements[i].unit);
        free(file->measurements[i].samples);
        json_decref(file->measurements[i].axes);
    }
    for (size_t i = 0; i < file->note_count; i++)
        free(file->notes[i]);
    free(file->measurements);
    free(file->notes);
    free(file->version);
    free(file->date);
    json_decref(file->hosts);
    json_decref(file->devices);
    json_decref(file->versions);
    *file = (struct lab_result_file){0};
}
