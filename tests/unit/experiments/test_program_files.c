/* kernels/experiments/program/program_files.c: what is read of a program's folder, in which the program can have left
 * anything. */
#include "experiments/program/program_files.h"
#include "sandbox/sandbox.h"
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char parent[64];
static struct program_folder made;
static const char *const folder = made.path;

static int make_folder(void **state)
{
    struct lab_error error;
    json_t *files = json_pack("{s:s, s:s}", "out/a/results.json", "{}", "top.json", "[1]");
    (void)state;
    snprintf(parent, sizeof parent, "/tmp/gpulab-test-XXXXXX");
    assert_non_null(mkdtemp(parent));
    setenv("TMPDIR", parent, 1);
    assert_true(program_folder_make(&made, &error));
    assert_true(program_files_write(folder, files, &error));
    json_decref(files);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    return program_folder_remove(&made) && rmdir(parent) == 0 ? 0 : -1;
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)

/* Makes a symbolic link in the folder. */
static void link_to(const char *target, const char *name)
{
    int opened = open(folder, O_DIRECTORY | O_RDONLY);
    assert_int_equal(symlinkat(target, opened, name), 0);
    close(opened);
}

static void check_read(const char *name, const char *expected)
{
    struct lab_error error = {0};
    size_t size;
    char *text = program_file_read(folder, name, 64, &size, &error);
    assert_string_equal(text != NULL ? text : "none", expected);
    assert_int_equal(error.code == LAB_ERROR_NONE, text != NULL);
    free(text);
}

TEST(files_below_the_folder_are_read)
{
    check_read("top.json", "[1]");
    check_read("out/a/results.json", "{}");
    check_read("out/a", "none");
    check_read("out", "none");
    check_read("missing/results.json", "none");
}

TEST(no_part_of_a_name_is_a_link)
{
    link_to("top.json", "file.json");
    link_to("out", "alias");
    link_to("/etc", "etc");
    check_read("file.json", "none");
    check_read("alias/a/results.json", "none");
    check_read("etc/hostname", "none");
}

TEST(no_name_leads_out_of_the_folder)
{
    check_read("../etc/hostname", "none");
    check_read("out/../top.json", "none");
    check_read("/etc/hostname", "none");
    check_read("", "none");
}

TEST(a_large_file_and_a_pipe_are_not_read)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_read("pipe", "none");
    snprintf(path, sizeof path, "%s/top.json", folder);
    assert_int_equal(truncate(path, 65), 0);
    check_read("top.json", "none");
}

/* --- what killed processes leave ---------------------------------------------------------------------------------- */

/* Makes a folder with a file in a process that is killed; sets its path. */
static void leave_folder(struct program_folder *left)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct lab_error error;
        json_t *files = json_pack("{s:s}", "src/main.c", "int x;");
        bool good = program_folder_make(left, &error) && program_files_write(left->path, files, &error) &&
                    write(pipes[1], left->path, sizeof left->path) == (ssize_t)sizeof left->path;
        if (good)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(read(pipes[0], left->path, sizeof left->path), sizeof left->path);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(pipes[0]);
    close(pipes[1]);
}

TEST(the_folder_of_a_killed_process_is_removed_and_others_stay)
{
    struct program_folder left;
    char link[128], other[128];
    leave_folder(&left);
    assert_int_equal(access(left.path, F_OK), 0);
    snprintf(link, sizeof link, "%s/gpulab-program.linked", parent);
    snprintf(other, sizeof other, "%s/gpulab-program-other", parent);
    assert_int_equal(symlink(folder, link), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    program_folders_clean(geteuid());
    assert_int_equal(access(left.path, F_OK), -1);
    assert_int_equal(access(folder, F_OK), 0); /* that of this process */
    check_read("top.json", "[1]");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(other), 0);
}

TEST(folders_of_other_users_stay)
{
    struct program_folder left;
    if (geteuid() != 0)
        skip();
    leave_folder(&left);
    assert_int_equal(chown(left.path, 65534, 65534), 0);
    program_folders_clean(geteuid());
    assert_int_equal(access(left.path, F_OK), 0);
    program_folders_clean(65534); /* the user of programs, to whom their folders are given */
    assert_int_equal(access(left.path, F_OK), -1);
}
