import { upperFirst } from "@mantine/hooks";
import type { RateUnit } from "@/components/quantities";
import type { Advice, Matrix } from "@/features/kinds/matrix/shapes";
import { counted, personOf, reachedWords, settingName } from "@/features/kinds/matrix/words";

/** The recommended setting, the rate that it reaches, and why it is recommended. */
export function adviceWords(matrix: Matrix, advice: Advice, unit: RateUnit): string {
  const { reason, threads } = advice;
  const person = personOf(matrix);
  const targets = matrix.participants.length;
  const each = targets > 1 ? ` on each of ${counted(targets, "target")}` : "";
  const reached = `${threads === 1 ? "reaches" : "reach"} ${reachedWords(advice, unit)}${targets > 1 ? " in total" : ""}`;
  const why =
    reason.code === "within_noise_of_best"
      ? `, within noise of the best cell (${settingName(reason.best, person)})`
      : `: ${reason.means_over_cliffs ? "the highest mean" : "the best cell"}`;
  return `${upperFirst(settingName(advice, person))}${each} ${reached}${why}.`;
}
