/* server/jobs/owner.c: the ids by which workers know people. */
#include "jobs/owner.h"
#include "support/store_harness.h"

#include "core/user.h"

STORE_TEST(each_person_has_an_id_that_stays)
{
    char ana[LAB_OWNER_SIZE], bo[LAB_OWNER_SIZE], again[LAB_OWNER_SIZE];
    lab_owner_id(fixture->store, "ana", ana);
    lab_owner_id(fixture->store, "bo", bo);
    assert_int_equal(strspn(ana, "0123456789abcdef"), LAB_OWNER_SIZE - 1);
    assert_string_not_equal(ana, bo);
    reopen_store(fixture);
    lab_owner_id(fixture->store, "ana", again);
    assert_string_equal(again, ana);
}

STORE_TEST(a_person_has_other_ids_in_other_labs)
{
    char here[LAB_OWNER_SIZE], there[LAB_OWNER_SIZE];
    lab_owner_id(fixture->store, "ana", here);
    assert_int_equal(lab_store_set(fixture->store, "owner_salt", "another"), LAB_STORE_OK);
    lab_owner_id(fixture->store, "ana", there);
    assert_string_not_equal(here, there);
}

STORE_TEST(the_user_who_runs_the_lab_has_none)
{
    char user[256], id[LAB_OWNER_SIZE];
    lab_user_name(geteuid(), user, sizeof user);
    lab_owner_id(fixture->store, user, id);
    assert_string_equal(id, "");
    lab_owner_id(fixture->store, NULL, id);
    assert_string_equal(id, "");
}
