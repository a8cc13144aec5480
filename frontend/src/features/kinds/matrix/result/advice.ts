import { upperFirst } from "@mantine/hooks";
import type { RateUnit } from "@/components/quantities";
import type { Advice, Matrix } from "@/features/kinds/matrix/shapes";
import { personOf, reachedWords, settingName } from "@/features/kinds/matrix/words";

/** The recommended setting, the rate that it reaches, and why it is recommended. */
export function adviceWords(matrix: Matrix, advice: Advice, unit: RateUnit): string {
  const { reason, threads } = advice;
  const person = personOf(matrix);
  const several = matrix.participants.length > 1;
  const verb = threads === 1 && !several ? "reaches" : "reach";
  const setting = `${upperFirst(settingName(advice, person))}${several ? " on each target" : ""}`;
  const reached = `${setting} ${verb} ${reachedWords(advice, unit)}${several ? " together" : ""}`;
  if (reason.code === "within_noise_of_best") {
    return `${reached}, within noise of the best cell (${settingName(reason.best, person)}).`;
  }
  return `${reached}, the highest${reason.means_over_cliffs ? " mean" : ""} measured.`;
}
