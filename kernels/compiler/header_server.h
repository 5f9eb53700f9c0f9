/* A process that finds headers for the compiler, which cannot open files in its sandbox. It is started before the
 * sandbox is entered, finds what headers.h finds and nothing else, whatever it is asked for, and ends with the
 * compiler.
 */
#ifndef LAB_HEADER_SERVER_H
#define LAB_HEADER_SERVER_H

#include "headers.h"

/* Starts the process, with a copy of `headers`. Returns the descriptor that lab_header_server_ask takes; -1 if it
 * cannot be started. */
int lab_header_server_start(struct lab_headers *headers, const char *const *folders);

/* Adds to `headers` what lab_headers_add adds in the process. False if that is nothing, or the process cannot be
 * asked. */
bool lab_header_server_ask(int server, const char *name, const char *from, struct lab_headers *headers);

#endif
