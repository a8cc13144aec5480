import type { Comparison } from "@/api/shapes";
import { AnswerSection } from "@/features/compare/ComparisonParts";

/** The first run's mean divided by the second's. */
export const CommitsComparison = ({ comparison }: { comparison: Comparison }) => (
  <AnswerSection comparison={comparison} />
);
