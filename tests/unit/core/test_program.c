/* kernels/core/program.c: which of several files in the folders of PATH is the program, and where gpulab's own programs
 * are. */
#include "core/program.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

/* Writes to `path` the path of a file in the folder of this test. */
static const char *in_folder(char path[PATH_MAX + 32], const char *name)
{
    snprintf(path, PATH_MAX + 32, "%s/%s", folder, name);
    return path;
}

static void make_file(const char *name, mode_t mode)
{
    char path[PATH_MAX + 32];
    FILE *file = fopen(in_folder(path, name), "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

/* plain/program cannot be executed, directory/program is a directory, link/program links to program-1. */
static int make_folder(void **state)
{
    static const char *const folders[] = {"plain", "directory", "directory/program", "link", "good"};
    char made[] = "/tmp/test_program.XXXXXX", path[PATH_MAX + 32];
    (void)state;
    if (mkdtemp(made) == NULL || realpath(made, folder) == NULL || chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(in_folder(path, folders[i]), 0700), 0);
    make_file("plain/program", 0600);
    make_file("good/program", 0700);
    make_file("program-1", 0700);
    return symlink("../program-1", in_folder(path, "link/program"));
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"plain/program",     "good/program", "program-1", "link/program", "plain",
                                        "directory/program", "directory",    "link",      "good",         ""};
    char path[PATH_MAX + 32];
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        failed |= remove(in_folder(path, names[i]));
    return failed;
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)

/* Finds `program` with this PATH, in which FOLDER stands for the folder of this test. NULL if it is not found. */
static const char *found_in(const char *variable, const char *more)
{
    static char path[PATH_MAX];
    char text[8 * PATH_MAX] = "";
    for (const char *next = variable; *next != '\0';) {
        bool is_folder = strncmp(next, "FOLDER", 6) == 0;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s", is_folder ? PATH_MAX : 1,
                 is_folder ? folder : next);
        next += is_folder ? 6 : 1;
    }
    assert_int_equal(setenv("PATH", text, 1), 0);
    return lab_program_find("program", more, path) ? path : NULL;
}

TEST(the_first_program_is_found)
{
    char good[PATH_MAX + 32], linked[PATH_MAX + 32];
    in_folder(good, "good/program");
    in_folder(linked, "program-1");
    assert_string_equal(found_in("FOLDER/good:FOLDER/link", NULL), good);
    assert_string_equal(found_in("FOLDER/link:FOLDER/good", NULL), linked);
    assert_string_equal(found_in("/nonexistent::FOLDER/good:", NULL), good);
    assert_string_equal(found_in("FOLDER/plain:FOLDER/directory:FOLDER/good", NULL), good);
}

TEST(folders_that_are_not_absolute_are_skipped)
{
    assert_null(found_in("good", NULL));
    assert_null(found_in("good:./good:", "good"));
}

TEST(the_other_folder_comes_after_those_of_path)
{
    char good[PATH_MAX + 32], linked[PATH_MAX + 32], other[PATH_MAX + 32];
    in_folder(good, "good/program");
    in_folder(linked, "program-1");
    in_folder(other, "link");
    assert_string_equal(found_in("FOLDER/good", other), good);
    assert_string_equal(found_in("FOLDER/plain", other), linked);
    assert_int_equal(unsetenv("PATH"), 0);
    char path[PATH_MAX];
    assert_true(lab_program_find("program", other, path));
    assert_string_equal(path, linked);
    assert_false(lab_program_find("program", NULL, path));
}

TEST(a_path_that_is_too_long_is_skipped)
{
    static char variable[2 * PATH_MAX];
    char good[PATH_MAX + 32];
    memset(variable, '/', PATH_MAX + 7);
    strcpy(variable + PATH_MAX + 7, ":FOLDER/good");
    assert_string_equal(found_in(variable, NULL), in_folder(good, "good/program"));
}

/* In ../libexec: unit/trace/test_tracer.c, which runs an installed program. */
TEST(a_program_of_gpulab_is_beside_this_one)
{
    char self[PATH_MAX] = "", path[PATH_MAX], expected[PATH_MAX + 32];
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    assert_true(lab_program_find_own(strrchr(self, '/') + 1, path));
    assert_string_equal(path, self);
    *strrchr(self, '/') = '\0';
    assert_false(lab_program_find_own("no-such-program", path));
    snprintf(expected, sizeof expected, "%s/no-such-program", self);
    assert_string_equal(path, expected);
}

TEST(a_program_of_gpulab_with_too_long_a_name_has_no_path)
{
    static char name[PATH_MAX];
    char path[PATH_MAX];
    memset(name, 'x', sizeof name - 1);
    assert_false(lab_program_find_own(name, path));
    assert_string_equal(path, "");
}
