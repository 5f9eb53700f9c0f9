/* server/auth/auth.c, tokens.c, sessions.c: who a request is from. */
#include "auth/auth.h"
#include "auth/sessions.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lab_token token_of(int64_t id, const char *name, enum lab_role role, const char *secret)
{
    struct lab_token token = {.id = id, .role = role};
    snprintf(token.name, sizeof token.name, "%s", name);
    lab_secret_digest(secret, strlen(secret), token.digest);
    return token;
}

static void add(struct lab_auth *auth, int64_t id, const char *name, enum lab_role role, const char *secret)
{
    struct lab_token token = token_of(id, name, role, secret);
    assert_true(lab_auth_add_token(auth, &token));
}

static struct lab_auth *create(bool demand_tokens)
{
    struct lab_auth *auth =
        lab_auth_create(&(struct lab_auth_options){.demand_tokens = demand_tokens, .rate_limit = 200});
    assert_non_null(auth);
    return auth;
}

static enum lab_auth_result identify(struct lab_auth *auth, const char *authorization, const char *session,
                                     struct lab_identity *identity)
{
    const struct lab_credentials credentials = {.loopback = true, .authorization = authorization, .session = session};
    return lab_auth_identify(auth, &credentials, identity);
}

TEST(test_secrets)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char first[LAB_SECRET_SIZE], second[LAB_SECRET_SIZE];
    assert_true(lab_secret_create("gpulab_", first));
    assert_true(lab_secret_create("gpulab_", second));
    assert_int_equal(strlen(first), LAB_SECRET_SIZE - 1);
    assert_memory_equal(first, "gpulab_", 7);
    assert_int_equal(strspn(first + 7, digits), 43);
    assert_string_not_equal(first, second);
    /* FIPS 180-4, example B.1 */
    static const unsigned char abc[LAB_DIGEST_BYTES] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    unsigned char digest[LAB_DIGEST_BYTES];
    lab_secret_digest("abc", 3, digest);
    assert_true(lab_digest_equal(digest, abc));
    digest[31] ^= 1;
    assert_false(lab_digest_equal(digest, abc));
}

TEST(test_roles)
{
    enum lab_role role = LAB_ROLE_PUBLIC;
    assert_true(lab_role_parse("operator", &role));
    assert_int_equal(role, LAB_ROLE_OPERATOR);
    assert_false(lab_role_parse("public", &role));
    assert_false(lab_role_parse("Admin", &role));
    assert_false(lab_role_parse("", &role));
    assert_string_equal(lab_role_name(LAB_ROLE_ADMIN), "admin");
}

TEST(test_unix_socket)
{
    struct lab_auth *auth = create(true);
    struct lab_identity identity;
    const struct lab_credentials credentials = {.user = "ada", .authorization = "Bearer wrong"};
    assert_int_equal(lab_auth_identify(auth, &credentials, &identity), LAB_AUTH_OK);
    assert_int_equal(identity.role, LAB_ROLE_ADMIN);
    assert_string_equal(identity.name, "ada");
    assert_false(identity.limited);
    lab_auth_free(auth);
}

/* Without a token whoever is on this machine is an admin; with the first token that ends, and with the last it begins
 * again. */
TEST(test_loopback_without_tokens)
{
    struct lab_auth *auth = create(false);
    struct lab_identity identity;
    assert_int_equal(identify(auth, NULL, NULL, &identity), LAB_AUTH_OK);
    assert_int_equal(identity.role, LAB_ROLE_ADMIN);
    assert_string_equal(identity.name, "");
    assert_false(identity.limited);
    add(auth, 1, "ada", LAB_ROLE_VIEWER, "secret");
    assert_int_equal(identify(auth, NULL, NULL, &identity), LAB_AUTH_MISSING);
    assert_int_equal(identity.role, LAB_ROLE_PUBLIC);
    assert_true(identity.limited);
    lab_auth_remove_token(auth, 1);
    assert_int_equal(identify(auth, NULL, NULL, &identity), LAB_AUTH_OK);
    lab_auth_free(auth);
}

TEST(test_other_addresses_without_tokens)
{
    struct lab_identity identity;
    const struct lab_credentials credentials = {0};
    struct lab_auth *demanding = create(true), *open = create(false);
    assert_int_equal(lab_auth_identify(demanding, &credentials, &identity), LAB_AUTH_MISSING);
    assert_int_equal(lab_auth_identify(open, &credentials, &identity), LAB_AUTH_OK);
    assert_true(identity.limited);
    lab_auth_free(demanding);
    lab_auth_free(open);
}

TEST(test_bearer_tokens)
{
    struct lab_auth *auth = create(false);
    struct lab_identity identity;
    add(auth, 7, "ada", LAB_ROLE_OPERATOR, "first");
    add(auth, 3, "bob", LAB_ROLE_VIEWER, "second");
    assert_int_equal(identify(auth, "Bearer first", NULL, &identity), LAB_AUTH_OK);
    assert_string_equal(identity.name, "ada");
    assert_int_equal(identity.role, LAB_ROLE_OPERATOR);
    assert_int_equal(identity.token, 7);
    assert_true(identity.limited);
    assert_int_equal(identify(auth, "bearer  second", NULL, &identity), LAB_AUTH_OK);
    assert_string_equal(identity.name, "bob");
    static const char *const wrong[] = {"Bearer ", "Bearer firs", "Bearer firstx", "Bearer First", "Bearer first "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(identify(auth, wrong[i], NULL, &identity), LAB_AUTH_UNKNOWN);
        assert_int_equal(identity.role, LAB_ROLE_PUBLIC);
    }
    /* The password of a proxy is not meant for the lab. */
    assert_int_equal(identify(auth, "Basic first", NULL, &identity), LAB_AUTH_MISSING);
    lab_auth_remove_token(auth, 7);
    assert_int_equal(identify(auth, "Bearer first", NULL, &identity), LAB_AUTH_UNKNOWN);
    assert_int_equal(identify(auth, "Bearer second", NULL, &identity), LAB_AUTH_OK);
    lab_auth_free(auth);
}

TEST(test_sessions)
{
    struct lab_auth *auth = create(true);
    struct lab_identity identity;
    enum lab_auth_result result;
    char first[LAB_SECRET_SIZE], second[LAB_SECRET_SIZE];
    add(auth, 1, "ada", LAB_ROLE_OPERATOR, "secret");
    assert_false(lab_auth_open_session(auth, "wrong", first, &identity, &result));
    assert_int_equal(result, LAB_AUTH_UNKNOWN);
    assert_true(lab_auth_open_session(auth, "secret", first, &identity, &result));
    assert_string_equal(identity.name, "ada");
    assert_true(lab_auth_open_session(auth, "secret", second, &identity, &result));
    assert_int_equal(identify(auth, NULL, first, &identity), LAB_AUTH_OK);
    assert_string_equal(identity.name, "ada");
    /* A session is not a token, and a token not a session. */
    assert_int_equal(identify(auth, NULL, "secret", &identity), LAB_AUTH_MISSING);
    lab_auth_close_session(auth, first);
    assert_int_equal(identify(auth, NULL, first, &identity), LAB_AUTH_MISSING);
    assert_int_equal(identify(auth, NULL, second, &identity), LAB_AUTH_OK);
    lab_auth_remove_token(auth, 1);
    assert_int_equal(identify(auth, NULL, second, &identity), LAB_AUTH_MISSING);
    lab_auth_free(auth);
}

TEST(test_sessions_end)
{
    struct lab_sessions *sessions = lab_sessions_create();
    char id[LAB_SECRET_SIZE];
    int64_t start = 1000, end = start + (int64_t)LAB_SESSION_S * 1000000;
    assert_true(lab_sessions_open(sessions, 5, start, id));
    assert_int_equal(lab_sessions_find(sessions, id, end - 1), 5);
    assert_int_equal(lab_sessions_find(sessions, id, end), 0);
    lab_sessions_free(sessions);
}

/* However many sessions a token opens, its newest ones and those of others exist. */
TEST(test_sessions_of_a_token_end_for_each_other_only)
{
    struct lab_sessions *sessions = lab_sessions_create();
    char others[LAB_TOKENS_MAX][LAB_SECRET_SIZE], first[LAB_SECRET_SIZE], id[LAB_SECRET_SIZE];
    for (int i = 1; i < LAB_TOKENS_MAX; i++)
        assert_true(lab_sessions_open(sessions, i, 0, others[i]));
    assert_true(lab_sessions_open(sessions, LAB_TOKENS_MAX, 0, first));
    for (int i = 1; i <= 20 * LAB_SESSIONS_OF_TOKEN_MAX; i++) {
        assert_true(lab_sessions_open(sessions, LAB_TOKENS_MAX, i, id));
        assert_int_equal(lab_sessions_find(sessions, id, i), LAB_TOKENS_MAX);
        assert_int_equal(lab_sessions_find(sessions, first, i), i < LAB_SESSIONS_OF_TOKEN_MAX ? LAB_TOKENS_MAX : 0);
    }
    for (int i = 1; i < LAB_TOKENS_MAX; i++)
        assert_int_equal(lab_sessions_find(sessions, others[i], 1), i);
    lab_sessions_close_all(sessions, LAB_TOKENS_MAX);
    assert_int_equal(lab_sessions_find(sessions, id, 1), 0);
    lab_sessions_free(sessions);
}

/* All tokens may have all their sessions at the same time, and new tokens get the places of revoked ones. */
TEST(test_all_sessions_of_all_tokens)
{
    struct lab_sessions *sessions = lab_sessions_create();
    static char ids[LAB_TOKENS_MAX][LAB_SESSIONS_OF_TOKEN_MAX][LAB_SECRET_SIZE];
    for (int round = 0; round < 2; round++) {
        for (int token = 0; token < LAB_TOKENS_MAX; token++)
            for (int i = 0; i < LAB_SESSIONS_OF_TOKEN_MAX; i++)
                assert_true(lab_sessions_open(sessions, token + 1, i, ids[token][i]));
        for (int token = 0; token < LAB_TOKENS_MAX; token++)
            for (int i = 0; i < LAB_SESSIONS_OF_TOKEN_MAX; i++)
                assert_int_equal(lab_sessions_find(sessions, ids[token][i], 0), token + 1);
        for (int token = 0; token < LAB_TOKENS_MAX; token++)
            lab_sessions_close_all(sessions, token + 1);
        assert_int_equal(lab_sessions_find(sessions, ids[3][3], 0), 0);
    }
    lab_sessions_free(sessions);
}

TEST(test_token_table)
{
    static struct lab_token list[LAB_TOKENS_MAX];
    struct lab_tokens *tokens = lab_tokens_create();
    struct lab_identity identity;
    for (int id = LAB_TOKENS_MAX; id >= 1; id--) {
        struct lab_token token = token_of(id, "name", LAB_ROLE_VIEWER, "secret");
        token.digest[0] = (unsigned char)id;
        assert_true(lab_tokens_add(tokens, &token));
    }
    struct lab_token token = token_of(1000, "one too many", LAB_ROLE_VIEWER, "other");
    assert_false(lab_tokens_add(tokens, &token));
    assert_false(lab_tokens_remove(tokens, 1000));
    assert_true(lab_tokens_remove(tokens, 100));
    assert_true(lab_tokens_add(tokens, &token));
    assert_int_equal(lab_tokens_list(tokens, false, list), LAB_TOKENS_MAX);
    for (size_t i = 1; i < LAB_TOKENS_MAX; i++)
        assert_true(list[i - 1].id < list[i].id);
    assert_int_equal(list[99].id, 101);

    enum { MINUTE_US = 60 * 1000000 };
    assert_int_equal(lab_tokens_list(tokens, true, list), 0);
    assert_true(lab_tokens_find(tokens, "other", 3 * MINUTE_US + 7, &identity));
    assert_int_equal(lab_tokens_list(tokens, true, list), 1);
    assert_int_equal(list[0].id, 1000);
    assert_int_equal(list[0].used_at, 3 * MINUTE_US);
    assert_true(lab_tokens_find_id(tokens, 1000, 4 * MINUTE_US - 1, &identity));
    assert_int_equal(lab_tokens_list(tokens, true, list), 0);
    lab_tokens_free(tokens);
}

TEST(test_rate_limit)
{
    struct lab_auth *auth = lab_auth_create(&(struct lab_auth_options){.demand_tokens = true, .rate_limit = 1});
    struct lab_identity ada = {.role = LAB_ROLE_VIEWER, .token = 1, .limited = true}, bob = ada, nobody = ada;
    bob.token = 2;
    nobody.token = 0;
    assert_true(lab_auth_limit(auth, &ada, "192.0.2.1", true) <= 0);
    assert_true(lab_auth_limit(auth, &ada, "192.0.2.2", true) > 0);
    assert_true(lab_auth_limit(auth, &bob, "192.0.2.1", true) <= 0);
    assert_true(lab_auth_limit(auth, &nobody, "192.0.2.1", true) <= 0);
    assert_true(lab_auth_limit(auth, &nobody, "192.0.2.1", true) > 0);
    assert_true(lab_auth_limit(auth, &nobody, "192.0.2.2", true) <= 0);
    ada.limited = false;
    for (int i = 0; i < 1000; i++)
        assert_true(lab_auth_limit(auth, &ada, "127.0.0.1", true) <= 0);
    lab_auth_free(auth);
}
