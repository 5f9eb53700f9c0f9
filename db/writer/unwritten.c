/* Records that are still pending when the store is closed, because the disk is full or failed. With the reserve
 * released, they are written after all, or the runs are marked as incomplete. What is lost is always said on stderr.
 */
#include "store_internal.h"

#include "core/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the first record of the list and those of the same run out of it. Returns how many there were. */
static uint64_t take_run(struct lab_record **records, char run[LAB_RUN_ID_SIZE])
{
    uint64_t count = 0;
    memcpy(run, (*records)->run, LAB_RUN_ID_SIZE);
    for (struct lab_record **at = records; *at != NULL;) {
        struct lab_record *record = *at;
        if (strcmp(record->run, run) != 0) {
            at = &record->next;
            continue;
        }
        *at = record->next;
        free(record);
        count++;
    }
    return count;
}

static enum lab_store_result mark_run(struct lab_db *connection, void *argument)
{
    const struct lab_loss *loss = argument;
    int64_t run = 0;
    char warning[128];
    if (!lab_run_find(connection, loss->run, &run))
        return lab_run_not_found(connection, loss->run);
    snprintf(warning, sizeof warning,
             "%llu of this run's results could not be stored: the lab stopped before they were",
             (unsigned long long)loss->count);
    lab_text_write(connection, run, LAB_TEXT_WARNING, warning);
    return LAB_STORE_OK;
}

void lab_unwritten_report(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    if (writer->records == NULL)
        return;
    bool present = lab_file_present(&store->file);
    if (present) {
        lab_space_free_reserve(store);
        lab_space_write_back(store, true);
        if (lab_transaction(&writer->connection, lab_records_write, writer->records) == LAB_STORE_OK) {
            char run[LAB_RUN_ID_SIZE];
            while (writer->records != NULL)
                take_run(&writer->records, run);
            return;
        }
    }
    lab_journal(LAB_SEVERITY_ERROR, "%s", lab_message());
    while (writer->records != NULL) {
        struct lab_loss loss;
        loss.count = take_run(&writer->records, loss.run);
        lab_journal(LAB_SEVERITY_ERROR, "%llu results of run %s could not be stored", (unsigned long long)loss.count,
                    loss.run);
        if (present && lab_transaction(&writer->connection, mark_run, &loss) != LAB_STORE_OK)
            lab_journal(LAB_SEVERITY_ERROR, "cannot write a note of the run: %s", lab_message());
    }
}
