/* A notice in the format of each kind of channel. */
#ifndef LAB_NOTICES_MESSAGE_H
#define LAB_NOTICES_MESSAGE_H

#include "notices.h"

#include <jansson.h>

enum { LAB_SIGNATURE_SIZE = 72 };

/* The body to send: JSON, or of e-mail a whole message (RFC 5322) whose text is in base64. `content` is that of the
 * notice, an object with the texts `title` and `text`. The caller frees it; NULL when out of memory. */
char *lab_message_body(const struct lab_channel_row *channel, const struct lab_notice_row *notice,
                       const json_t *content);
/* "sha256=" and the HMAC-SHA256 of "TIMESTAMP.BODY" in hexadecimal digits. */
void lab_message_sign(const char *secret, const char *timestamp, const char *body, char signature[LAB_SIGNATURE_SIZE]);

#endif
