#include "delivery.h"

#include "address.h"
#include "message.h"

#include "core/clock.h"
#include "curl_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long timeout_ms = 5000;

/* An attempt in progress. The texts of rows that it needs later are copied: libcurl has most of them. */
struct attempt {
    struct attempt *next;
    struct lab_deliveries *deliveries;
    struct lab_delivery result;
    int64_t channel;
    bool private, email;
    CURL *handle;
    struct curl_slist *list; /* headers, of e-mail recipients */
    char *body;
    size_t read;         /* bytes of the body that were read, of e-mail */
    const char *refused; /* why no connection was opened; NULL: it was not refused */
};

struct lab_deliveries {
    CURLM *multi;
    unsigned own_port;
    struct attempt *attempts;
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
    if (!attempt->private && !lab_address_is_public(&address->addr))
        attempt->refused =
            "It leads to an address of this machine or of a private network; such a channel needs "
            "'private'.";
    else if (attempt->deliveries->own_port != 0 && lab_address_port(&address->addr) == attempt->deliveries->own_port &&
             lab_address_is_own(&address->addr))
        attempt->refused = "It leads to this lab itself.";
    else
        return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    return CURL_SOCKET_BAD;
}

static size_t discard(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes, (void)context;
    return size * count;
}

static size_t read_body(char *buffer, size_t size, size_t count, void *context)
{
    struct attempt *attempt = context;
    size_t left = strlen(attempt->body + attempt->read), length = size * count < left ? size * count : left;
    memcpy(buffer, attempt->body + attempt->read, length);
    attempt->read += length;
    return length;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static bool prepare(CURL *handle, struct attempt *attempt)
{
    return (attempt->email ? lab_curl_allow_smtp(handle) : lab_curl_allow_http(handle)) && lab_curl_trust(handle) &&
           curl_easy_setopt(handle, CURLOPT_PRIVATE, attempt) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           /* no connection of another channel, whose address open_socket did not check for this one */
           curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, attempt) == CURLE_OK &&
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
static bool set_http(struct attempt *attempt, const struct lab_channel_row *channel,
                     const struct lab_notice_row *notice)
{
    bool matrix = is_kind(channel, LAB_CHANNEL_MATRIX);
    char *address = NULL;
    if (asprintf(&address, matrix ? "%s/%s" : "%s%.0s", channel->address, notice->delivery) < 0)
        return false;
    attempt->list = headers_of(channel, notice, attempt->body);
    bool set = curl_easy_setopt(attempt->handle, CURLOPT_URL, address) == CURLE_OK &&
               curl_easy_setopt(attempt->handle, CURLOPT_POSTFIELDS, attempt->body) == CURLE_OK &&
               curl_easy_setopt(attempt->handle, CURLOPT_HTTPHEADER, attempt->list) == CURLE_OK &&
               (!matrix || curl_easy_setopt(attempt->handle, CURLOPT_CUSTOMREQUEST, "PUT") == CURLE_OK);
    free(address);
    return set;
}

/* With a secret, it is not sent without TLS. */
static bool set_mail(struct attempt *attempt, const struct lab_channel_row *channel)
{
    CURL *handle = attempt->handle;
    bool secret = channel->secret != NULL;
    attempt->list = curl_slist_append(NULL, channel->recipient);
    return curl_easy_setopt(handle, CURLOPT_URL, channel->address) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_MAIL_FROM, channel->sender) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, attempt->list) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_READFUNCTION, read_body) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_READDATA, attempt) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_USE_SSL, secret ? CURLUSESSL_ALL : CURLUSESSL_TRY) == CURLE_OK &&
           (!secret || curl_easy_setopt(handle, CURLOPT_USERPWD, channel->secret) == CURLE_OK);
}

/* --- attempts ----------------------------------------------------------------------------------------------------- */

static void conclude(struct attempt *attempt, CURLcode code)
{
    char *error = attempt->result.error;
    long status = 0;
    curl_easy_getinfo(attempt->handle, CURLINFO_RESPONSE_CODE, &status);
    if (attempt->refused != NULL)
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "%s", attempt->refused);
    else if (code != CURLE_OK)
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "%s.", curl_easy_strerror(code));
    else if (!attempt->email && (status < 200 || status > 299))
        snprintf(error, LAB_DELIVERY_ERROR_SIZE, "The receiver answered with status %ld.", status);
    else
        attempt->result.sent = true;
}

static void free_attempt(struct attempt *attempt)
{
    if (attempt->handle != NULL) {
        curl_multi_remove_handle(attempt->deliveries->multi, attempt->handle);
        curl_easy_cleanup(attempt->handle);
    }
    curl_slist_free_all(attempt->list);
    free(attempt->body);
    free(attempt);
}

struct lab_deliveries *lab_deliveries_create(unsigned own_port)
{
    struct lab_deliveries *deliveries = calloc(1, sizeof *deliveries);
    if (deliveries == NULL)
        return NULL;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    deliveries->own_port = own_port;
    deliveries->multi = curl_multi_init();
    if (deliveries->multi != NULL)
        return deliveries;
    free(deliveries);
    return NULL;
}

void lab_deliveries_free(struct lab_deliveries *deliveries)
{
    if (deliveries == NULL)
        return;
    for (struct attempt *attempt; (attempt = deliveries->attempts) != NULL;) {
        deliveries->attempts = attempt->next;
        free_attempt(attempt);
    }
    curl_multi_cleanup(deliveries->multi);
    free(deliveries);
}

/* Whether the transfer was begun. */
static bool begin(struct attempt *attempt, const struct lab_channel_row *channel, const struct lab_notice_row *notice)
{
    json_t *content = json_loads(notice->content, 0, NULL);
    attempt->body = content != NULL ? lab_message_body(channel, notice, content) : NULL;
    attempt->handle = curl_easy_init();
    json_decref(content);
    return attempt->body != NULL && attempt->handle != NULL && prepare(attempt->handle, attempt) &&
           (attempt->email ? set_mail(attempt, channel) : set_http(attempt, channel, notice)) &&
           curl_multi_add_handle(attempt->deliveries->multi, attempt->handle) == CURLM_OK;
}

void lab_deliveries_begin(struct lab_deliveries *deliveries, const struct lab_channel_row *channel,
                          const struct lab_notice_row *notice)
{
    struct attempt *attempt = calloc(1, sizeof *attempt);
    if (attempt == NULL)
        return;
    attempt->deliveries = deliveries;
    attempt->result = (struct lab_delivery){.notice = notice->id, .attempts = notice->attempts};
    attempt->channel = channel->id;
    attempt->private = channel->private;
    attempt->email = is_kind(channel, LAB_CHANNEL_EMAIL);
    attempt->next = deliveries->attempts;
    deliveries->attempts = attempt;
    if (!begin(attempt, channel, notice))
        snprintf(attempt->result.error, sizeof attempt->result.error, "Out of memory.");
}

bool lab_deliveries_has(const struct lab_deliveries *deliveries, int64_t channel)
{
    const struct attempt *attempt = deliveries->attempts;
    while (attempt != NULL && attempt->channel != channel)
        attempt = attempt->next;
    return attempt != NULL;
}

static bool has_ended(const struct attempt *attempt)
{
    return attempt->result.sent || attempt->result.error[0] != '\0';
}

void lab_deliveries_proceed(struct lab_deliveries *deliveries, double wait_s,
                            bool (*ended)(void *context, const struct lab_delivery *delivery), void *context)
{
    struct attempt **place = &deliveries->attempts, *attempt;
    const CURLMsg *message;
    int count;
    bool waits = true;
    curl_multi_perform(deliveries->multi, &count);
    while ((message = curl_multi_info_read(deliveries->multi, &count)) != NULL)
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &attempt) == CURLE_OK)
            conclude(attempt, message->data.result);
    while ((attempt = *place) != NULL) {
        if (!has_ended(attempt) || !ended(context, &attempt->result)) {
            place = &attempt->next;
            continue;
        }
        *place = attempt->next;
        free_attempt(attempt);
        waits = false;
    }
    if (waits)
        curl_multi_poll(deliveries->multi, NULL, 0, (int)(wait_s * 1000), NULL);
}

void lab_deliveries_wake(struct lab_deliveries *deliveries)
{
    curl_multi_wakeup(deliveries->multi);
}
