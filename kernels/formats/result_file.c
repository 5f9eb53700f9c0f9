/* What a file became. */
#include "formats/formats.h"

#include <math.h>
#include <stdlib.h>

double lab_result_figures_value(const struct lab_result_figures *figures)
{
    return isnan(figures->median) ? figures->mean : figures->median;
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
