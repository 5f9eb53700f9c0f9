/* The options that select runs of the history: `gpulab runs` and `gpulab export` have them. */
#ifndef LAB_RUN_FILTER_H
#define LAB_RUN_FILTER_H

#include "lab/url.h"

#include "cli/options.h"
#include "core/run_filters.h"

#define LAB_FILTER_FIELD(index, name, placeholder, type, ...) const char *name;
struct lab_run_filter_options {
    LAB_RUN_FILTERS(LAB_FILTER_FIELD)
};

extern const struct lab_option lab_run_filter_table[]; /* fills a struct lab_run_filter_options */

/* Adds the options that are given to the query of GET /runs or /export. */
void lab_run_filter_query(struct lab_url *url, const struct lab_run_filter_options *filter);

#endif
