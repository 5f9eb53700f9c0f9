/* The certificate of the TCP address and its key, which can be replaced while the server runs: a connection keeps the
 * pair that it began with. TLS itself is libmicrohttpd's, with GnuTLS.
 */
#ifndef LAB_HTTP_TLS_H
#define LAB_HTTP_TLS_H

#include "core/errors.h"

#include <gnutls/gnutls.h>

struct lab_tls;
struct lab_tls_pair; /* a certificate and its key */

/* The versions and ciphers that are accepted: TLS 1.2 and newer. */
extern const char lab_tls_priorities[];

/* Reads a certificate, with the chain of its issuers, and its key from two PEM files. The paths must outlive the
 * result. NULL with *error when they cannot be read or do not belong together. */
struct lab_tls *lab_tls_create(const char *certificate, const char *key, struct lab_error *error);
/* NULL is allowed and does nothing. */
void lab_tls_free(struct lab_tls *tls);
/* Reads the files again, for connections that are accepted from now on. False with *error when they are not valid; the
 * pair that was read before is kept. Any thread. */
bool lab_tls_reload(struct lab_tls *tls, struct lab_error *error);

/* The first pair as PEM texts, which libmicrohttpd needs to start. */
const char *lab_tls_certificate(const struct lab_tls *tls);
const char *lab_tls_key(const struct lab_tls *tls);

/* Gives a session that has not begun its handshake the current pair, which must be released after the session has
 * ended. */
struct lab_tls_pair *lab_tls_use(struct lab_tls *tls, gnutls_session_t session);
/* NULL is allowed and does nothing. */
void lab_tls_release(struct lab_tls *tls, struct lab_tls_pair *pair);

#endif
