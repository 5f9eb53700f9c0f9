/* kernels/experiments/program/program_files.c: what is read of a program's folder, in which the program can have left
 * anything. */
#include "experiments/program/program_files.h"
#include "sandbox/sandbox.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PROGRAM_FOLDER_MAX];

static int make_folder(void **state)
{
    struct lab_error error;
    json_t *files = json_pack("{s:s, s:s}", "out/a/results.json", "{}", "top.json", "[1]");
    (void)state;
    assert_true(program_folder_make(folder, &error));
    assert_true(program_files_write(folder, files, &error));
    json_decref(files);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return lab_sandbox_folder_remove(folder) ? 0 : -1;
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
