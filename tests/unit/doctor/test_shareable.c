/* kernels/doctor/shareable.c */
#include "doctor/shareable.h"
#include "support/test.h"

static void check(const char *text, const char *expected)
{
    static const struct doctor_private ada = {.home = "/users/ada", .user = "ada", .host = "gpu7"};
    char shared[256];
    assert_string_equal(doctor_shareable_of(&ada, text, shared, sizeof shared), expected);
}

TEST(home_folders_are_left_out)
{
    check("/users/ada/lib/libnccl.so.2: file too short", "~/lib/libnccl.so.2: file too short");
    check("in /home/grace/cuda/lib, /home/grace", "in ~/cuda/lib, ~");
    check("/users/adam/x and /opt/users/ada", "/users/adam/x and /opt/users/…");
}

TEST(names_of_user_and_machine_are_left_out)
{
    check("ada on gpu7: denied to ada.", "… on …: denied to ….");
    check("adaptive gpu70 my-gpu7", "adaptive gpu70 my-gpu7");
}

TEST(uuids_are_left_out)
{
    check("CUDA_VISIBLE_DEVICES is \"GPU-8f3a1c22-0000-1111-2222-333344445555,MIG-0a0b0c0d-1\"",
          "CUDA_VISIBLE_DEVICES is \"GPU-…,MIG-…\"");
    check("GPU-accelerated", "GPU-accelerated");
}

TEST(a_text_that_is_too_long_is_cut)
{
    static const struct doctor_private nobody = {.home = "", .user = "", .host = ""};
    char shared[8];
    assert_string_equal(doctor_shareable_of(&nobody, "0123456789", shared, sizeof shared), "0123456");
    assert_string_equal(doctor_shareable_of(&nobody, "/home/ada//", shared, sizeof shared), "~//");
    assert_string_equal(doctor_shareable_of(&nobody, NULL, shared, sizeof shared), "");
}
