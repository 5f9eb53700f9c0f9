/* db/tokens.c: tokens are added, used, revoked and listed. */
#include "support/store_harness.h"
#include "support/test.h"

struct listed {
    size_t count;
    struct {
        int64_t id, created_at, last_used_at;
        char name[32], role[16];
        unsigned char first;
    } tokens[8];
};

static void add_row(void *context, const struct lab_token_row *token)
{
    struct listed *listed = context;
    assert_true(listed->count < 8);
    listed->tokens[listed->count].id = token->id;
    listed->tokens[listed->count].created_at = token->created_at;
    listed->tokens[listed->count].last_used_at = token->last_used_at;
    listed->tokens[listed->count].first = token->hash[0];
    snprintf(listed->tokens[listed->count].name, sizeof listed->tokens[0].name, "%s", token->name);
    snprintf(listed->tokens[listed->count++].role, sizeof listed->tokens[0].role, "%s", token->role);
}

static struct listed list(struct fixture *fixture)
{
    struct listed listed = {0};
    assert_int_equal(lab_store_list_tokens(fixture->store, add_row, &listed), LAB_STORE_OK);
    return listed;
}

static enum lab_store_result add(struct fixture *fixture, const char *name, unsigned char first, int64_t *id)
{
    unsigned char hash[LAB_TOKEN_HASH_SIZE] = {first};
    const struct lab_token_row token = {.name = name, .role = "viewer", .hash = hash, .created_at = 1000};
    return lab_store_add_token(fixture->store, &token, id);
}

STORE_TEST(tokens_persist)
{
    int64_t first, second;
    assert_int_equal(add(fixture, "ada", 1, &first), LAB_STORE_OK);
    assert_int_equal(add(fixture, "bob", 2, &second), LAB_STORE_OK);
    assert_true(second > first);
    reopen_store(fixture);
    struct listed listed = list(fixture);
    assert_int_equal(listed.count, 2);
    assert_int_equal(listed.tokens[0].id, first);
    assert_string_equal(listed.tokens[0].name, "ada");
    assert_string_equal(listed.tokens[0].role, "viewer");
    assert_int_equal(listed.tokens[0].created_at, 1000);
    assert_true(listed.tokens[0].last_used_at == LAB_NO_TIME);
    assert_int_equal(listed.tokens[1].first, 2);
}

STORE_TEST(names_of_active_tokens_differ)
{
    int64_t first, second;
    assert_int_equal(add(fixture, "ada", 1, &first), LAB_STORE_OK);
    assert_int_equal(add(fixture, "ada", 2, &second), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_revoke_token(fixture->store, first, 2000), LAB_STORE_OK);
    assert_int_equal(add(fixture, "ada", 2, &second), LAB_STORE_OK);
    assert_true(second > first);
    assert_int_equal(list(fixture).count, 1);
}

STORE_TEST(revoked_tokens_are_gone)
{
    int64_t id;
    assert_int_equal(add(fixture, "ada", 1, &id), LAB_STORE_OK);
    assert_int_equal(lab_store_revoke_token(fixture->store, id + 1, 2000), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_revoke_token(fixture->store, id, 2000), LAB_STORE_OK);
    assert_int_equal(lab_store_revoke_token(fixture->store, id, 2000), LAB_STORE_NOT_FOUND);
    assert_int_equal(list(fixture).count, 0);
}

STORE_TEST(the_last_use_is_kept)
{
    int64_t id;
    assert_int_equal(add(fixture, "ada", 1, &id), LAB_STORE_OK);
    assert_int_equal(lab_store_use_token(fixture->store, id, 5000), LAB_STORE_OK);
    assert_int_equal(lab_store_use_token(fixture->store, id, 4000), LAB_STORE_OK);
    assert_int_equal(list(fixture).tokens[0].last_used_at, 5000);
}
