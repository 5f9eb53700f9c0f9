#include "retention.h"

#include "core/clock.h"
#include "core/journal.h"
#include "store.h"

/* BATCH: measurements whose samples, and runs whose output are removed in one transaction, so that no run waits long
 * for the disk. */
enum { BATCH = 100 };
static const double interval_s = 3600;
static const int64_t day_us = INT64_C(86400) * 1000000;

static bool remove_batch(void *context)
{
    const struct lab_retention *retention = context;
    size_t samples = 0, outputs = 0;
    int64_t before = lab_time_now() - (int64_t)retention->days * day_us;
    if (lab_store_drop_samples(retention->store, before, BATCH, &samples) != LAB_STORE_OK ||
        lab_store_drop_output(retention->store, before, BATCH, &outputs) != LAB_STORE_OK)
        lab_journal(LAB_SEVERITY_WARNING, "the samples and outputs of old runs could not be removed: %s",
                    lab_store_message(retention->store));
    return samples == BATCH || outputs == BATCH;
}

bool lab_retention_start(struct lab_retention *retention, struct lab_store *store, unsigned days)
{
    retention->store = store;
    retention->days = days;
    return days == 0 || lab_periodic_start(&retention->periodic, interval_s, remove_batch, retention);
}

void lab_retention_stop(struct lab_retention *retention)
{
    lab_periodic_stop(&retention->periodic);
}
