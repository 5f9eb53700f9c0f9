#include "shareable.h"

#include <ctype.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The length of `word` if it stands at `at` as a word of its own, else 0. `before` is the character before it. */
static size_t word_at(const char *at, char before, const char *word)
{
    size_t length = strlen(word);
    bool found = length > 0 && strncmp(at, word, length) == 0 && !in_word(at[length]) && !in_word(before);
    return found ? length : 0;
}

/* The length of a home folder at `at`: the user's, or one in /home. */
static size_t home_at(const char *at, char before, const char *home)
{
    static const char homes[] = "/home/";
    size_t length = strcmp(home, "/") != 0 ? word_at(at, before, home) : 0;
    if (length == 0 && strncmp(at, homes, sizeof homes - 1) == 0)
        length = sizeof homes - 1 + strcspn(at + sizeof homes - 1, "/ \t\n:;,'\")");
    return length;
}

/* The length of a UUID of a device at `at`, behind its four letters "GPU-" or "MIG-". */
static size_t uuid_at(const char *at)
{
    enum { LEAST = 8 };
    if (strncmp(at, "GPU-", 4) != 0 && strncmp(at, "MIG-", 4) != 0)
        return 0;
    size_t length = strspn(at + 4, "0123456789abcdefABCDEF-");
    return length >= LEAST ? length : 0;
}

static void append(char *shared, size_t size, const char *text, size_t length)
{
    size_t used = strlen(shared);
    snprintf(shared + used, size - used, "%.*s", (int)length, text);
}

const char *doctor_shareable_of(const struct doctor_private *private, const char *text, char *shared, size_t size)
{
    shared[0] = '\0';
    char before = ' ';
    for (const char *at = text != NULL ? text : ""; *at != '\0';) {
        size_t home = home_at(at, before, private->home), uuid = uuid_at(at);
        size_t name = word_at(at, before, private->user);
        if (name == 0)
            name = word_at(at, before, private->host);
        size_t taken = home > 0 ? home : uuid > 0 ? 4 + uuid : name > 0 ? name : 1;
        if (home > 0)
            append(shared, size, "~", 1);
        else if (uuid > 0)
            append(shared, size, at, 4);
        else if (name == 0)
            append(shared, size, at, 1);
        if (home == 0 && (uuid > 0 || name > 0))
            append(shared, size, "…", strlen("…"));
        before = at[taken - 1];
        at += taken;
    }
    return shared;
}

const char *doctor_shareable(const char *text, char *shared, size_t size)
{
    char host[256] = "";
    const struct passwd *user = getpwuid(getuid());
    const char *home = getenv("HOME");
    bool root = getuid() == 0; /* that name tells nothing, and stands in sentences */
    gethostname(host, sizeof host - 1);
    const struct doctor_private private = {
        .home = home != NULL   ? home
                : user != NULL ? user->pw_dir
                               : "",
        .user = user != NULL && !root ? user->pw_name : "",
        .host = host,
    };
    return doctor_shareable_of(&private, text, shared, size);
}
