/* The options that select runs of the history. */
#include "run_filter.h"

#include "core/run_status.h"

#define FILTER(field) .offset = offsetof(struct lab_run_filter_options, field)

const struct lab_option lab_run_filter_table[] = {
    {.name = "--experiment", .value = "NAME", .help = "Runs of this experiment.", FILTER(experiment)},
    {.name = "--device", .value = "ID", .help = "Runs on the device with this id or name.", FILTER(device)},
    {.name = "--status",
     .value = "STATUS",
     .help = "Runs that are queued, running, succeeded, failed, cancelled or interrupted.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = lab_status_names},
     FILTER(status)},
    {.name = "--tag", .value = "TAG", .help = "Runs with this tag.", FILTER(tag)},
    {.name = "--sweep", .value = "ID", .help = "The runs of this sweep.", FILTER(sweep)},
    {.name = "--pinned",
     .help = "Runs that are pinned.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_run_filter_options, pinned)},
    {.name = "--since",
     .value = "TIME",
     .help = "Runs created at this time or later: a date (2026-01-31), or an RFC 3339 time (2026-01-31T12:00:00Z).",
     FILTER(since)},
    {.name = "--until", .value = "TIME", .help = "Runs created before this time.", FILTER(until)},
    {0},
};

void lab_run_filter_query(struct lab_url *url, const struct lab_run_filter_options *filter)
{
    lab_url_query(url, "experiment", filter->experiment);
    lab_url_query(url, "device", filter->device);
    lab_url_query(url, "status", filter->status);
    lab_url_query(url, "tag", filter->tag);
    lab_url_query(url, "sweep", filter->sweep);
    lab_url_query(url, "pinned", filter->pinned ? "true" : NULL);
    lab_url_query(url, "since", filter->since);
    lab_url_query(url, "until", filter->until);
}
