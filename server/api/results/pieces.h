/* Bodies that are made of pieces of text, for results that may be too large for memory. */
#ifndef LAB_PIECES_H
#define LAB_PIECES_H

#include "http/http.h"

#include <stdio.h>

enum lab_piece {
    LAB_PIECE_MORE, /* call again */
    LAB_PIECE_LAST,
    LAB_PIECE_FAILED, /* the body cannot be completed: it is broken off */
};

/* Who makes the pieces. `next` writes one to `out`, some KiB; it reads a page of rows and keeps no transaction open.
 * `release` frees `context`. Both are called as those of lab_respond_stream. */
struct lab_pieces {
    enum lab_piece (*next)(void *context, FILE *out);
    void (*release)(void *context);
    void *context;
};

/* Responds with 200 and the pieces. `content_type` is a constant. Takes the context, also when memory runs out. */
void lab_respond_pieces(struct lab_response *response, const char *content_type, const struct lab_pieces *pieces);

#endif
