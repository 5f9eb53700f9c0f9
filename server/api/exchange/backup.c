/* GET /api/v1/backup: a copy of the database. The copy is a temporary file beside the database, whose name is removed
 * at once; the client decides where the copy is kept, so no request names a file of this machine. */
#include "resources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A copy that is being sent. */
struct backup {
    int file;
};

static ssize_t backup_produce(void *context, char *buffer, size_t size)
{
    const struct backup *backup = context;
    return read(backup->file, buffer, size);
}

static void backup_release(void *context)
{
    struct backup *backup = context;
    close(backup->file);
    free(backup);
}

/* Copies the database into a file without a name. Returns its descriptor, -1 with *result. */
static int copy(const struct lab_api *api, enum lab_store_result *result)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/gpulab-backup-XXXXXX", api->folder);
    errno = ENAMETOOLONG;
    int file = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
    if (file < 0) {
        *result = lab_store_failed("no file for the copy can be made in %s: %m", api->folder);
        return -1;
    }
    close(file);
    *result = lab_store_backup(api->store, path, NULL, NULL); /* replaces the file */
    if (*result == LAB_STORE_OK && (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        *result = lab_store_failed("the copy %s cannot be read: %m", path);
    unlink(path);
    return *result == LAB_STORE_OK ? file : -1;
}

void lab_api_get_backup(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result;
    struct backup *backup = malloc(sizeof *backup);
    int file = backup != NULL ? copy(lab_api_of(request), &result) : -1;
    if (backup == NULL) {
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    } else if (file < 0) {
        free(backup);
        lab_reply_store_error(request, response, result);
    } else {
        backup->file = file;
        lab_respond_header(response, "Content-Disposition", "attachment; filename=\"gpulab.db\"");
        lab_respond_stream(response, "application/vnd.sqlite3", backup_produce, backup_release, backup);
    }
}
