#include "transfer/linkoptions.h"

#include <inttypes.h>
#include <string.h>

#define TOKEN_DIGITS 64

const char *const transfer_roles[] = {"receiver", "sender", NULL};
const char *const link_families[] = {"ipv4", "ipv6", NULL};

bool linkoptions_complete(struct parser *parser, const struct link_options *options)
{
    if (options->port_first > options->port_last || (options->port_last && !options->port_first))
        return plan_refuse(parser, "port_first=%" PRIu64 " and port_last=%" PRIu64 " are no range; set both, or neither",
                           options->port_first, options->port_last);
    if (options->senders * options->streams > PATH_STREAMS_MOST)
        return plan_refuse(parser, "streams=%" PRIu64 ": %" PRIu64 " senders have more than %d together; use fewer",
                           options->streams, options->senders, PATH_STREAMS_MOST);
    if (options->sender >= options->senders)
        return plan_refuse(parser, "sender=%" PRIu64 ": must be less than senders=%" PRIu64, options->sender, options->senders);
    if (options->senders > 1 && options->listener != ROLE_RECEIVER)
        return plan_refuse(parser, "listener=sender: with senders=%" PRIu64 " only the receiver can listen; use listener=receiver",
                           options->senders);
    return true;
}

static bool is_token(const char *token)
{
    return token && strlen(token) == TOKEN_DIGITS && strspn(token, "0123456789abcdefABCDEF") == TOKEN_DIGITS;
}

bool linkoptions_check(struct parser *parser, const struct plan *plan, struct link_options *options)
{
    const char *role = plan->role ? plan->role : "(none)";
    options->role = strcmp(role, transfer_roles[ROLE_SENDER]) == 0 ? ROLE_SENDER : ROLE_RECEIVER;
    if (strcmp(role, transfer_roles[options->role]) != 0)
        return plan_refuse(parser, "role=%s: of the plan must be sender or receiver with job=%s", role, plan->job);
    if (!is_token(plan->token)) /* its value is secret, even a wrong one */
        return plan_refuse(parser, "token: of the plan must be %d hexadecimal digits with job=%s", TOKEN_DIGITS, plan->job);
    return plan->barrier ||
           plan_refuse(parser, "barrier=no: of the plan must be yes with job=%s, because its ends start together", plan->job);
}
