/* What the database has, and how it is written. */
#include "sources.h"

void lab_metrics_store(FILE *out, const struct lab_api *api)
{
    static const struct lab_family runs = {"gpulab_store_runs", LAB_GAUGE, "Stored runs, by status."};
    static const struct lab_family commits = {"gpulab_store_commit_duration_seconds", LAB_HISTOGRAM,
                                              "Time that transactions took, with the wait for the disk."};
    struct lab_store_counts counts;
    lab_store_counts(api->store, &counts);
    const struct lab_stored *stored = &counts.stored;
    const struct lab_family_value values[] = {
        {{"gpulab_store_healthy", LAB_GAUGE, "1 when the last write to the database succeeded."},
         lab_store_healthy(api->store, NULL, 0)},
        {{"gpulab_store_measurements", LAB_GAUGE, "Stored measurements."}, (double)stored->measurements},
        {{"gpulab_store_samples", LAB_GAUGE, "Stored samples."}, (double)stored->samples},
        {{"gpulab_store_database_bytes", LAB_GAUGE, "Size of the database file."}, (double)stored->database_bytes},
        {{"gpulab_store_wal_bytes", LAB_GAUGE, "Size of the write-ahead log."}, (double)stored->wal_bytes},
        {{"gpulab_store_pending_records", LAB_GAUGE, "Measurements, spans, fields and notes that are not yet on disk."},
         (double)counts.pending_records},
        {{"gpulab_store_pending_bytes", LAB_GAUGE, "Memory of the records that are not yet on disk."},
         (double)counts.pending_bytes},
        {{"gpulab_store_lost_records_total", LAB_COUNTER, "Records that could not be stored."},
         (double)counts.lost_records},
        {{"gpulab_store_failed_writes_total", LAB_COUNTER, "Transactions that could not be written."},
         (double)counts.failed_writes},
    };
    lab_family_values(out, values, sizeof values / sizeof values[0]);
    lab_family_begin(out, &runs);
    for (enum lab_status status = 0; status < LAB_STATUS_COUNT; status++)
        lab_family_sample(out, &runs, LAB_LABELS({"status", lab_status_name(status)}), (double)stored->runs[status]);
    lab_family_begin(out, &commits);
    lab_family_histogram(out, &commits, NULL, counts.commits);
}
