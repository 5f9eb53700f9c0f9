/* Finds the names of the files that a text of C++ may include, without a preprocessor: every name in a directive, also
 * in code that is switched off, and in the definition of a macro, which an #include may name. A name that is not there
 * as a whole, because macros put it together, is not found.
 */
#ifndef LAB_INCLUDES_H
#define LAB_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_INCLUDE_NAME_MAX = 256 }; /* with the NUL; longer names are not found */

struct lab_include {
    char name[LAB_INCLUDE_NAME_MAX];
    bool quoted; /* "name", which is searched beside the including file first; false: <name> */
};

/* Where the search has come to. Initialise with {TEXT}. */
struct lab_include_search {
    const char *at;
    bool in_directive;
};

/* Finds the next name. False at the end of the text. */
bool lab_include_next(struct lab_include_search *search, struct lab_include *include);

/* Writes the path of a file that is named relative to the file `from`: "../b.h" from "a/c/d.h" is "a/b.h". False if the
 * path would be absolute, leave the folder to which `from` is relative, or not fit into LAB_INCLUDE_NAME_MAX bytes. */
bool lab_include_resolve(const char *from, const char *name, char path[LAB_INCLUDE_NAME_MAX]);

#endif
