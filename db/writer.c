/* The writer thread, the only one that changes the database. Each change with a waiting caller is a transaction of its own, in
 * the order of arrival; queued measurements, spans, warnings and notes are committed together. Records that cannot be written are
 * kept and retried; beyond LAB_PENDING_MAX_BYTES they are counted as lost, which lab_store_finish_run reports.
 */
#include "store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t from_now_ms(int64_t ms)
{
    return monotonic_ns() + ms * 1000000;
}

/* --- lost records (mutex held) --------------------------------------------------------------------------------------- */

static struct lab_loss *find_loss(struct lab_writer *writer, const char *run)
{
    for (size_t i = 0; i < LAB_LOST_MAX; i++)
        if (strcmp(writer->losses[i].run, run) == 0)
            return &writer->losses[i];
    return NULL;
}

static void note_loss(struct lab_writer *writer, const char *run)
{
    struct lab_loss *loss = find_loss(writer, run);
    if (loss == NULL)
        loss = find_loss(writer, "");
    if (loss == NULL) { /* all entries are used: overwrite the oldest one */
        memmove(&writer->losses[0], &writer->losses[1], sizeof writer->losses - sizeof writer->losses[0]);
        loss = &writer->losses[LAB_LOST_MAX - 1];
        *loss = (struct lab_loss){0};
    }
    snprintf(loss->run, sizeof loss->run, "%s", run);
    loss->count++;
    writer->healthy = false;
    snprintf(writer->failure, sizeof writer->failure, "a result of run %s could not be stored", run);
    if (writer->due_ns == 0)
        writer->due_ns = from_now_ms(LAB_RETRY_MS);
}

bool lab_writer_get_loss(struct lab_store *store, const char *run, struct lab_loss *loss)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    const struct lab_loss *found = find_loss(writer, run);
    if (found != NULL)
        *loss = *found;
    pthread_mutex_unlock(&writer->mutex);
    return found != NULL;
}

void lab_writer_clear_loss(struct lab_store *store, const char *run)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    struct lab_loss *found = find_loss(writer, run);
    if (found != NULL)
        *found = (struct lab_loss){0};
    pthread_mutex_unlock(&writer->mutex);
}

/* --- transactions (writer thread, mutex not held) ------------------------------------------------------------------- */

static void note_health(struct lab_writer *writer, bool written)
{
    bool disk_failed = writer->connection.failure != SQLITE_OK && !lab_connection_rejected_data(&writer->connection);
    pthread_mutex_lock(&writer->mutex);
    if (disk_failed) {
        writer->healthy = false;
        snprintf(writer->failure, sizeof writer->failure, "%s", lab_message());
        writer->due_ns = from_now_ms(LAB_RETRY_MS);
    } else if (written) {
        writer->healthy = true;
    }
    pthread_mutex_unlock(&writer->mutex);
}

static enum lab_store_result transact(struct lab_store *store, lab_write *write, void *argument)
{
    struct lab_connection *connection = &store->writer.connection;
    int64_t before = sqlite3_total_changes64(connection->db);
    enum lab_store_result result = lab_transaction(connection, write, argument);
    bool written = result == LAB_STORE_OK && sqlite3_total_changes64(connection->db) != before;
    if (written)
        atomic_fetch_add(&store->generation, 1);
    note_health(&store->writer, written);
    return result;
}

/* Writes a small row to find out whether a disk that was full has space again. */
static enum lab_store_result probe(struct lab_connection *connection, void *argument)
{
    (void)argument;
    static const char sql[] =
        "INSERT INTO setting(name, value) VALUES ('store.probe', datetime())"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value";
    lab_execute_statement(connection, sql, LAB_NO_VALUES);
    return LAB_STORE_OK;
}

static void free_written(struct lab_writer *writer, struct lab_record *written)
{
    while (written != NULL) {
        struct lab_record *next = written->next;
        if (written->lost) {
            pthread_mutex_lock(&writer->mutex);
            note_loss(writer, written->run);
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
    size_t bytes = writer->record_bytes;
    bool healthy = writer->healthy;
    writer->records = NULL;
    writer->records_end = &writer->records;
    writer->due_ns = 0;
    pthread_mutex_unlock(&writer->mutex);

    if (records == NULL)
        return healthy ? LAB_STORE_OK : transact(store, probe, NULL);
    enum lab_store_result result = transact(store, lab_records_write, records);

    pthread_mutex_lock(&writer->mutex);
    if (result == LAB_STORE_OK) {
        writer->record_bytes -= bytes;
    } else {
        *end = writer->records;
        if (writer->records == NULL)
            writer->records_end = end;
        writer->records = records;
        writer->due_ns = from_now_ms(LAB_RETRY_MS);
    }
    pthread_mutex_unlock(&writer->mutex);
    if (result == LAB_STORE_OK)
        free_written(writer, records);
    return result;
}

static void perform(struct lab_store *store, struct lab_command *command)
{
    struct lab_writer *writer = &store->writer;
    enum lab_store_result result =
        command->write == NULL ? flush(store) : transact(store, command->write, command->argument);

    pthread_mutex_lock(&writer->mutex);
    command->result = result;
    if (result != LAB_STORE_OK)
        snprintf(command->message, sizeof command->message, "%s", lab_message());
    command->done = true;
    pthread_cond_broadcast(&writer->done);
    pthread_mutex_unlock(&writer->mutex);
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

/* Waits for the next command. Returns NULL when the records are due or the thread is to stop (*stop). */
static struct lab_command *next_command(struct lab_writer *writer, bool *stop)
{
    struct lab_command *command = NULL;
    pthread_mutex_lock(&writer->mutex);
    while (writer->commands == NULL && !writer->stop && (writer->due_ns == 0 || writer->due_ns > monotonic_ns())) {
        if (writer->due_ns == 0) {
            pthread_cond_wait(&writer->work, &writer->mutex);
        } else {
            struct timespec due = {.tv_sec = writer->due_ns / 1000000000, .tv_nsec = writer->due_ns % 1000000000};
            pthread_cond_timedwait(&writer->work, &writer->mutex, &due);
        }
    }
    /* Records that are due take precedence, so that a steady flow of commands cannot delay them. */
    bool due = writer->due_ns != 0 && writer->due_ns <= monotonic_ns();
    if (!due && writer->commands != NULL) {
        command = writer->commands;
        writer->commands = command->next;
        if (writer->commands == NULL)
            writer->commands_end = &writer->commands;
    }
    *stop = writer->stop && writer->commands == NULL && command == NULL;
    pthread_mutex_unlock(&writer->mutex);
    return command;
}

static void *write_until_stopped(void *argument)
{
    struct lab_store *store = argument;
    for (bool stop = false; !stop;) {
        struct lab_command *command = next_command(&store->writer, &stop);
        if (command != NULL)
            perform(store, command);
        else
            flush(store);
    }
    return NULL;
}

enum lab_store_result lab_writer_start(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    writer->commands_end = &writer->commands;
    writer->records_end = &writer->records;
    writer->healthy = true;
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&writer->done, NULL);

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

    while (writer->records != NULL) {
        struct lab_record *next = writer->records->next;
        free(writer->records);
        writer->records = next;
    }
    pthread_cond_destroy(&writer->work);
    pthread_cond_destroy(&writer->done);
    pthread_mutex_destroy(&writer->mutex);
}

/* --- called by other threads ---------------------------------------------------------------------------------------- */

static enum lab_store_result submit(struct lab_store *store, struct lab_command *command)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    *writer->commands_end = command;
    writer->commands_end = &command->next;
    pthread_cond_signal(&writer->work);
    while (!command->done)
        pthread_cond_wait(&writer->done, &writer->mutex);
    pthread_mutex_unlock(&writer->mutex);
    if (command->result != LAB_STORE_OK)
        lab_result(command->result, "%s", command->message);
    return command->result;
}

enum lab_store_result lab_store_write(struct lab_store *store, lab_write *write, void *argument)
{
    return submit(store, &(struct lab_command){.write = write, .argument = argument});
}

enum lab_store_result lab_store_flush(struct lab_store *store)
{
    return submit(store, &(struct lab_command){.write = NULL});
}

void lab_writer_add(struct lab_store *store, const char *run, struct lab_record *record)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    if (record == NULL || writer->record_bytes + record->bytes > LAB_PENDING_MAX_BYTES) {
        note_loss(writer, run);
        free(record);
    } else {
        *writer->records_end = record;
        writer->records_end = &record->next;
        writer->record_bytes += record->bytes;
        if (writer->due_ns == 0)
            writer->due_ns = from_now_ms(LAB_GROUP_MS);
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
