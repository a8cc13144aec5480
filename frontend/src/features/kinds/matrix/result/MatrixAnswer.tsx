import { Answer } from "@/features/kinds/Answer";
import { headlineParts, headlineWords } from "@/features/kinds/matrix/headline";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { Matrix } from "@/features/kinds/matrix/shapes";

/** `ended`: nothing will be measured any more. */
type Props = { matrix: Matrix; reading: Reading; ended: boolean };

/**
 * The headline of the best cell; switches of the matrix do not change it. No figure stands large
 * where the rate did not hold.
 */
export function MatrixAnswer({ matrix: { headline }, reading: { unit }, ended }: Props) {
  if (headline === null) {
    const sentence = ended ? "Nothing was measured." : "No result yet: no cell has been measured.";
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
