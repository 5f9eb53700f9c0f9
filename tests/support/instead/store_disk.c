/* In place of statvfs and posix_fallocate of libc, so that the reserve counts too, and the default VFS of SQLite. */
#include "support/store_disk.h"

#include <fcntl.h>

struct disk disk;

struct disk_file {
    sqlite3_file base;
    bool log, data;
    sqlite3_file real[]; /* of the size that the real VFS requires */
};

static sqlite3_file *disk_real(sqlite3_file *file)
{
    return ((struct disk_file *)file)->real;
}

static int disk_close(sqlite3_file *file)
{
    return disk_real(file)->pMethods->xClose(disk_real(file));
}

static int disk_read(sqlite3_file *file, void *to, int size, sqlite3_int64 at)
{
    return disk_real(file)->pMethods->xRead(disk_real(file), to, size, at);
}

sqlite3_int64 disk_used(void)
{
    sqlite3_int64 used = 0;
    char pattern[160];
    glob_t names;
    snprintf(pattern, sizeof pattern, "%s*", disk.path);
    if (glob(pattern, GLOB_NOSORT, NULL, &names) != 0)
        return 0;
    for (size_t i = 0; i < names.gl_pathc; i++) {
        const char *name = names.gl_pathv[i];
        struct stat status;
        if (strstr(name, "-shm") == NULL && strstr(name, ".lock") == NULL && stat(name, &status) == 0)
            used += status.st_size;
    }
    globfree(&names);
    return used;
}

void disk_step(void)
{
    long step = atomic_fetch_add(&disk.steps, 1) + 1;
    if (step == atomic_load(&disk.kill_at))
        kill(getpid(), SIGKILL);
    if (step == atomic_load(&disk.full_at))
        atomic_store(&disk.full, true);
}

/* Whether the file may not be written up to `end`, because it would grow beyond the capacity. */
static bool disk_refuses(sqlite3_file *file, sqlite3_int64 end)
{
    sqlite3_int64 size = 0, capacity = atomic_load(&disk.capacity);
    if (capacity == 0 || disk_real(file)->pMethods->xFileSize(disk_real(file), &size) != SQLITE_OK)
        return false;
    return end > size && disk_used() + end - size > capacity;
}

int statvfs(const char *path, struct statvfs *status)
{
    sqlite3_int64 capacity = atomic_load(&disk.capacity);
    (void)path;
    *status = (struct statvfs){.f_frsize = 1, .f_bavail = 1 << 30};
    if (capacity != 0)
        status->f_bavail = capacity > disk_used() ? (fsblkcnt_t)(capacity - disk_used()) : 0;
    return 0;
}

int posix_fallocate(int file, off_t offset, off_t size)
{
    sqlite3_int64 capacity = atomic_load(&disk.capacity);
    struct stat status;
    disk_step();
    if (atomic_load(&disk.full))
        return ENOSPC;
    if (fstat(file, &status) != 0)
        return errno;
    if (capacity != 0 && disk_used() + offset + size - status.st_size > capacity)
        return ENOSPC;
    return ftruncate(file, offset + size) == 0 ? 0 : errno;
}

static int disk_write(sqlite3_file *file, const void *from, int size, sqlite3_int64 at)
{
    const struct disk_file *which = (const struct disk_file *)file;
    disk_step();
    if (which->data && atomic_load(&disk.full)) {
        nanosleep(&(struct timespec){.tv_nsec = atomic_load(&disk.full_delay_ms) * 1000000L}, NULL);
        return SQLITE_FULL;
    }
    if (which->data && disk_refuses(file, at + size))
        return SQLITE_FULL;
    if (which->log)
        atomic_store(&disk.log_unsynced, true);
    return disk_real(file)->pMethods->xWrite(disk_real(file), from, size, at);
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    disk_step();
    return disk_real(file)->pMethods->xTruncate(disk_real(file), size);
}

static int disk_sync(sqlite3_file *file, int flags)
{
    const struct disk_file *which = (const struct disk_file *)file;
    int delay = atomic_load(&disk.sync_delay_ms);
    disk_step();
    if (delay > 0)
        nanosleep(&(struct timespec){.tv_nsec = delay * 1000000L}, NULL);
    if (which->data && atomic_load(&disk.broken_sync))
        return SQLITE_IOERR_FSYNC;
    int result = disk_real(file)->pMethods->xSync(disk_real(file), flags);
    if (which->log && result == SQLITE_OK) {
        atomic_store(&disk.log_unsynced, false);
        atomic_fetch_add(&disk.log_syncs, 1);
    }
    return result;
}

static int disk_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return disk_real(file)->pMethods->xFileSize(disk_real(file), size);
}

static int disk_lock(sqlite3_file *file, int level)
{
    return disk_real(file)->pMethods->xLock(disk_real(file), level);
}

static int disk_unlock(sqlite3_file *file, int level)
{
    return disk_real(file)->pMethods->xUnlock(disk_real(file), level);
}

static int disk_check_lock(sqlite3_file *file, int *locked)
{
    return disk_real(file)->pMethods->xCheckReservedLock(disk_real(file), locked);
}

static int disk_control(sqlite3_file *file, int what, void *argument)
{
    return disk_real(file)->pMethods->xFileControl(disk_real(file), what, argument);
}

static int disk_sector_size(sqlite3_file *file)
{
    return disk_real(file)->pMethods->xSectorSize(disk_real(file));
}

static int disk_characteristics(sqlite3_file *file)
{
    return disk_real(file)->pMethods->xDeviceCharacteristics(disk_real(file));
}

static int disk_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **to)
{
    return disk_real(file)->pMethods->xShmMap(disk_real(file), page, size, extend, to);
}

static int disk_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return disk_real(file)->pMethods->xShmLock(disk_real(file), offset, count, flags);
}

static void disk_shm_barrier(sqlite3_file *file)
{
    disk_real(file)->pMethods->xShmBarrier(disk_real(file));
}

static int disk_shm_unmap(sqlite3_file *file, int remove)
{
    return disk_real(file)->pMethods->xShmUnmap(disk_real(file), remove);
}

static const sqlite3_io_methods disk_methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_lock,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector_size,
    .xDeviceCharacteristics = disk_characteristics,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    (void)vfs;
    disk_step();
    struct disk_file *which = (struct disk_file *)file;
    which->log = (flags & SQLITE_OPEN_WAL) != 0;
    which->data = which->log || (flags & SQLITE_OPEN_MAIN_DB) != 0;
    int result = disk.real->xOpen(disk.real, name, which->real, flags, out_flags);
    which->base.pMethods = which->real->pMethods != NULL ? &disk_methods : NULL;
    return result;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    (void)vfs;
    disk_step();
    return disk.real->xDelete(disk.real, name, sync_folder);
}

int disk_install(void **state)
{
    (void)state;
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "watched";
    disk.vfs.pNext = NULL;
    disk.vfs.szOsFile = (int)sizeof(struct disk_file) + disk.real->szOsFile;
    disk.vfs.xOpen = disk_open;
    disk.vfs.xDelete = disk_delete;
    return sqlite3_vfs_register(&disk.vfs, 1) == SQLITE_OK ? 0 : -1;
}
