/* Programs that were built before: kept by this user, outside every sandbox, and found by whose they are and all that
 * they were made of: sources, options, compilers and architecture. Nobody gets what was built for another person, or
 * learns that it was. Where a person has many, or all have, those that were not used for longest are removed.
 */
#ifndef LAB_PROGRAM_CACHE_H
#define LAB_PROGRAM_CACHE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What the cache keeps for one person, and for all together. */
enum { PROGRAM_CACHE_ENTRIES_MAX = 64, PROGRAM_CACHE_ALL_ENTRIES_MAX = 256 };
#define PROGRAM_CACHE_BYTES_MAX (UINT64_C(512) << 20)
#define PROGRAM_CACHE_ALL_BYTES_MAX (UINT64_C(2) << 30)

enum { PROGRAM_CACHE_OWNER_DIGITS = 16, PROGRAM_CACHE_NAME_SIZE = PROGRAM_CACHE_OWNER_DIGITS + 32 + 1 };

/* An entry, of which there may be none yet. */
struct program_cache_entry {
    char folder[PATH_MAX - 128];        /* of all entries; "": there is no cache, and nothing is found or kept */
    char name[PROGRAM_CACHE_NAME_SIZE]; /* begins with the PROGRAM_CACHE_OWNER_DIGITS of its owner */
    char *key;                          /* NULL: out of memory */
};

/* Finds the folder, in CACHE_DIRECTORY, XDG_CACHE_HOME or HOME, and the entry of what `parts` says, for an owner
 * (struct lab_run). The caller releases it. */
void program_cache_open(struct program_cache_entry *entry, const char *owner, const json_t *parts);
void program_cache_release(struct program_cache_entry *entry);

/* Copies the program of the entry to `path`, which does not exist, and sets *log to what its compilers printed, which
 * the caller frees. Returns false if there is none. */
bool program_cache_take(const struct program_cache_entry *entry, const char *path, char **log);
/* Keeps the program at `path`, and the beginning of what its compilers printed; NULL: nothing. What fails is not
 * kept. */
void program_cache_keep(const struct program_cache_entry *entry, const char *path, const char *log);

#endif
