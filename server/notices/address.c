#include "address.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>

/* --- addresses of networks ---------------------------------------------------------------------------------------- */

struct range {
    uint32_t first;
    int bits;
};

static const struct range special_ranges[] = {
    {0x00000000, 8},                    /* this network */
    {0x0A000000, 8},                    /* private */
    {0x64400000, 10},                   /* of providers (CGNAT) */
    {0x7F000000, 8},                    /* loopback */
    {0xA9FE0000, 16},                   /* link-local */
    {0xAC100000, 12},                   /* private */
    {0xC0000000, 24},                   /* of protocols */
    {0xC0000200, 24},                   /* of documentation */
    {0xC0A80000, 16},                   /* private */
    {0xC6120000, 15},                   /* of benchmarks */
    {0xC6336400, 24}, {0xCB007100, 24}, /* of documentation */
    {0xE0000000, 3},                    /* multicast and reserved */
};

static bool is_public_v4(uint32_t address)
{
    for (size_t i = 0; i < sizeof special_ranges / sizeof *special_ranges; i++)
        if ((address ^ special_ranges[i].first) >> (32 - special_ranges[i].bits) == 0)
            return false;
    return true;
}

/* The last 32 bits, or those from byte `at` on, as an IPv4 address. */
static uint32_t v4_in(const unsigned char *bytes, size_t at)
{
    return (uint32_t)bytes[at] << 24 | (uint32_t)bytes[at + 1] << 16 | (uint32_t)bytes[at + 2] << 8 | bytes[at + 3];
}

/* Of IPv6, 2000::/3 is public, but for what stands for an IPv4 address (6to4) or is special. */
static bool is_public_v6(const unsigned char *bytes)
{
    static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF}, nat64[12] = {0x00, 0x64, 0xFF, 0x9B};
    if (memcmp(bytes, mapped, sizeof mapped) == 0 || memcmp(bytes, nat64, sizeof nat64) == 0)
        return is_public_v4(v4_in(bytes, 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02)
        return is_public_v4(v4_in(bytes, 2));
    bool is_teredo_or_protocol = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02;
    bool is_documentation = memcmp(bytes, "\x20\x01\x0d\xb8", 4) == 0;
    return bytes[0] >> 5 == 1 && !is_teredo_or_protocol && !is_documentation;
}

bool lab_address_is_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return is_public_v4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
    return address->sa_family == AF_INET6 && is_public_v6(((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr);
}

unsigned lab_address_port(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    return address->sa_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)address)->sin6_port) : 0;
}

/* The 16 bytes of an address, an IPv4 one as ::ffff:a.b.c.d. */
static bool bytes_of(const struct sockaddr *address, unsigned char bytes[16])
{
    memset(bytes, 0, 16);
    if (address->sa_family == AF_INET6) {
        memcpy(bytes, ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr, 16);
        return true;
    }
    bytes[10] = bytes[11] = 0xFF;
    if (address->sa_family == AF_INET)
        memcpy(bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return address->sa_family == AF_INET;
}

bool lab_address_is_own(const struct sockaddr *address)
{
    static const unsigned char any[16] = {0}, loopback[16] = {[15] = 1}, any_v4[16] = {[10] = 0xFF, [11] = 0xFF};
    unsigned char wanted[16], own[16];
    struct ifaddrs *list = NULL;
    if (!bytes_of(address, wanted))
        return false;
    bool is_own = memcmp(wanted, any, 16) == 0 || memcmp(wanted, loopback, 16) == 0 ||
                  memcmp(wanted, any_v4, 16) == 0 || (memcmp(wanted, any_v4, 12) == 0 && wanted[12] == 127);
    if (is_own || getifaddrs(&list) != 0)
        return is_own;
    for (const struct ifaddrs *each = list; each != NULL && !is_own; each = each->ifa_next)
        is_own = each->ifa_addr != NULL && bytes_of(each->ifa_addr, own) && memcmp(wanted, own, 16) == 0;
    freeifaddrs(list);
    return is_own;
}

/* --- URLs --------------------------------------------------------------------------------------------------------- */

static bool has_part(CURLU *url, CURLUPart which)
{
    char *part = NULL;
    bool has = curl_url_get(url, which, &part, 0) == CURLUE_OK;
    curl_free(part);
    return has;
}

bool lab_channel_address_is_valid(enum lab_channel_kind kind, const char *address)
{
    static const char *const schemes[2][2] = {{"http", "https"}, {"smtp", "smtps"}};
    CURLU *url = curl_url();
    char *scheme = NULL;
    bool valid = url != NULL && curl_url_set(url, CURLUPART_URL, address, 0) == CURLUE_OK &&
                 curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK && !has_part(url, CURLUPART_USER) &&
                 !has_part(url, CURLUPART_PASSWORD) && !has_part(url, CURLUPART_FRAGMENT);
    const char *const *allowed = schemes[kind == LAB_CHANNEL_EMAIL];
    valid = valid && (strcmp(scheme, allowed[0]) == 0 || strcmp(scheme, allowed[1]) == 0);
    for (const char *c = address; valid && *c != '\0'; c++)
        valid = (unsigned char)*c > ' ' && *c != 0x7F;
    curl_free(scheme);
    curl_url_cleanup(url);
    return valid;
}

bool lab_mail_address_is_valid(const char *address)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+-";
    const char *at = strchr(address, '@');
    return at != NULL && at != address && at[1] != '\0' && strchr(at + 1, '@') == NULL &&
           address[strspn(address, allowed)] == '\0';
}
