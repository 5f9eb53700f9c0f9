/* Counts the records of each run that could not be stored. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

static struct lab_loss *find_loss(struct lab_writer *writer, const char *run)
{
    for (size_t i = 0; i < LAB_LOST_MAX; i++)
        if (strcmp(writer->losses[i].run, run) == 0)
            return &writer->losses[i];
    return NULL;
}

void lab_loss_note(struct lab_writer *writer, const char *run)
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
    writer->lost_records++;
    writer->healthy = false;
    snprintf(writer->failure, sizeof writer->failure, "a result of run %s could not be stored", run);
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
