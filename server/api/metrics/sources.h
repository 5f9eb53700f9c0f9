/* The sources of metrics. Each writes its metrics from memory: no function reads a file of the store or waits. */
#ifndef LAB_METRICS_SOURCES_H
#define LAB_METRICS_SOURCES_H

#include "api.h"
#include "exposition.h"

typedef void lab_metrics_source(FILE *out, const struct lab_api *api);

lab_metrics_source lab_metrics_http;    /* http.c: requests, connections, pools of threads */
lab_metrics_source lab_metrics_queue;   /* queue.c */
lab_metrics_source lab_metrics_runs;    /* runs.c: runs and measurements since the start; workers */
lab_metrics_source lab_metrics_store;   /* store.c: what the database has; commits */
lab_metrics_source lab_metrics_devices; /* devices.c: telemetry */
lab_metrics_source lab_metrics_results; /* results.c: headlines, deviations, shifts, verdicts of health checks */
lab_metrics_source lab_metrics_process; /* process.c: memory, processor time, descriptors of the server */

/* Writes the metrics of the devices in a document as from lab_jobs_devices. */
void lab_metrics_write_devices(FILE *out, const json_t *document);

#endif
