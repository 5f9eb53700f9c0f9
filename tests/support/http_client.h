/* A client for the tests of server/http. It sends raw bytes, also requests that no HTTP library would send, and reads
 * responses one by one from a connection that stays open.
 */
#ifndef LAB_HTTP_CLIENT_H
#define LAB_HTTP_CLIENT_H

#include "core/clock.h"
#include "http/http.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLIENT_TIMEOUT_MS = 10000, CLIENT_BUFFER = 1 << 20 };

/* A connection; `buffer` holds the bytes that were received and not yet read. */
struct client {
    int socket;
    char *buffer;
    size_t length;
};

struct answer {
    int status; /* 0: the connection ended instead */
    char headers[8192];
    char *body; /* NUL-terminated */
    size_t length;
};

void client_sleep(double seconds);
struct client client_of(int socket);
int client_port(const struct lab_http *http);
struct client client_connect(const struct lab_http *http);
struct client client_connect_local(const char *path);
void client_close(struct client *client);

/* False when the server has closed the connection. */
bool client_send_bytes(const struct client *client, const char *bytes, size_t length);
bool client_send(const struct client *client, const char *text);

/* Receives more bytes into the buffer. 1 when some came, 0 at the end of the connection, -1 when none came in time. */
int client_more(struct client *client, int wait_ms);
void client_drop(struct client *client, size_t length);

/* True when the connection ends within the time; bytes before its end are received. */
bool client_ends(struct client *client, int wait_ms);

/* True when the text is received within the time. */
bool client_sees(struct client *client, const char *text, int wait_ms);

/* A header's value, copied into `value`; NULL when it is absent. */
const char *answer_header(const struct answer *answer, const char *name, char value[512]);

/* Reads the next response. `head`: it is the response to a HEAD request and so has no body. */
struct answer client_answer(struct client *client, bool head);

/* Sends a whole request on the connection and reads the response. */
struct answer client_ask(struct client *client, const char *request);

/* Sends a whole request on a new connection, reads the response and closes the connection. */
struct answer ask(const struct lab_http *http, const char *request);
struct answer get(const struct lab_http *http, const char *target);
struct answer post(const struct lab_http *http, const char *target, const char *body);
void answer_free(struct answer *answer);

/* Checks that a response is a problem document with this status and code, and returns it (a new reference). */
json_t *answer_problem(const struct answer *answer, int status, const char *code);
void expect_problem(struct answer answer, int status, const char *code);
void expect_status(struct answer answer, int status);

#endif
