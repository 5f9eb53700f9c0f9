/* kernels/experiments/program/cache.c: what was built is found by all its parts, and only then. */
#include "experiments/program/cache.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];
static const char *owner; /* an id as the lab makes them; "": the lab's user */

static int open_home(void **state)
{
    (void)state;
    snprintf(home, sizeof home, "/tmp/gpulab-test-XXXXXX");
    assert_non_null(mkdtemp(home));
    owner = "";
    unsetenv("CACHE_DIRECTORY");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", home, 1);
    return 0;
}

static int close_home(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", home);
    assert_int_equal(system(command), 0);
    return 0;
}

AROUND_EACH_TEST(.setup = open_home, .teardown = close_home)

static struct program_cache_entry entry_of(const char *text)
{
    struct program_cache_entry entry = {0};
    json_t *parts = json_pack("{s:s}", "files", text);
    program_cache_open(&entry, owner, parts);
    json_decref(parts);
    return entry;
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void path_in(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", home, name);
}

static void keep(const char *parts, const char *content)
{
    char path[128];
    struct program_cache_entry entry = entry_of(parts);
    path_in("built", path);
    write_text(path, content);
    program_cache_keep(&entry, path, "a warning\n");
    program_cache_release(&entry);
    unlink(path);
}

/* The content that is found; "": nothing. */
static const char *found(const char *parts)
{
    static char content[64];
    char path[128];
    struct program_cache_entry entry = entry_of(parts);
    path_in("taken", path);
    char *log = NULL;
    bool taken = program_cache_take(&entry, path, &log);
    assert_string_equal(log != NULL ? log : "none", taken ? "a warning\n" : "none");
    free(log);
    program_cache_release(&entry);
    content[0] = '\0';
    FILE *in = taken ? fopen(path, "r") : NULL;
    if (in != NULL && fgets(content, sizeof content, in) != NULL)
        assert_int_equal(fclose(in), 0);
    unlink(path);
    return content;
}

TEST(a_program_is_found_by_all_its_parts)
{
    assert_string_equal(found("a"), "");
    keep("a", "first");
    assert_string_equal(found("a"), "first");
    assert_string_equal(found("b"), "");
    keep("a", "second");
    assert_string_equal(found("a"), "second");
}

/* Another key may have the same name: the keys are compared. */
TEST(an_entry_whose_key_is_another_one_is_not_taken)
{
    keep("a", "first");
    struct program_cache_entry entry = entry_of("a");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.key", entry.folder, entry.name);
    write_text(path, "{\"files\":\"b\"}");
    assert_string_equal(found("a"), "");
    program_cache_release(&entry);
}

TEST(what_a_compiler_has_made_of_a_link_or_a_pipe_is_not_kept)
{
    char path[128], secret[128];
    struct program_cache_entry entry = entry_of("a");
    path_in("built", path);
    path_in("secret", secret);
    write_text(secret, "secret");
    assert_int_equal(symlink(secret, path), 0);
    program_cache_keep(&entry, path, "a warning\n");
    assert_string_equal(found("a"), "");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    program_cache_keep(&entry, path, "a warning\n");
    assert_string_equal(found("a"), "");
    program_cache_release(&entry);
}

TEST(a_folder_that_others_can_write_is_no_cache)
{
    char path[PATH_MAX];
    keep("a", "first");
    struct program_cache_entry entry = entry_of("a");
    snprintf(path, sizeof path, "%s", entry.folder);
    program_cache_release(&entry);
    assert_int_equal(chmod(path, 0777), 0);
    assert_string_equal(found("a"), "");
}

TEST(the_entries_that_were_not_used_for_longest_are_removed)
{
    char parts[16];
    keep("kept", "kept");
    for (int i = 0; i < PROGRAM_CACHE_ENTRIES_MAX; i++) {
        snprintf(parts, sizeof parts, "%d", i);
        keep(parts, "x");
        assert_string_equal(found("kept"), "kept");
    }
    assert_string_equal(found("0"), "");
    assert_string_equal(found("1"), "x");
}

static const char ana[] = "0123456789abcdef0123456789abcdef", bo[] = "fedcba9876543210fedcba9876543210";

TEST(nobody_gets_the_program_of_another_person)
{
    keep("a", "of the lab's user");
    owner = ana;
    assert_string_equal(found("a"), "");
    keep("a", "of ana");
    owner = bo;
    assert_string_equal(found("a"), "");
    keep("a", "of bo");
    owner = ana;
    assert_string_equal(found("a"), "of ana");
    owner = "";
    assert_string_equal(found("a"), "of the lab's user");
}

TEST(a_person_with_many_programs_loses_those_alone)
{
    char parts[16];
    owner = ana;
    keep("a", "of ana");
    owner = bo;
    for (int i = 0; i <= PROGRAM_CACHE_ENTRIES_MAX; i++) {
        snprintf(parts, sizeof parts, "%d", i);
        keep(parts, "x");
    }
    assert_string_equal(found("0"), "");
    owner = ana;
    assert_string_equal(found("a"), "of ana");
}

TEST(the_programs_of_all_people_together_are_bounded)
{
    enum { PEOPLE = PROGRAM_CACHE_ALL_ENTRIES_MAX / PROGRAM_CACHE_ENTRIES_MAX };
    char id[PEOPLE + 1][33], parts[16];
    owner = ana;
    keep("a", "of ana");
    for (int person = 0; person < PEOPLE; person++) {
        snprintf(id[person], sizeof id[person], "%032d", person);
        owner = id[person];
        for (int i = 0; i < PROGRAM_CACHE_ENTRIES_MAX; i++) {
            snprintf(parts, sizeof parts, "%d", i);
            keep(parts, "x");
        }
    }
    assert_string_equal(found("0"), "x");
    owner = ana;
    assert_string_equal(found("a"), "");
}

/* As by a worker that was ended while it copied a program. */
TEST(what_was_left_half_written_is_removed)
{
    char path[PATH_MAX], parts[16];
    struct program_cache_entry entry = entry_of("a");
    keep("a", "first");
    snprintf(path, sizeof path, "%s/%s.1.out", entry.folder, entry.name);
    write_text(path, "half");
    program_cache_release(&entry);
    for (int i = 0; i <= PROGRAM_CACHE_ENTRIES_MAX; i++) {
        snprintf(parts, sizeof parts, "%d", i);
        keep(parts, "x");
    }
    assert_int_not_equal(access(path, F_OK), 0);
}
