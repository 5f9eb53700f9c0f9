/* Output: what a handler responds becomes bytes for the client: JSON, text, problem documents, files of the page,
 * bodies that are produced while they are sent, event streams. The functions that handlers call are in http.h. */
#ifndef LAB_HTTP_OUTPUT_H
#define LAB_HTTP_OUTPUT_H

#include "http/connection/connection.h"

struct lab_static_file;

/* Sets the members of the server that this part needs: the cache, the files of the page, libmicrohttpd's function that
 * queues a response. False when out of memory, or when the frame ancestors of the options are too long for a header. */
bool lab_output_open(struct lab_http *http, const struct lab_http_options *options);
/* Frees them. */
void lab_output_close(struct lab_http *http);

/* --- response.c --------------------------------------------------------------------------------------------------- */

/* Sets status and body, in place of those that were set before. Takes over `body` (from malloc; NULL: none). */
void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length);
/* The value of a header that was added; NULL when there is none. */
const char *lab_response_header(const struct lab_response *response, const char *name);
/* Frees what the response owns and clears it. */
void lab_response_release(struct lab_response *response);

/* --- respond.c ---------------------------------------------------------------------------------------------------- */

/* Finds the response of the request's route in the cache; false when it is not there. Writes response->cache_tag. */
bool lab_response_from_cache(struct lab_response *response);
/* Makes libmicrohttpd's response and stores it in the cache if it has a cache_tag. Any thread. */
void lab_response_make(struct lab_response *response);
/* Gives the response to libmicrohttpd, with 304 when the client has it already (If-None-Match). Only on libmicrohttpd's
 * thread. */
enum MHD_Result lab_response_send(struct lab_response *response);

/* --- problem.c ---------------------------------------------------------------------------------------------------- */

/* Responds to a rejected request. */
void lab_respond_rejection(const struct lab_request *request, struct lab_response *response);
/* A problem document with its status line and headers, as bytes for the socket. The caller frees it; NULL when out of
 * memory. */
char *lab_problem_bytes(const char *path, enum lab_error_code code, const char *detail);

/* --- refuse.c ----------------------------------------------------------------------------------------------------- */

/* Writes a problem document to the socket, and lets the acceptor drain it. No response has been sent; the caller makes
 * libmicrohttpd close the connection. Later calls for a connection do nothing. */
void lab_connection_refuse(struct lab_connection *connection, enum lab_error_code code, const char *detail);

/* --- static_file.c ------------------------------------------------------------------------------------------------ */

/* The file at a path; index.html for a path that the page interprets itself ("/runs/ID"); NULL when there is none. */
const struct lab_static_file *lab_static_file_find(const struct lab_static_file *files, const char *path,
                                                   size_t length);
/* Responds with the request's file, compressed if the client accepts that; with what the request's page writes into its
 * head, if it has one. */
void lab_static_file_respond(const struct lab_request *request, struct lab_response *response);

/* --- stream.c: the open event streams; lab_respond_events (http.h) opens one -------------------------------------- */

/* Wakes the streams whose client has left or whose heartbeat is due. The acceptor's thread calls it at each tick. */
void lab_streams_tick(struct lab_http *http);
/* Wakes all streams, so that they end when http->stopping is set. */
void lab_streams_end(struct lab_http *http);
/* Responds that no place is left (LAB_SHARE_STREAMS), for an event stream or a request that is answered later. */
void lab_stream_refuse(struct lab_response *response);

#endif
