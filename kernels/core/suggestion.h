/* Finds, of the names that are allowed, the one that was probably meant by a name that is not. */
#ifndef LAB_SUGGESTION_H
#define LAB_SUGGESTION_H

#include <stddef.h>

enum { LAB_SUGGESTION_NAME_MAX = 32, LAB_SUGGESTION_SIZE = LAB_SUGGESTION_NAME_MAX + sizeof " Did you mean ''?" };

/* A search. The caller sets `given` and `length`, the number of its bytes; the rest begins with 0. */
struct lab_suggestion {
    const char *given;
    size_t length;
    const char *name; /* NULL: no name is near */
    size_t distance;  /* of `name` */
};

/* Takes `name`, borrowed, if it is near `given` and nearer than the names before it. Near: the edit distance is at most
 * a third of the bytes of `given`. A swap of neighbours counts as one edit, and case is ignored. Texts of more than
 * LAB_SUGGESTION_NAME_MAX bytes are near nothing. */
void lab_suggestion_consider(struct lab_suggestion *suggestion, const char *name);

/* Writes " Did you mean 'NAME'?", or nothing if no name is near. Returns `text`. */
const char *lab_suggestion_text(const struct lab_suggestion *suggestion, char text[LAB_SUGGESTION_SIZE]);

#endif
