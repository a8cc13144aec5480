import type { RateUnit } from "@/components/quantities";
import { Answer } from "@/features/kinds/Answer";
import { headlineParts, headlineWords } from "@/features/kinds/sustained/headline";
import type { Sustained } from "@/features/kinds/sustained/shapes";

type Props = { result: Sustained; unit: RateUnit; ended: boolean };

/** The headline; a cliff is named with both levels in place of a figure. */
export function SustainedAnswer({ result: { headline }, unit, ended }: Props) {
  if (headline === null) {
    const sentence = ended ? "Nothing was measured." : "No result yet: no trial has ended.";
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
