/* kernels/core/user.c: which users programs are executed as. */
#include "core/user.h"
#include "support/test.h"

#include <unistd.h>

enum { NOBODY = 65534 };

TEST(programs_are_executed_as_a_user_without_rights)
{
    struct lab_error error = {0};
    uid_t uid = 0;
    gid_t gid = 0;
    if (geteuid() != 0)
        skip();
    assert_true(lab_user_find("nobody", &uid, &gid, &error));
    assert_true(uid > 0 && gid > 0);
    assert_false(lab_user_find("root", &uid, &gid, &error));
    assert_int_equal(error.code, LAB_ERROR_PROGRAM_USER);
    assert_string_equal(error.pointer, "--program-user");
    assert_false(lab_user_find("no such user", &uid, &gid, &error));
    assert_string_equal(error.detail, "This machine has no user no such user.");
}

TEST(only_root_can_execute_programs_as_another_user)
{
    struct lab_error error = {0};
    uid_t uid, before = geteuid();
    gid_t gid;
    if (before == 0)
        assert_int_equal(seteuid(NOBODY), 0);
    bool found = lab_user_find("nobody", &uid, &gid, &error);
    assert_int_equal(seteuid(before), 0);
    assert_false(found);
    assert_string_equal(error.detail,
                        "Only root can execute programs as another user, and this process is not root's.");
}
