/* Databases of earlier versions of the schema, with what they could hold, for the tests of migrations. */
#ifndef LAB_STORE_VERSIONS_H
#define LAB_STORE_VERSIONS_H

#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include <fcntl.h>

/* The last version that gave runs numbers of their own; the later ones are made of it by their migrations. */
enum { LAST_WITH_NUMBERS = 5 };

/* The ids of the three runs. The first two have the same time; the third ran on two devices, one of them not
 * recorded. */
#define RUN_A "0190c0de-aaaa-7001-8000-000000000001"
#define RUN_B "0190c0de-aaaa-7001-8000-000000000002"
#define RUN_C "0190c0df-0000-7000-8000-000000000003"

/* Applies the migrations from `version` to `count` - 1 to the file. */
void migrate_file(const char *path, size_t version, size_t count);

/* Makes a database of a version. */
void make_version(const char *path, size_t version);
void copy_path(char path[128], const struct fixture *fixture, size_t version);

/* Removes a database and SQLite's files beside it, which remain where it was only read. */
void remove_database(const char *path);

/* Teardown: removes the store and the copies that were made before migrations. */
test_fixture remove_store_and_copies;

#define VERSION_TEST(NAME)                                                                                             \
    TEST_WITH(NAME, struct fixture *fixture, .setup = make_folder_only, .teardown = remove_store_and_copies)

#endif
