/* libmicrohttpd's callbacks, which take a request through the server. In all of them, `context` is a struct
 * lab_http. */
#ifndef LAB_HTTP_CALLBACKS_H
#define LAB_HTTP_CALLBACKS_H

#include <microhttpd.h>
#include <stddef.h>

/* Called when a connection was opened or closed. */
void lab_connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
/* Called when the request line was read. Returns the request. */
void *lab_connection_begin(void *context, const char *target, struct MHD_Connection *mhd);
/* Called when the headers are complete, then for each piece of the body, then once the body is complete. */
enum MHD_Result lab_connection_handle(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                                      const char *version, const char *upload, size_t *upload_size,
                                      void **request_context);
/* Called when the response was sent, or the connection was lost. */
void lab_connection_end(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code);

#endif
