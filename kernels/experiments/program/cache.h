/* Programs that were built before: kept by this user, outside every sandbox, and found by all that they were made of: sources, options,
 * compilers and architecture. The oldest ones are removed when there are many.
 */
#ifndef LAB_PROGRAM_CACHE_H
#define LAB_PROGRAM_CACHE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_CACHE_ENTRIES_MAX = 64 };
#define PROGRAM_CACHE_BYTES_MAX (UINT64_C(512) << 20)

/* An entry, of which there may be none yet. */
struct program_cache_entry {
    char folder[PATH_MAX - 64]; /* of all entries; "": there is no cache, and nothing is found or kept */
    char name[33];
    char *key; /* NULL: out of memory */
};

/* Finds the folder, in CACHE_DIRECTORY, XDG_CACHE_HOME or HOME, and the entry of what `parts` says. The caller releases it. */
void program_cache_open(struct program_cache_entry *entry, const json_t *parts);
void program_cache_release(struct program_cache_entry *entry);

/* Copies the program of the entry to `path`, which does not exist. Returns false if there is none. */
bool program_cache_take(const struct program_cache_entry *entry, const char *path);
/* Keeps the program at `path`. What fails is not kept. */
void program_cache_keep(const struct program_cache_entry *entry, const char *path);

#endif
