/* The workspace of a run: the open target with the test directory in it, and what every job uses
 * there. It is owned by the run's thread; while an errand is running, the errand's thread owns
 * the target's part. */
#ifndef ASSAY_WORKSPACE_H
#define ASSAY_WORKSPACE_H

#include "buffers.h"
#include "errand.h"
#include "limit.h"
#include "plan.h"
#include "settle.h"
#include "standstill.h"
#include "target.h"
#include "workdir.h"

#include <stdbool.h>
#include <stdint.h>

struct workspace {
    const struct plan *plan;
    struct spool *spool;
    struct limits limits;
    struct errand errand;
    struct target target;
    struct workdir workdir;
    struct settling settling;
    struct buffers buffers;
    const struct standstill *standstill; /* of this process */
    bool unnamed;       /* test files have no name, so a killed probe leaves none */
    uint32_t alignment; /* of O_DIRECT in the target; 0 if it is rejected */
    int alignment_error;
    uint64_t mem_limit;
};

#endif
