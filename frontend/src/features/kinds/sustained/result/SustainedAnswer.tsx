import type { RateUnit } from "@/components/quantities";
import { Answer } from "@/features/kinds/Answer";
import { headlineParts, headlineWords } from "@/features/kinds/sustained/headline";
import type { Sustained } from "@/features/kinds/sustained/shapes";

type Props = { result: Sustained; unit: RateUnit; ended: boolean };

/** The headline; levels take the place of a figure. */
export function SustainedAnswer({ result: { headline, cells }, unit, ended }: Props) {
  if (headline === null) {
    const hasBegun = cells.some(({ trials }) => trials.some(({ bytes }) => bytes > 0));
    const why = hasBegun ? "No result: no trial was completed." : "Nothing was measured.";
    const sentence = ended ? why : "No result yet: no trial has ended.";
    return <Answer parts={null} sentence={sentence} unit={unit} />;
  }
  return (
    <Answer
      parts={headlineParts(headline, unit)}
      sentence={headlineWords(headline, unit)}
      unit={unit}
    />
  );
}
