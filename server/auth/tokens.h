/* The active tokens, in memory, so that no request reads the database. All functions may be called from any thread. */
#ifndef LAB_AUTH_TOKENS_H
#define LAB_AUTH_TOKENS_H

#include "identity.h"
#include "secret.h"

enum { LAB_TOKENS_MAX = 256 }; /* active at the same time */

struct lab_token {
    int64_t id; /* greater than 0 */
    char name[LAB_PERSON_MAX + 1];
    enum lab_role role;
    unsigned char digest[LAB_DIGEST_BYTES]; /* of the secret */
    int64_t created_at;                     /* microseconds since 1970 */
    int64_t used_at;                        /* the same, of the last use, in whole minutes; 0: never used */
};

struct lab_tokens;

/* NULL when out of memory. */
struct lab_tokens *lab_tokens_create(void);
/* NULL is allowed and does nothing. */
void lab_tokens_free(struct lab_tokens *tokens);
/* False when there are LAB_TOKENS_MAX already. */
bool lab_tokens_add(struct lab_tokens *tokens, const struct lab_token *token);
/* False when there is no token with this id. */
bool lab_tokens_remove(struct lab_tokens *tokens, int64_t id);
bool lab_tokens_has(struct lab_tokens *tokens, int64_t id);
size_t lab_tokens_count(struct lab_tokens *tokens);

/* Finds a token by its secret or by its id and notes that it was used at `now_us`. False when there is none; *identity
 * is then unchanged. */
bool lab_tokens_find(struct lab_tokens *tokens, const char *secret, int64_t now_us, struct lab_identity *identity);
bool lab_tokens_find_id(struct lab_tokens *tokens, int64_t id, int64_t now_us, struct lab_identity *identity);

/* Copies the tokens in the order of their ids; returns how many. With `changed`, only those whose `used_at` has changed
 * since the last such call, or since they were added. */
size_t lab_tokens_list(struct lab_tokens *tokens, bool changed, struct lab_token list[LAB_TOKENS_MAX]);

#endif
