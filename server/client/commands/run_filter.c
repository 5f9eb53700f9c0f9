/* The options that select runs of the history, from the rows of core/run_filters.h. */
#include "run_filter.h"

#define OPTION(index, field, placeholder, type_, ...)                                                                  \
    {.name = "--" #field,                                                                                              \
     .value = (placeholder),                                                                                           \
     .accepts = {.type = LAB_TYPE_##type_, __VA_ARGS__},                                                               \
     .as_text = true,                                                                                                  \
     .offset = offsetof(struct lab_run_filter_options, field)},
const struct lab_option lab_run_filter_table[] = {LAB_RUN_FILTERS(OPTION){0}};

#define QUERY(index, field, placeholder, type, ...) lab_url_query(url, #field, filter->field);

void lab_run_filter_query(struct lab_url *url, const struct lab_run_filter_options *filter)
{
    LAB_RUN_FILTERS(QUERY)
}
