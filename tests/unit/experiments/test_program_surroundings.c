/* kernels/experiments/program/surroundings.c: what a program gets of the worker's variables and files, whole. */
#include "experiments/program/surroundings.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS = 200 };

static char root[64];

static int make_folders(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/gpulab-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < FOLDERS; i++) {
        char folder[96];
        snprintf(folder, sizeof folder, "%s/%d", root, i);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    return 0;
}

static int remove_folders(void **state)
{
    char command[96];
    (void)state;
    unsetenv("LD_LIBRARY_PATH");
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    return 0;
}

AROUND_EACH_TEST(.setup = make_folders, .teardown = remove_folders)

static bool has(const struct program_texts *texts, const char *text)
{
    for (size_t i = 0; texts->items[i] != NULL; i++)
        if (strcmp(texts->items[i], text) == 0)
            return true;
    return false;
}

TEST(all_folders_of_libraries_are_kept_and_readable)
{
    const struct lab_run run = {0};
    const struct program_call call = {.is_compiler = true};
    struct program_surroundings found;
    char list[32 * FOLDERS], folder[96];
    size_t length = 0;
    for (int i = 0; i < FOLDERS; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s/%d", i > 0 ? ":" : "", root, i);
    assert_true(length > 4096 && length < sizeof list);
    setenv("LD_LIBRARY_PATH", list, 1);
    assert_true(program_surroundings_find(&found, &run, &call));
    const char *variable = NULL;
    for (size_t i = 0; found.variables.items[i] != NULL; i++)
        if (strncmp(found.variables.items[i], "LD_LIBRARY_PATH=", 16) == 0)
            variable = found.variables.items[i] + 16;
    assert_non_null(variable);
    assert_int_equal(strncmp(variable, list, length), 0); /* the toolkit's may follow */
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(folder, sizeof folder, "%s/%d", root, i);
        assert_true(has(&found.readable, folder));
    }
    assert_true(has(&found.variables, "LANG=C.UTF-8"));
    program_surroundings_release(&found);
}

/* The folder "/", and folders that are relative or not there, would show a program what it must not see, or nothing. */
TEST(only_folders_that_are_there_are_readable)
{
    const struct lab_run run = {0};
    const struct program_call call = {.is_compiler = true};
    struct program_surroundings found;
    char list[256];
    snprintf(list, sizeof list, "/:::tmp:%s/none:%s/7", root, root);
    setenv("LD_LIBRARY_PATH", list, 1);
    assert_true(program_surroundings_find(&found, &run, &call));
    assert_false(has(&found.readable, "/") || has(&found.readable, "tmp") || has(&found.readable, ""));
    snprintf(list, sizeof list, "%s/7", root);
    assert_true(has(&found.readable, list));
    program_surroundings_release(&found);
}
