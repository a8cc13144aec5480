#include "records/ledger.h"

#include <string.h>

/* A range of numbers was passed over. */
static void add_gap(struct ledger *ledger, uint64_t until)
{
    ledger->missing += until - ledger->end;
    if (ledger->gap_count == GAPS_MOST)
        ledger->overflowed = true;
    else
        ledger->gaps[ledger->gap_count++] = (struct gap){ledger->end, until};
}

/* Takes a number out of the gaps; false if it is in none. */
static bool fill_gap(struct ledger *ledger, uint64_t number)
{
    uint64_t at = 0;
    while (at < ledger->gap_count && ledger->gaps[at].until <= number)
        at++;
    if (at == ledger->gap_count || number < ledger->gaps[at].from)
        return false;
    struct gap *gap = &ledger->gaps[at];
    const struct gap rest = {number + 1, gap->until};
    gap->until = number;
    if (gap->from == gap->until) {
        *gap = rest;
        if (rest.from == rest.until)
            memmove(gap, gap + 1, (--ledger->gap_count - at) * sizeof *gap);
    } else if (rest.from < rest.until && ledger->gap_count < GAPS_MOST) {
        memmove(gap + 2, gap + 1, (ledger->gap_count++ - at - 1) * sizeof *gap);
        gap[1] = rest;
    } else if (rest.from < rest.until) {
        ledger->overflowed = true;
    }
    return true;
}

/* An intact record of this number. */
static void take(struct ledger *ledger, uint64_t number)
{
    if (number >= ledger->end) {
        if (number > ledger->end)
            add_gap(ledger, number);
        ledger->end = number + 1;
        ledger->intact++;
    } else if (fill_gap(ledger, number)) {
        ledger->missing--;
        ledger->intact++;
        ledger->late++;
    } else {
        ledger->duplicates++;
    }
}

/* Whether the first of `count` records, which is not the one that is due, is intact: its number, or its
 * successor's, must say so. */
static bool is_intact(const struct ledger *ledger, const char *record, uint64_t count, uint64_t *number)
{
    const struct recipe *recipe = ledger->origin.recipe;
    if (!record_number(&ledger->origin, record, ledger->end, number))
        return false;
    const uint64_t distance = *number > ledger->end ? *number - ledger->end : ledger->end - *number;
    return distance <= record_reach(recipe) ||
           (count > 1 && records_compare(&ledger->origin, *number + 1, 1, record + recipe->bytes) == 1);
}

/* The intact records that continue the sequence without a gap. */
static uint64_t read_run(struct ledger *ledger, const char *from, uint64_t count)
{
    const uint64_t run = records_compare(&ledger->origin, ledger->end, count, from);
    ledger->end += run;
    ledger->intact += run;
    return run;
}

void ledger_read(struct ledger *ledger, const char *from, uint64_t count)
{
    const uint64_t bytes = ledger->origin.recipe->bytes;
    uint64_t number;
    for (uint64_t done = 0; done < count;) {
        done += read_run(ledger, from + done * bytes, count - done);
        if (done == count)
            return;
        if (is_intact(ledger, from + done * bytes, count - done, &number))
            take(ledger, number);
        else
            ledger->wrong++;
        done++;
    }
}

static bool is_blank(const char *record, uint64_t bytes)
{
    return record[0] == '\0' && memcmp(record, record + 1, bytes - 1) == 0;
}

uint64_t ledgers_read(struct ledger *ledgers, uint64_t senders, const char *from, uint64_t count, uint64_t *wrong,
                      uint64_t *torn)
{
    const struct recipe *recipe = ledgers->origin.recipe;
    uint64_t done = 0, number;
    while (done < count) {
        const char *at = from + done * recipe->bytes;
        const uint64_t sender = record_sender(recipe, at);
        struct ledger *ledger = sender < senders ? &ledgers[sender] : NULL;
        const uint64_t run = ledger ? read_run(ledger, at, count - done) : 0;
        done += run;
        if (run > 0)
            continue;
        if (is_blank(at, recipe->bytes))
            return done;
        if (ledger && is_intact(ledger, at, count - done, &number))
            take(ledger, number);
        else
            ++*(at[recipe->bytes - 1] == '\0' ? torn : wrong);
        done++;
    }
    return done;
}

uint64_t ledger_lost(const struct ledger *ledger, uint64_t count)
{
    uint64_t lost = 0;
    if (count >= ledger->end)
        return ledger->missing + count - ledger->end;
    for (uint64_t i = 0; i < ledger->gap_count && ledger->gaps[i].from < count; i++) {
        const uint64_t until = ledger->gaps[i].until < count ? ledger->gaps[i].until : count;
        lost += until - ledger->gaps[i].from;
    }
    return lost;
}
