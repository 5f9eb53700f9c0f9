#include "message.h"

#include "core/base64.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const lab_channel_kinds[] = {
    [LAB_CHANNEL_WEBHOOK] = "webhook",
    [LAB_CHANNEL_SLACK] = "slack",
    [LAB_CHANNEL_MATRIX] = "matrix",
    [LAB_CHANNEL_EMAIL] = "email",
    NULL,
};

static const char *text_of(const json_t *content, const char *name)
{
    const char *text = json_string_value(json_object_get(content, name));
    return text != NULL ? text : "";
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *webhook_json(const struct lab_notice_row *notice, const json_t *content)
{
    json_t *body = json_copy((json_t *)(uintptr_t)content);
    json_object_set_new(body, "delivery", json_string(notice->delivery));
    return body;
}

/* Of Slack's types of text, plain_text alone has no markup; `text` is what its notifications show, with its three
 * special characters escaped. */
static json_t *slack_json(const json_t *content)
{
    char *escaped = NULL;
    size_t size;
    FILE *out = open_memstream(&escaped, &size);
    for (const char *c = text_of(content, "title"); out != NULL && *c != '\0'; c++) {
        const char *entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : NULL;
        if (entity != NULL)
            fputs(entity, out);
        else
            fputc(*c, out);
    }
    json_t *body = NULL;
    if (out != NULL && fclose(out) == 0)
        body = json_pack("{s:s, s:[{s:s, s:{s:s, s:o}}]}", "text", escaped, "blocks", "type", "section", "text", "type",
                         "plain_text", "text",
                         json_sprintf("%s\n%s", text_of(content, "title"), text_of(content, "text")));
    free(escaped);
    return body;
}

/* m.text without formatted_body is plain text. */
static json_t *matrix_json(const json_t *content)
{
    return json_pack("{s:s, s:o}", "msgtype", "m.text", "body",
                     json_sprintf("%s\n%s", text_of(content, "title"), text_of(content, "text")));
}

/* --- e-mail ------------------------------------------------------------------------------------------------------- */

/* Writes a text as base64 in lines of at most 76 characters. */
static bool write_base64(FILE *out, const char *text)
{
    char *encoded = lab_base64_encode(text, strlen(text));
    for (const char *line = encoded; line != NULL && *line != '\0'; line += strnlen(line, 76))
        fprintf(out, "%.76s\r\n", line);
    free(encoded);
    return encoded != NULL;
}

/* Writes the subject as encoded words (RFC 2047) of at most 45 bytes each, so that it is one header whatever it
 * contains. A character is not divided between two words. */
static bool write_subject(FILE *out, const char *title)
{
    enum { WORD = 45 };
    bool written = true;
    fputs("Subject:", out);
    while (*title != '\0' && written) {
        size_t length = strnlen(title, WORD);
        while (length > 1 && ((unsigned char)title[length] & 0xC0) == 0x80)
            length--;
        char *encoded = lab_base64_encode(title, length);
        written = encoded != NULL;
        fprintf(out, " =?UTF-8?B?%s?=\r\n", written ? encoded : "");
        free(encoded);
        title += length;
    }
    return written;
}

static char *mail_body(const struct lab_channel_row *channel, const struct lab_notice_row *notice,
                       const json_t *content)
{
    char *text = NULL, date[64];
    size_t size;
    struct tm when;
    time_t now = (time_t)(notice->created_at / 1000000);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", gmtime_r(&now, &when));
    fprintf(out, "Date: %s\r\nFrom: %s\r\nTo: %s\r\nMessage-ID: <%s@gpulab>\r\nAuto-Submitted: auto-generated\r\n",
            date, channel->sender, channel->recipient, notice->delivery);
    bool written = write_subject(out, text_of(content, "title"));
    fputs("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
          out);
    written = written && write_base64(out, text_of(content, "text"));
    if (fclose(out) == 0 && written)
        return text;
    free(text);
    return NULL;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

char *lab_message_body(const struct lab_channel_row *channel, const struct lab_notice_row *notice,
                       const json_t *content)
{
    if (strcmp(channel->kind, lab_channel_kinds[LAB_CHANNEL_EMAIL]) == 0)
        return mail_body(channel, notice, content);
    json_t *body = strcmp(channel->kind, lab_channel_kinds[LAB_CHANNEL_SLACK]) == 0    ? slack_json(content)
                   : strcmp(channel->kind, lab_channel_kinds[LAB_CHANNEL_MATRIX]) == 0 ? matrix_json(content)
                                                                                       : webhook_json(notice, content);
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    return text;
}

void lab_message_sign(const char *secret, const char *timestamp, const char *body, char signature[LAB_SIGNATURE_SIZE])
{
    unsigned char digest[32] = {0};
    gnutls_hmac_hd_t handle;
    if (gnutls_hmac_init(&handle, GNUTLS_MAC_SHA256, secret, strlen(secret)) == 0) {
        gnutls_hmac(handle, timestamp, strlen(timestamp));
        gnutls_hmac(handle, ".", 1);
        gnutls_hmac(handle, body, strlen(body));
        gnutls_hmac_deinit(handle, digest);
    }
    int used = snprintf(signature, LAB_SIGNATURE_SIZE, "sha256=");
    for (size_t i = 0; i < sizeof digest; i++)
        used += snprintf(signature + used, LAB_SIGNATURE_SIZE - (size_t)used, "%02x", digest[i]);
}
