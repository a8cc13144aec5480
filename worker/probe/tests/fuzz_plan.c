/* Fuzz target of the plan parser: no input may crash it, and a plan that it accepts keeps
 * the limits that the rest of the probe relies on.
 *
 * libFuzzer brings main: `build/fuzz/plan -help=1` lists its options. */
#include "matrix/fields.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct trial_type matrix = MATRIX_TYPE;
    static const struct trial_type *const types[] = {&matrix, NULL};
    struct plan plan;
    char error[512] = "";
    bool good = plan_parse((const char *)data, size, types, &plan, error, sizeof error);
    if (!good && (error[0] == '\0' || strchr(error, '\n')))
        abort(); /* refused without a line that says why */
    if (good && (plan.count == 0 || !plan.run || plan.target_count != 1 || plan.targets[0].path[0] != '/'))
        abort();
    for (size_t i = 0; good && i < plan.count; i++) {
        const struct matrix_trial *trial = matrix_trial(plan_trial(&plan, i));
        if (trial->block < 512 || trial->files > trial->threads || trial->threads > 256 || trial->file_size == 0 ||
            trial->file_size % trial->block != 0 || trial->file_size > (1ull << 62) / trial->files + trial->block)
            abort();
    }
    plan_free(&plan);
    return 0;
}
