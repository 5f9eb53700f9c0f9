/* What the newest runs have measured, how it stands to earlier runs, and what health checks found
 * (watching/figures.h). */
#include "sources.h"

#include "watching/figures.h"

#include <stdlib.h>
#include <string.h>

/* What a metric has of a figure; false: nothing. */
typedef bool figure_value(const struct lab_headline_figure *figure, double *value);

static bool own_value(const struct lab_headline_figure *figure, double *value)
{
    *value = figure->value;
    return true;
}

static bool low_of(const struct lab_headline_figure *figure, double *value)
{
    *value = figure->low;
    return figure->judged;
}

static bool high_of(const struct lab_headline_figure *figure, double *value)
{
    *value = figure->high;
    return figure->judged;
}

static bool deviation_of(const struct lab_headline_figure *figure, double *value)
{
    *value = figure->deviation;
    return figure->judged;
}

static bool shift_of(const struct lab_headline_figure *figure, double *value)
{
    *value = figure->shift;
    return figure->judged;
}

static const struct {
    struct lab_family family;
    figure_value *value;
} families[] = {
    {{"gpulab_result", LAB_GAUGE, "Headlines of the newest runs, in `unit`."}, own_value},
    {{"gpulab_result_usual_low", LAB_GAUGE, "The lower end of the usual range."}, low_of},
    {{"gpulab_result_usual_high", LAB_GAUGE, "The upper end of the usual range."}, high_of},
    {{"gpulab_result_deviation", LAB_GAUGE, "-1: worse than usual, 0: as usual, 1: better."}, deviation_of},
    {{"gpulab_result_shift_ratio", LAB_GAUGE, "Relative size of the lasting change that the newest run shows."},
     shift_of},
};

static void write_family(FILE *out, size_t which, const struct lab_headline_figure *list, size_t count)
{
    double value;
    lab_family_begin(out, &families[which].family);
    for (size_t i = 0; i < count; i++)
        if (families[which].value(&list[i], &value))
            lab_family_sample(out, &families[which].family,
                              LAB_LABELS({"experiment", list[i].experiment}, {"headline", list[i].headline},
                                         {"unit", list[i].unit}, {"model", list[i].model}, {"host", list[i].host}),
                              value);
}

static void write_health(FILE *out, struct lab_figures *figures)
{
    static const struct lab_family family = {"gpulab_health", LAB_GAUGE,
                                             "1 for the verdict of the newest health check of a machine."};
    static const char *const verdicts[] = {"healthy", "warning", "unhealthy"};
    struct lab_health_figure *list = malloc(LAB_FIGURES_MAX * sizeof *list);
    size_t count = list != NULL ? lab_figures_list_health(figures, list) : 0;
    lab_family_begin(out, &family);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof verdicts / sizeof *verdicts; j++)
            lab_family_sample(out, &family, LAB_LABELS({"host", list[i].host}, {"verdict", verdicts[j]}),
                              strcmp(list[i].verdict, verdicts[j]) == 0);
    free(list);
}

void lab_metrics_results(FILE *out, const struct lab_api *api)
{
    struct lab_headline_figure *list = malloc(LAB_FIGURES_MAX * sizeof *list);
    size_t count = list != NULL && api->figures != NULL ? lab_figures_list(api->figures, list) : 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(out, i, list, count);
    free(list);
    if (api->figures != NULL)
        write_health(out, api->figures);
}
