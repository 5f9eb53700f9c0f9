/* kernels/worker/device_lock.c: creating the folder, waiting for a lock, cancelling, and error messages. */
#include "support/test.h"
#include "worker/device_lock.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char parent[64], folder[96];

static int create_folder(void **state)
{
    (void)state;
    snprintf(parent, sizeof parent, "/tmp/gpulab-lock-XXXXXX");
    if (mkdtemp(parent) == NULL)
        return -1;
    snprintf(folder, sizeof folder, "%s/locks", parent);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"/a", "/b", ""};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", folder, names[i]);
        remove(path);
    }
    return rmdir(parent);
}

AROUND_EACH_TEST(.setup = create_folder, .teardown = remove_folder)

static void count_call(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

/* Locks a device that must be free. */
static int lock_free_device(const char *id)
{
    const atomic_bool cancel = false;
    atomic_int waited = 0;
    struct lab_error error = {0};
    int lock = lab_device_lock(folder, id, &cancel, count_call, &waited, &error);
    if (lock < 0)
        fail_msg("%s", error.detail);
    assert_int_equal(waited, 0);
    return lock;
}

/* A thread that locks device "a". */
struct waiter {
    pthread_t thread;
    atomic_bool cancel, done;
    atomic_int waited;
    int lock;
    struct lab_error error;
};

static void *lock_in_thread(void *context)
{
    struct waiter *waiter = context;
    waiter->lock = lab_device_lock(folder, "a", &waiter->cancel, count_call, &waiter->waited, &waiter->error);
    atomic_store(&waiter->done, true);
    return NULL;
}

/* Starts the thread and returns when it waits for the lock. */
static void start_waiter(struct waiter *waiter)
{
    assert_int_equal(pthread_create(&waiter->thread, NULL, lock_in_thread, waiter), 0);
    while (atomic_load(&waiter->waited) == 0)
        usleep(1000);
}

TEST(the_folder_is_created_for_all_users)
{
    struct stat status;
    mode_t before = umask(077);
    int lock = lock_free_device("a");
    umask(before);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 07777, 01777);
    lab_device_unlock(lock);
    lab_device_unlock(lock_free_device("a")); /* the folder and the file exist now */
}

TEST(a_second_lock_waits_for_the_first)
{
    struct waiter waiter = {.lock = -1};
    int first = lock_free_device("a");
    lab_device_unlock(lock_free_device("b")); /* another device is not affected */
    start_waiter(&waiter);
    usleep(60000); /* several attempts */
    assert_false(atomic_load(&waiter.done));
    lab_device_unlock(first);
    pthread_join(waiter.thread, NULL);
    assert_true(waiter.lock >= 0);
    assert_int_equal(waiter.waited, 1); /* it is reported once, not at every attempt */
    lab_device_unlock(waiter.lock);
}

TEST(a_cancel_ends_the_waiting)
{
    struct waiter waiter = {.lock = 0};
    int first = lock_free_device("a");
    start_waiter(&waiter);
    atomic_store(&waiter.cancel, true);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.lock, -1);
    assert_int_equal(waiter.error.code, LAB_ERROR_CANCELLED);
    lab_device_unlock(first);
    lab_device_unlock(lock_free_device("a")); /* possible, because the cancelled thread holds no lock */
}

TEST(the_end_of_a_process_releases_its_lock)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        const atomic_bool cancel = false;
        struct lab_error error;
        _exit(lab_device_lock(folder, "a", &cancel, count_call, NULL, &error) >= 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    lab_device_unlock(lock_free_device("a"));
}

static void expect_error(const char *path, const char *words)
{
    const atomic_bool cancel = false;
    struct lab_error error = {0};
    assert_int_equal(lab_device_lock(path, "a", &cancel, count_call, NULL, &error), -1);
    assert_int_equal(error.code, LAB_ERROR_LOCK);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' does not contain '%s'", error.detail, words);
}

TEST(errors_name_the_path)
{
    char path[128], longest[PATH_MAX];
    snprintf(path, sizeof path, "%s/missing/locks", parent);
    expect_error(path, path);
    expect_error(path, "No such file or directory");
    expect_error(path, "--lock-dir");

    memset(longest, '/', sizeof longest); /* the root folder, which exists */
    longest[sizeof longest - 1] = '\0';
    expect_error(longest, "too long");

    close(mkstemp(strcpy(longest, "/tmp/gpulab-lock-file-XXXXXX")));
    expect_error(longest, "Not a directory");
    unlink(longest);

    /* A symbolic link could make the worker lock, or create, a file in another folder. */
    lab_device_unlock(lock_free_device("b"));
    char link[128];
    snprintf(link, sizeof link, "%s/a", folder);
    assert_int_equal(symlink("b", link), 0);
    expect_error(folder, link);
}
