/* The files of static/ (the page), compiled in as lab_assets. The responses for each file are made once, when the
 * server starts.
 */
#ifndef LAB_HTTP_STATIC_FILE_H
#define LAB_HTTP_STATIC_FILE_H

#include "http/http.h"

struct lab_static_file;

/* The list of all files, with what http.h says of `base_path` ("" for none) and `frame_ancestors`; NULL when out of
 * memory, or when the latter are too long for a header. */
struct lab_static_file *lab_static_files_create(const char *base_path, const char *const *frame_ancestors);
/* NULL is allowed and does nothing. */
void lab_static_files_free(struct lab_static_file *files);
/* The file at a path; index.html for a path that the page interprets itself ("/runs/ID"); NULL when there is none. */
const struct lab_static_file *lab_static_file_find(const struct lab_static_file *files, const char *path,
                                                   size_t length);
/* Responds with the file, compressed if the client accepts that. */
void lab_static_file_respond(const struct lab_static_file *file, const struct lab_request *request,
                             struct lab_response *response);

#endif
