#include "observe/fields.h"

#include <inttypes.h>
#include <string.h>

#define HOUR_MS 3600000ull
#define BYTES_MOST (1ull << 60)

static const char *const inputs[] = {"files", "records", "memory", NULL};
static const char *const roles[] = {"receiver", "sender", NULL};

const struct field observe_fields[] = {
    WORD(struct observe_trial, input, inputs),
    OPTIONAL_NUMBER(struct observe_trial, files, 0, TOOL_FILES_MOST, 0),
    OPTIONAL_NUMBER(struct observe_trial, file_bytes, 0, BYTES_MOST, 0),
    OPTIONAL_NUMBER(struct observe_trial, records, 0, RECORDS_MOST, 0),
    OPTIONAL_NUMBER(struct observe_trial, record_bytes, 0, TOOL_RECORD_BYTES_MOST, 0),
    OPTIONAL_NUMBER(struct observe_trial, port, TOOL_PORT_LEAST, TOOL_PORT_MOST, 0),
    OPTIONAL_NUMBER(struct observe_trial, quiet_ms, 0, HOUR_MS, 0),
    {.name = NULL},
};

bool observe_complete(struct parser *parser, struct trial *common)
{
    struct observe_trial *trial = (struct observe_trial *)common;
    const bool files = trial->input == INPUT_FILES, records = trial->input == INPUT_RECORDS;
    if (files != (trial->files && trial->file_bytes))
        return plan_refuse(parser, "files=%" PRIu64 " and file_bytes=%" PRIu64 " do not fit input=%s; give both with files only",
                           trial->files, trial->file_bytes, inputs[trial->input]);
    if (records != (trial->records && trial->record_bytes))
        return plan_refuse(parser,
                           "records=%" PRIu64 " and record_bytes=%" PRIu64 " do not fit input=%s; give both with records only",
                           trial->records, trial->record_bytes, inputs[trial->input]);
    if (records && trial->record_bytes < TOOL_RECORD_BYTES_LEAST)
        return plan_refuse(parser, "record_bytes=%" PRIu64 " is shorter than %d, a record's number and the end of its line",
                           trial->record_bytes, TOOL_RECORD_BYTES_LEAST);
    if (files && trial->files > BYTES_MOST / trial->file_bytes)
        return plan_refuse(parser, "files=%" PRIu64 " of file_bytes=%" PRIu64 " are more than 2^60 bytes; use fewer",
                           trial->files, trial->file_bytes);
    trial->input_bytes = trial->files * trial->file_bytes + trial->records * trial->record_bytes;
    return true;
}

bool observe_check(struct parser *parser, const struct plan *plan, struct trial *common)
{
    struct observe_trial *trial = (struct observe_trial *)common;
    const char *role = plan->role ? plan->role : "(none)";
    trial->role = strcmp(role, roles[OBSERVE_SOURCE]) == 0 ? OBSERVE_SOURCE : OBSERVE_SINK;
    if (strcmp(role, roles[trial->role]) != 0)
        return plan_refuse(parser, "role=%s: of the plan must be sender or receiver with job=%s", role, plan->job);
    if (!plan->token)
        return plan_refuse(parser, "token: of the plan is missing with job=%s, because both ends derive the input from it",
                           plan->job);
    if (!plan->barrier)
        return plan_refuse(parser, "barrier=no: of the plan must be yes with job=%s, because its ends start together", plan->job);
    if (observe_has_input(trial) && plan->target_count == 0)
        return plan_refuse(parser, "input=%s: this end has no target; add one, or use memory", inputs[trial->input]);
    return true;
}
