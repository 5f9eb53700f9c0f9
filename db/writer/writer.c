/* The writer thread, the only one that changes the database. All changes whose callers wait are committed together, so
 * that they share one fsync; queued measurements, spans and texts are committed in groups of their own. Records that
 * cannot be written are kept and retried; beyond LAB_PENDING_MAX_BYTES they are counted as lost, which
 * lab_store_finish_run reports.
 */
#include "store_internal.h"

#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double from_now_ms(int ms)
{
    return lab_clock_now() + ms * 1e-3;
}

/* --- transactions (writer thread, mutex not held) ----------------------------------------------------------------- */

static void note_failure(struct lab_writer *writer, bool was_write)
{
    pthread_mutex_lock(&writer->mutex);
    writer->healthy = false;
    writer->failed_writes += was_write;
    snprintf(writer->failure, sizeof writer->failure, "%s", lab_message());
    pthread_mutex_unlock(&writer->mutex);
}

static void note_success(struct lab_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    writer->healthy = true;
    pthread_mutex_unlock(&writer->mutex);
}

static bool refuse(struct lab_writer *writer, struct lab_change *changes, enum lab_store_result result)
{
    for (struct lab_change *change = changes; change != NULL; change = change->next) {
        change->result = result;
        snprintf(change->message, sizeof change->message, "%s", lab_message());
    }
    note_failure(writer, true);
    return false;
}

/* Whether the files are at their paths. Where only the log is not, the database first gets what is in it: the thread's
 * connection still has the log, and a process that is killed would lose it. */
static bool has_files(struct lab_store *store)
{
    if (lab_file_lost_log(&store->file))
        sqlite3_wal_checkpoint_v2(store->writer.connection.db, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    return lab_file_present(&store->file);
}

static void update_stored(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    struct lab_stored stored = writer->stored; /* only this thread writes it */
    lab_stored_read(&writer->connection, store->file.path, &stored);
    pthread_mutex_lock(&writer->mutex);
    writer->stored = stored;
    pthread_mutex_unlock(&writer->mutex);
}

/* Makes the changes in one transaction. Returns false when it failed as a whole. Urgent changes may use what the
 * reserve left. */
static bool transact(struct lab_store *store, struct lab_change *changes, bool urgent)
{
    struct lab_db *connection = &store->writer.connection;
    if (!has_files(store))
        return refuse(&store->writer, changes, LAB_STORE_FAILED);
    if (lab_space_check(store, urgent) != LAB_STORE_OK)
        return refuse(&store->writer, changes, LAB_STORE_FULL);
    int64_t before = sqlite3_total_changes64(connection->db);
    double began_at = lab_clock_now();
    if (!lab_transaction_all(connection, changes)) {
        note_failure(&store->writer, true);
        return false;
    }
    if (sqlite3_total_changes64(connection->db) != before) {
        atomic_fetch_add(&store->generation, 1);
        note_success(&store->writer);
        lab_histogram_add(&store->writer.commits, lab_clock_now() - began_at);
        update_stored(store);
    }
    return true;
}

static enum lab_store_result transact_one(struct lab_store *store, lab_write *write, void *argument)
{
    struct lab_change change = {.write = write, .argument = argument};
    transact(store, &change, false);
    return change.result == LAB_STORE_OK ? LAB_STORE_OK : lab_result(change.result, "%s", change.message);
}

/* Writes a small row to find out whether a disk that was full has space again. */
static enum lab_store_result probe(struct lab_db *connection, void *argument)
{
    (void)argument;
    static const char sql[] =
        "INSERT INTO setting(name, value) VALUES ('store.probe', datetime())"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value";
    lab_execute_statement(connection, sql, LAB_NO_VALUES);
    return LAB_STORE_OK;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void free_written(struct lab_writer *writer, struct lab_record *written)
{
    while (written != NULL) {
        struct lab_record *next = written->next;
        if (written->lost) {
            pthread_mutex_lock(&writer->mutex);
            lab_loss_note(writer, written->run);
            pthread_mutex_unlock(&writer->mutex);
        }
        free(written);
        written = next;
    }
}

/* Writes the pending records. On failure puts them back in front of those that were queued meanwhile. */
static enum lab_store_result flush(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    struct lab_record *records = writer->records, **end = writer->records_end;
    size_t count = writer->record_count, bytes = writer->record_bytes;
    writer->records = NULL;
    writer->records_end = &writer->records;
    writer->due_at = (double)INFINITY;
    pthread_mutex_unlock(&writer->mutex);

    if (records == NULL)
        return LAB_STORE_OK;
    enum lab_store_result result = transact_one(store, lab_records_write, records);

    pthread_mutex_lock(&writer->mutex);
    if (result == LAB_STORE_OK) {
        writer->record_count -= count;
        writer->record_bytes -= bytes;
    } else {
        *end = writer->records;
        if (writer->records == NULL)
            writer->records_end = end;
        writer->records = records;
        writer->due_at = from_now_ms(LAB_CHECK_MS);
    }
    pthread_mutex_unlock(&writer->mutex);
    if (result == LAB_STORE_OK)
        free_written(writer, records);
    return result;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static struct lab_db_command *command_of(struct lab_change *change)
{
    return (struct lab_db_command *)change;
}

/* Makes one change again that failed together with others, or because the disk was full. */
static void repeat(struct lab_store *store, struct lab_change *change)
{
    struct lab_change *next = change->next;
    bool urgent = command_of(change)->urgent;
    change->next = NULL;
    if (!transact(store, change, urgent) && change->result == LAB_STORE_FULL && urgent && lab_space_free_reserve(store))
        transact(store, change, true);
    change->next = next;
}

/* Makes the changes in one transaction. If it fails, each is made on its own, so that one does not fail for the size of
 * another. */
static void make_changes(struct lab_store *store, struct lab_change *changes)
{
    if (changes == NULL || transact(store, changes, false))
        return;
    for (struct lab_change *change = changes; change != NULL; change = change->next)
        repeat(store, change);
}

static void announce(struct lab_writer *writer, struct lab_change *changes)
{
    pthread_mutex_lock(&writer->mutex);
    while (changes != NULL) {
        struct lab_change *next = changes->next; /* the command ends with its caller's wait */
        command_of(changes)->done = true;
        changes = next;
    }
    pthread_cond_broadcast(&writer->done);
    pthread_mutex_unlock(&writer->mutex);
}

/* Takes the commands that only wait for the pending records out of the list. */
static struct lab_change *take_flushes(struct lab_change **changes)
{
    struct lab_change *flushes = NULL, **end = &flushes;
    while (*changes != NULL) {
        struct lab_change *change = *changes;
        if (change->write != NULL) {
            changes = &change->next;
            continue;
        }
        *changes = change->next;
        change->next = NULL;
        *end = change;
        end = &change->next;
    }
    return flushes;
}

static void perform(struct lab_store *store, struct lab_change *changes, bool records_due)
{
    struct lab_change *flushes = take_flushes(&changes);
    if (flushes != NULL || records_due) {
        enum lab_store_result result = flush(store);
        for (struct lab_change *change = flushes; change != NULL; change = change->next) {
            change->result = result;
            if (result != LAB_STORE_OK)
                snprintf(change->message, sizeof change->message, "%s", lab_message());
        }
        announce(&store->writer, flushes);
    }
    make_changes(store, changes);
    announce(&store->writer, changes);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Lets answers that were kept be made again when a run is no longer secret. */
static void note_open_runs(struct lab_store *store)
{
    static const char sql[] = "SELECT 1 FROM run WHERE secret_until > ?1 AND secret_until <= ?2 LIMIT 1";
    struct lab_db *connection = &store->writer.connection;
    int64_t now = lab_time_now();
    if (lab_select_integer(connection, &(int64_t){0}, sql,
                           LAB_VALUES(lab_integer(store->writer.opened_until), lab_integer(now))))
        atomic_fetch_add(&store->generation, 1);
    store->writer.opened_until = now;
    lab_db_clear(connection);
}

static void check(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    writer->check_at = from_now_ms(LAB_CHECK_MS);
    bool healthy = writer->healthy;
    pthread_mutex_unlock(&writer->mutex);

    if (!has_files(store) || lab_space_check(store, false) != LAB_STORE_OK)
        note_failure(writer, false);
    else if (!healthy)
        transact_one(store, probe, NULL);
    else
        note_open_runs(store);
}

struct work {
    struct lab_change *changes;
    bool records_due, check_due, stop;
};

static struct work wait_for_work(struct lab_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    double now;
    for (;;) {
        double until = writer->due_at < writer->check_at ? writer->due_at : writer->check_at;
        now = lab_clock_now();
        if (writer->commands != NULL || writer->stop || until <= now)
            break;
        struct timespec due = lab_clock_moment(until);
        pthread_cond_timedwait(&writer->work, &writer->mutex, &due);
    }
    const struct work work = {.changes = writer->commands,
                              .records_due = writer->due_at <= now || writer->stop,
                              .check_due = writer->check_at <= now,
                              .stop = writer->stop};
    writer->commands = NULL;
    writer->commands_end = &writer->commands;
    pthread_mutex_unlock(&writer->mutex);
    return work;
}

static void *write_until_stopped(void *argument)
{
    struct lab_store *store = argument;
    for (bool stop = false; !stop;) {
        struct work work = wait_for_work(&store->writer);
        if (work.check_due)
            check(store);
        perform(store, work.changes, work.records_due);
        if (!lab_space_write_back(store, work.check_due)) /* now, when no caller waits */
            note_failure(&store->writer, false);
        stop = work.stop;
    }
    return NULL;
}

static const double commit_bounds_s[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,   0.1,     0.25,   0.5,   1,      5,     0};

enum lab_store_result lab_writer_start(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    writer->commands_end = &writer->commands;
    writer->records_end = &writer->records;
    writer->due_at = (double)INFINITY;
    writer->check_at = from_now_ms(LAB_CHECK_MS);
    writer->healthy = true;
    writer->commits.bounds = commit_bounds_s;
    lab_stored_read(&writer->connection, store->file.path, &writer->stored);
    pthread_mutex_init(&writer->mutex, NULL);
    lab_condition_init(&writer->work);
    pthread_cond_init(&writer->done, NULL);
    lab_space_watch(store);

    int error = pthread_create(&writer->thread, NULL, write_until_stopped, store);
    if (error != 0)
        return lab_result(LAB_STORE_FAILED, "cannot start the store's writer thread: %s", strerrordesc_np(error));
    return LAB_STORE_OK;
}

void lab_writer_stop(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    writer->stop = true;
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    lab_unwritten_report(store);
    pthread_cond_destroy(&writer->work);
    pthread_cond_destroy(&writer->done);
    pthread_mutex_destroy(&writer->mutex);
}

/* --- called by other threads -------------------------------------------------------------------------------------- */

static enum lab_store_result submit(struct lab_store *store, struct lab_db_command *command)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    *writer->commands_end = &command->change;
    writer->commands_end = &command->change.next;
    pthread_cond_signal(&writer->work);
    while (!command->done)
        pthread_cond_wait(&writer->done, &writer->mutex);
    pthread_mutex_unlock(&writer->mutex);
    if (command->change.result != LAB_STORE_OK)
        lab_result(command->change.result, "%s", command->change.message);
    return command->change.result;
}

enum lab_store_result lab_store_write(struct lab_store *store, lab_write *write, void *argument)
{
    return submit(store, &(struct lab_db_command){.change = {.write = write, .argument = argument}});
}

enum lab_store_result lab_store_write_urgent(struct lab_store *store, lab_write *write, void *argument)
{
    return submit(store, &(struct lab_db_command){.change = {.write = write, .argument = argument}, .urgent = true});
}

enum lab_store_result lab_store_flush(struct lab_store *store)
{
    return submit(store, &(struct lab_db_command){0});
}

void lab_store_catch_up(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    bool is_behind = writer->record_count > 0 && writer->healthy;
    pthread_mutex_unlock(&writer->mutex);
    if (is_behind)
        lab_store_flush(store);
}

void lab_writer_add(struct lab_store *store, const char *run, struct lab_record *record)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    if (record == NULL || writer->record_bytes + record->bytes > LAB_PENDING_MAX_BYTES) {
        lab_loss_note(writer, run);
        free(record);
    } else {
        *writer->records_end = record;
        writer->records_end = &record->next;
        writer->record_count++;
        writer->record_bytes += record->bytes;
        if (writer->due_at == (double)INFINITY)
            writer->due_at = from_now_ms(LAB_GROUP_MS);
        atomic_fetch_add(&store->generation, 1); /* those who read the run now find the record */
    }
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->mutex);
}

bool lab_store_healthy(struct lab_store *store, char *message, size_t message_size)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    bool healthy = writer->healthy;
    if (message != NULL && message_size > 0)
        snprintf(message, message_size, "%s", writer->failure);
    pthread_mutex_unlock(&writer->mutex);
    return healthy;
}
