import { upperFirst } from "@mantine/hooks";
import type { RateUnit } from "@/components/quantities";
import { type Levels, levelsWords } from "@/features/matrix/cliffs";

/** What stands before and behind a headline's figure; null when there is none in it. */
export function headlineParts(headline: string): { doubt: string | null; rest: string } | null {
  const match = /^(?:(\D+): )?[\d.]+\s[kMGTP]?B\/s\s(.+)$/s.exec(headline);
  return match?.[2] ? { doubt: match[1] ?? null, rest: match[2] } : null;
}

/** The headline without its figure, as a sentence of its own, for where that stands large beside it. */
export function withoutFigure(headline: string): string {
  const parts = headlineParts(headline);
  if (parts === null) return headline;
  const rest = parts.doubt === null ? parts.rest : `${parts.doubt}: ${parts.rest}`;
  return upperFirst(rest);
}

/** A headline that names both levels of a cliff, with these in the reader's unit. */
export function headlineOfLevels(headline: string, levels: Levels, unit: RateUnit): string {
  const match = /^(\D+: )?.*?, then [\d.]+\s[kMGTP]?B\/s\s(.+)$/s.exec(headline);
  return match ? `${match[1] ?? ""}${levelsWords(levels, unit)} ${match[2]}` : headline;
}
