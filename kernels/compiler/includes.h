/* Finds the names of the files that a text of C++ includes, without a preprocessor: also those in code that is switched
 * off, but not those that a macro names or that follow a comment in their line.
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

/* Finds the next #include or __has_include from *at on, and moves *at behind it. False at the end of the text. */
bool lab_include_next(const char **at, struct lab_include *include);

/* Writes the path of a file that is named relative to the file `from`: "../b.h" from "a/c/d.h" is "a/b.h". False if the path
 * would be absolute, leave the folder to which `from` is relative, or not fit into LAB_INCLUDE_NAME_MAX bytes. */
bool lab_include_resolve(const char *from, const char *name, char path[LAB_INCLUDE_NAME_MAX]);

#endif
