/* What output.c opens and closes; for the files of this folder. */
#ifndef LAB_HTTP_OUTPUT_PARTS_H
#define LAB_HTTP_OUTPUT_PARTS_H

#include "output.h"

/* refuse.c: libmicrohttpd's MHD_queue_response; NULL when there is none. */
lab_queue_function *lab_http_queue_function(void);

/* static_file.c: the files of static/ (the page), compiled in as lab_assets, with what http.h says of `base_path` (""
 * for none) and `frame_ancestors`: an array whose end is known to these functions. The responses for each file are made
 * once, when the server starts. NULL when out of memory, or when the frame ancestors are too long for a header. */
struct lab_static_file *lab_static_files_create(const char *base_path, const char *const *frame_ancestors);
/* NULL is allowed and does nothing. */
void lab_static_files_free(struct lab_static_file *files);

#endif
