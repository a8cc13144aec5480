/* The content of a record: a function of the attempt's seed, its sender and its number in the
 * sender's sequence, so that every bit of it can be checked, and a record can be attributed wherever
 * it is found. contract/plan.md describes it.
 *
 * The functions read and write whole words: memory of records must go on for RECORD_SLACK bytes. */
#ifndef ASSAY_RECORDS_RECORD_H
#define ASSAY_RECORDS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_SLACK 16

/* How the records of an attempt are made. */
struct recipe {
    uint64_t bytes;    /* of a record */
    uint64_t seed;
    uint64_t digits;   /* of its number; 0 in a record of one byte */
    uint64_t filler;   /* bytes after the digits */
    bool line;         /* it ends with a newline */
    uint64_t *pool;    /* words of which fillers are made */
};

/* How those of one sender are made. */
struct origin {
    const struct recipe *recipe;
    uint64_t sender;
    uint64_t offset, factors[2], inverses[2]; /* of the permutation of its numbers */
    uint64_t key; /* of its fillers */
};

/* False with errno. */
bool recipe_make(struct recipe *recipe, uint64_t bytes, uint64_t seed);
void recipe_free(struct recipe *recipe);

struct origin origin_make(const struct recipe *recipe, uint64_t sender);

/* Writes the sender's records [first, first + count), one after the other. */
void records_fill(const struct origin *origin, uint64_t first, uint64_t count, char *to);

/* Compares records with the sender's [first, first + count); returns how many are intact before the
 * first one that is not. */
uint64_t records_compare(const struct origin *origin, uint64_t first, uint64_t count, const char *from);

/* The number of a record of this sender, which is intact; false if it is none. Of the numbers that
 * have this content, it is the one nearest to `near`. */
bool record_number(const struct origin *origin, const char *record, uint64_t near, uint64_t *number);

/* How far from the one that is due a number is believed without its successor: a short record that was
 * altered has the content of some other number. */
uint64_t record_reach(const struct recipe *recipe);

/* The sender that the record names; LINK_SENDERS_MOST or more if it names none. */
uint64_t record_sender(const struct recipe *recipe, const char *record);

#endif
