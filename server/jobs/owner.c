#include "owner.h"

#include "auth/secret.h"

#include "core/user.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the name is that which the Unix socket of the lab gives to the user who runs it. */
static bool is_own_user(const char *name)
{
    char own[256];
    lab_user_name(geteuid(), own, sizeof own);
    return strcmp(name, own) == 0;
}

/* Reads what ids are made with in this lab, so that they say no names, or makes it. Where two runners make it at the
 * same time, the ids of one are used once. */
static void read_salt(struct lab_store *store, char salt[LAB_SECRET_SIZE])
{
    static const char setting[] = "owner_salt";
    salt[0] = '\0';
    if (lab_store_get(store, setting, salt, LAB_SECRET_SIZE) == LAB_STORE_NOT_FOUND && lab_secret_create("", salt))
        lab_store_set(store, setting, salt);
}

void lab_owner_id(struct lab_store *store, const char *requested_by, char id[LAB_OWNER_SIZE])
{
    char salt[LAB_SECRET_SIZE], text[512];
    unsigned char digest[LAB_DIGEST_BYTES];
    id[0] = '\0';
    if (requested_by == NULL || is_own_user(requested_by))
        return;
    read_salt(store, salt);
    snprintf(text, sizeof text, "%s %s", salt, requested_by);
    lab_secret_digest(text, strlen(text), digest);
    for (size_t i = 0; i < (LAB_OWNER_SIZE - 1) / 2; i++)
        snprintf(id + 2 * i, 3, "%02x", digest[i]);
}
