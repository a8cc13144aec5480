/* Equal starts: what an earlier trial removed must not be freed and discarded while the next one
 * is measured. */
#ifndef ASSAY_SETTLE_H
#define ASSAY_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* Where enough was removed since the last call, has the file system commit that and waits, two
 * seconds at most, until the device takes no more discards. False when it still does. */
bool settle(struct run *run);

#endif
