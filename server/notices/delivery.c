#include "delivery.h"

#include "address.h"
#include "message.h"

#include "core/clock.h"
#include "curl_protocols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const long timeout_ms = 5000;

struct attempt {
    const struct lab_delivery_options *options;
    const struct lab_channel_row *channel;
    const char *body; /* that is still to be sent */
    size_t left;
    const char *refused; /* why no connection was opened; NULL: it was not refused */
};

static bool is_kind(const struct lab_channel_row *channel, enum lab_channel_kind kind)
{
    return strcmp(channel->kind, lab_channel_kinds[kind]) == 0;
}

/* --- libcurl's callbacks ------------------------------------------------------------------------------------------ */

/* Opens the socket for an address that was resolved, unless the channel may not lead there. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct attempt *attempt = context;
    (void)purpose;
    if (!attempt->channel->private && !lab_address_is_public(&address->addr))
        attempt->refused =
            "It leads to an address of this machine or of a private network; such a channel needs "
            "'private'.";
    else if (attempt->options->own_port != 0 && lab_address_port(&address->addr) == attempt->options->own_port &&
             lab_address_is_own(&address->addr))
        attempt->refused = "It leads to this lab itself.";
    else
        return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    return CURL_SOCKET_BAD;
}

static int check_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct attempt *attempt = context;
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(attempt->options->stopping);
}

static size_t discard(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes, (void)context;
    return size * count;
}

static size_t read_body(char *buffer, size_t size, size_t count, void *context)
{
    struct attempt *attempt = context;
    size_t length = size * count < attempt->left ? size * count : attempt->left;
    memcpy(buffer, attempt->body, length);
    attempt->body += length;
    attempt->left -= length;
    return length;
}

/* --- requests ------------------------------------------------------------------------------------------------------- */

static bool prepare(CURL *handle, struct attempt *attempt)
{
    bool email = is_kind(attempt->channel, LAB_CHANNEL_EMAIL);
    return (email ? lab_curl_allow_smtp(handle) : lab_curl_allow_http(handle)) &&
           curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, attempt) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, check_progress) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_XFERINFODATA, attempt) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, discard) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_USERAGENT, "gpulab") == CURLE_OK;
}

static struct curl_slist *add_header(struct curl_slist *list, const char *name, const char *value)
{
    char line[640]; /* of a name and a value of at most 512 bytes */
    snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = curl_slist_append(list, line);
    return longer != NULL ? longer : list;
}

static struct curl_slist *headers_of(const struct lab_channel_row *channel, const struct lab_notice_row *notice,
                                     const char *body)
{
    struct curl_slist *list = add_header(NULL, "Content-Type", "application/json");
    list = add_header(list, "Expect", ""); /* libcurl must not wait for "100 Continue" */
    char text[512], signature[LAB_SIGNATURE_SIZE], timestamp[24];
    if (is_kind(channel, LAB_CHANNEL_MATRIX) && channel->secret != NULL) {
        snprintf(text, sizeof text, "Bearer %s", channel->secret);
        return add_header(list, "Authorization", text);
    }
    if (!is_kind(channel, LAB_CHANNEL_WEBHOOK))
        return list;
    snprintf(timestamp, sizeof timestamp, "%" PRId64, lab_time_now() / 1000000);
    list = add_header(list, "X-Gpulab-Delivery", notice->delivery);
    list = add_header(list, "X-Gpulab-Timestamp", timestamp);
    if (channel->secret == NULL)
        return list;
    lab_message_sign(channel->secret, timestamp, body, signature);
    return add_header(list, "X-Gpulab-Signature", signature);
}

/* Matrix takes the id of the delivery as the last part of the address, so that a repetition is not shown twice. */
static bool set_http(CURL *handle, const struct lab_channel_row *channel, const struct lab_notice_row *notice,
                     const char *body, struct curl_slist *headers)
{
    bool matrix = is_kind(channel, LAB_CHANNEL_MATRIX);
    char *address = NULL;
    if (asprintf(&address, matrix ? "%s/%s" : "%s%.0s", channel->address, notice->delivery) < 0)
        return false;
    bool set = curl_easy_setopt(handle, CURLOPT_URL, address) == CURLE_OK &&
               curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body) == CURLE_OK &&
               curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
               (!matrix || curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "PUT") == CURLE_OK);
    free(address);
    return set;
}

/* With a secret, it is not sent without TLS. */
static bool set_mail(CURL *handle, struct attempt *attempt, struct curl_slist *recipients)
{
    const struct lab_channel_row *channel = attempt->channel;
    bool secret = channel->secret != NULL;
    return curl_easy_setopt(handle, CURLOPT_URL, channel->address) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_MAIL_FROM, channel->sender) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_READFUNCTION, read_body) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_READDATA, attempt) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_USE_SSL, secret ? CURLUSESSL_ALL : CURLUSESSL_TRY) == CURLE_OK &&
           (!secret || curl_easy_setopt(handle, CURLOPT_USERPWD, channel->secret) == CURLE_OK);
}

static bool conclude(CURL *handle, const struct attempt *attempt, CURLcode code, char error[LAB_DELIVERY_ERROR_SIZE])
{
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (attempt->refused != NULL)
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "%s", attempt->refused);
    else if (code != CURLE_OK)
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "%s.", curl_easy_strerror(code));
    else if (!is_kind(attempt->channel, LAB_CHANNEL_EMAIL) && (status < 200 || status > 299))
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "The receiver answered with status %ld.", status);
    else
        return true;
    return false;
}

bool lab_deliver(const struct lab_delivery_options *options, const struct lab_channel_row *channel,
                 const struct lab_notice_row *notice, char error[LAB_DELIVERY_ERROR_SIZE])
{
    json_t *content = json_loads(notice->content, 0, NULL);
    char *body = content != NULL ? lab_message_body(channel, notice, content) : NULL;
    CURL *handle = curl_easy_init();
    struct attempt attempt = {.options = options, .channel = channel, .body = body};
    bool email = is_kind(channel, LAB_CHANNEL_EMAIL), delivered = false;
    struct curl_slist *list = NULL;
    snprintf(error, LAB_DELIVERY_ERROR_SIZE, "Out of memory.");
    if (body != NULL && handle != NULL && prepare(handle, &attempt)) {
        attempt.left = strlen(body);
        list = email ? curl_slist_append(NULL, channel->recipient) : headers_of(channel, notice, body);
        if (email ? set_mail(handle, &attempt, list) : set_http(handle, channel, notice, body, list))
            delivered = conclude(handle, &attempt, curl_easy_perform(handle), error);
    }
    curl_slist_free_all(list);
    curl_easy_cleanup(handle);
    free(body);
    json_decref(content);
    return delivered;
}
