/* A store in a temporary folder, for the tests of db/. */
#ifndef LAB_STORE_HARNESS_H
#define LAB_STORE_HARNESS_H

#include "core/clock.h"
#include "store.h"
#include "support/test.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct fixture {
    char folder[64], path[96];
    struct lab_store *store;
    char message[400];
};

void open_store(struct fixture *fixture);
void close_store(struct fixture *fixture);
void reopen_store(struct fixture *fixture);

/* Setup: a store in a folder of its own, or an empty folder in which no store is opened. Teardown: removes both. */
test_fixture make_store, make_folder_only, remove_store;

/* Tests with a store, and with a folder for one. */
#define STORE_TEST(NAME) TEST_WITH(NAME, struct fixture *fixture, .setup = make_store, .teardown = remove_store)
#define FOLDER_TEST(NAME) TEST_WITH(NAME, struct fixture *fixture, .setup = make_folder_only, .teardown = remove_store)

/* JSON of a run's devices or tags, from arguments that are strings. */
#define DEVICE(id, name) "{\"id\":\"" id "\",\"name\":" name ",\"node\":null}"

void sleep_ms(long ms);

/* --- runs --------------------------------------------------------------------------------------------------------- */

struct lab_run_row plain_run(const char *id);
void add_run(struct lab_store *store, struct lab_run_row *run);

/* Adds a run like plain_run with a new id. */
void add_plain_run(struct lab_store *store, char id[LAB_RUN_ID_SIZE]);

/* A copy of a row, valid after its callback. */
struct kept_run {
    struct lab_run_row row;
    char id[LAB_RUN_ID_SIZE], experiment[64], host[64], devices[128], parameters[128], tags[128], note[128],
        environment[128], warnings[512], notes[128], error[128], sweep[LAB_RUN_ID_SIZE], requested_by[64], model[128],
        compare_with[128], kernel[128], headline[128], output[64];
};

const char *keep_text(char *to, size_t size, const char *from);
void get_run(struct lab_store *store, const char *id, struct kept_run *kept);

/* --- direct access to the file ------------------------------------------------------------------------------------ */

/* Returns the first column of a query's only row, read through a separate connection. */
int64_t ask_file(const char *path, const char *sql);
/* Whether SQLite finds no damage in the file. */
bool is_sound(const char *path);

/* Executes SQL on a file that no store has open. */
void change_file(const char *path, const char *sql);

/* Fails unless run_device, run_tag and clock_set_back agree with the rows of the runs, and times and counts are right;
 * `search` has an integrity check of its own, run when closed. */
void assert_in_step(const char *path);
void assert_search_sound(const char *path);

#endif
