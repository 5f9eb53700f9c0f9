/* Lists the devices that runs had, from the index of runs by device: each step of the recursion reads the next key of
 * the index, so that the time depends on the number of devices, not on that of runs.
 */
#include "store_internal.h"

enum lab_store_result lab_store_list_devices(struct lab_store *store,
                                             void (*row)(void *context, const struct lab_device_row *device),
                                             void *context)
{
    /* The keys are ids and names; only an id is that of a device in the list of the run. */
    static const char sql[] =
        "WITH RECURSIVE key(device) AS (SELECT min(device) FROM run_device UNION ALL"
        " SELECT (SELECT min(device) FROM run_device WHERE device > key.device) FROM key WHERE key.device IS NOT NULL)"
        " SELECT key.device, json_extract(each.value, '$.name'), json_extract(each.value, '$.node'), run.id,"
        " run.created_at FROM key"
        " JOIN run ON run.number = (SELECT max(run_device.run) FROM run_device WHERE run_device.device = key.device)"
        " JOIN json_each(run.devices) AS each ON json_extract(each.value, '$.id') = key.device"
        " ORDER BY run.number DESC, each.key";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_NO_VALUES);
    while (lab_query_next(reader, statement)) {
        const struct lab_device_row device = {.id = lab_column_text(statement, 0),
                                              .name = lab_column_text(statement, 1),
                                              .node = lab_column_text(statement, 2),
                                              .run = lab_column_text(statement, 3),
                                              .created_at = sqlite3_column_int64(statement, 4)};
        row(context, &device);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
