/* The headlines of the newest runs and the verdicts of health checks, in memory, for the metrics: those of runs that
 * have ended since the lab was started. All functions may be called from any thread. */
#ifndef LAB_WATCHING_FIGURES_H
#define LAB_WATCHING_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/* A further figure takes the place of the one that was set least recently. */
enum { LAB_FIGURES_MAX = 512, LAB_FIGURE_TEXT = 128 };

/* A headline of an experiment on a device model of a machine; names that are longer are cut. */
struct lab_headline_figure {
    char experiment[LAB_FIGURE_TEXT], headline[LAB_FIGURE_TEXT], unit[LAB_FIGURE_TEXT], model[LAB_FIGURE_TEXT],
        host[LAB_FIGURE_TEXT];
    double value;
    bool judged;      /* there are enough earlier runs for the following */
    int deviation;    /* -1: worse than usual, 1: better, 0: as usual */
    double low, high; /* what is as usual */
    double shift;     /* relative size of the lasting change that was found with this run; 0: none */
};

/* The verdict of the last health check of a machine: "healthy", "warning" or "unhealthy". */
struct lab_health_figure {
    char host[LAB_FIGURE_TEXT], verdict[LAB_FIGURE_TEXT];
};

struct lab_figures;

/* NULL when out of memory. */
struct lab_figures *lab_figures_create(void);
/* NULL is allowed and does nothing. */
void lab_figures_free(struct lab_figures *figures);
/* Replaces the figure with the same names. */
void lab_figures_set(struct lab_figures *figures, const struct lab_headline_figure *figure);
void lab_figures_set_health(struct lab_figures *figures, const char *host, const char *verdict);
/* Copy all; return how many. `list` has LAB_FIGURES_MAX elements. */
size_t lab_figures_list(struct lab_figures *figures, struct lab_headline_figure *list);
size_t lab_figures_list_health(struct lab_figures *figures, struct lab_health_figure *list);

#endif
