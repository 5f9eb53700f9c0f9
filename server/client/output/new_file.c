#include "new_file.h"

#include <errno.h>
#include <unistd.h>

static bool fail(const struct lab_new_file *file, struct lab_errors *errors)
{
    return lab_errors_add(errors, LAB_ERROR_OUTPUT, file->path, "cannot be written: %m");
}

bool lab_new_file_open(struct lab_new_file *file, const char *path, struct lab_errors *errors)
{
    *file = (struct lab_new_file){.path = path};
    errno = ENAMETOOLONG;
    if (snprintf(file->partial, sizeof file->partial, "%s.partial", path) < (int)sizeof file->partial)
        file->stream = fopen(file->partial, "wbe");
    return file->stream != NULL || fail(file, errors);
}

bool lab_new_file_complete(struct lab_new_file *file, struct lab_errors *errors)
{
    FILE *stream = file->stream;
    bool written = fflush(stream) == 0 && !ferror(stream) && fsync(fileno(stream)) == 0;
    int why = errno;
    file->stream = NULL;
    if (fclose(stream) == 0 && written)
        return true;
    errno = written ? errno : why;
    fail(file, errors);
    lab_new_file_remove(file);
    return false;
}

bool lab_new_file_keep(struct lab_new_file *file, struct lab_errors *errors)
{
    if (rename(file->partial, file->path) == 0)
        return true;
    fail(file, errors);
    lab_new_file_remove(file);
    return false;
}

void lab_new_file_remove(struct lab_new_file *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    file->stream = NULL;
    unlink(file->partial);
}
