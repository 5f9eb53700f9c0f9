/* server/notices/address.c: which addresses a channel may have, and may connect to. */
#include "notices/address.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* The address as a socket has it. */
static bool check(const char *text, bool (*what)(const struct sockaddr *address))
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        return what((const struct sockaddr *)&four);
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return what((const struct sockaddr *)&six);
}

TEST(test_public)
{
    static const char *const public[] = {"8.8.8.8",      "1.0.0.1",        "172.15.0.1",       "172.32.0.1",
                                         "192.167.1.1",  "100.63.0.1",     "100.128.0.1",      "223.255.255.255",
                                         "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"};
    static const char *const special[] = {
        "0.0.0.0",          "10.0.0.1",       "127.0.0.1",     "127.255.0.1", "169.254.169.254",
        "172.16.0.1",       "172.31.9.9",     "192.168.1.1",   "100.64.0.1",  "224.0.0.1",
        "255.255.255.255",  "198.18.0.1",     "192.0.2.1",     "::",          "::1",
        "fe80::1",          "fc00::1",        "fd12::1",       "ff02::1",     "::ffff:10.0.0.1",
        "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "2001:db8::1", "2001:0:1::1",
        "::8.8.8.8",        "5f00::1"};
    for (size_t i = 0; i < sizeof public / sizeof *public; i++)
        if (!check(public[i], lab_address_is_public))
            fail_msg("%s is public", public[i]);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (check(special[i], lab_address_is_public))
            fail_msg("%s is not public", special[i]);
}

TEST(test_own)
{
    assert_true(check("127.0.0.1", lab_address_is_own));
    assert_true(check("127.9.9.9", lab_address_is_own));
    assert_true(check("0.0.0.0", lab_address_is_own));
    assert_true(check("::1", lab_address_is_own));
    assert_true(check("::ffff:127.0.0.1", lab_address_is_own));
    assert_false(check("8.8.8.8", lab_address_is_own));
    assert_false(check("2a00:1450::1", lab_address_is_own));
}

TEST(test_urls)
{
    static const char *const web[] = {"https://hooks.example/x?y=1", "http://10.0.0.1:8080/", "http://[::1]:80/a"};
    static const char *const wrong[] = {
        "",         "hooks.example", "ftp://a/",     "file:///etc/passwd", "https://u:p@a/",
        "smtp://a", "http://a/#b",   "http://a/b c", "http://a/\r\nX: y",  "gopher://a/"};
    for (size_t i = 0; i < sizeof web / sizeof *web; i++)
        assert_true(lab_channel_address_is_valid(LAB_CHANNEL_WEBHOOK, web[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (lab_channel_address_is_valid(LAB_CHANNEL_SLACK, wrong[i]))
            fail_msg("%s is refused", wrong[i]);
    assert_true(lab_channel_address_is_valid(LAB_CHANNEL_EMAIL, "smtps://mail.example:465"));
    assert_false(lab_channel_address_is_valid(LAB_CHANNEL_EMAIL, "https://mail.example"));
    assert_true(lab_mail_address_is_valid("ada+lab@example.org"));
    assert_false(lab_mail_address_is_valid("ada@example.org>\r\nBcc: eve@example.org"));
    assert_false(lab_mail_address_is_valid("ada"));
    assert_false(lab_mail_address_is_valid("a@b@c"));
}
