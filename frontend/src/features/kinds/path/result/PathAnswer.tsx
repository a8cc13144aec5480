import { formatShare, type RateUnit } from "@/components/quantities";
import { cardSpeed } from "@/features/hosts/describe";
import { Answer } from "@/features/kinds/Answer";
import { unmeasuredWords } from "@/features/kinds/headline";
import { headlineParts, headlineWords, hourlyText } from "@/features/kinds/path/headline";
import type { Path, Scorecard } from "@/features/kinds/path/shapes";
import classes from "./PathResult.module.css";

type Props = { result: Path; unit: RateUnit; ended: boolean };

/** The headline, and what ESnet's scorecard expects. */
export function PathAnswer({ result: { headline, scorecard }, unit, ended }: Props) {
  const line = scorecard && scorecardWords(scorecard);
  return (
    <>
      <Answer
        parts={headline && headlineParts(headline, unit)}
        sentence={headline ? headlineWords(headline, unit) : unmeasuredWords(ended)}
        unit={unit}
      />
      {line ? <p className={classes.scorecard}>{line}</p> : null}
    </>
  );
}

/** ESnet's scorecard in one line; null without a card's speed or a rate. */
export function scorecardWords(scorecard: Scorecard): string | null {
  const {
    link_bits_per_s: speed,
    required_tb_per_hour: required,
    tb_per_hour: reached,
  } = scorecard;
  if (speed === null || required === null || reached === null) return null;
  const verdict = scorecard.meets ? "met" : `missed by ${formatShare(1 - reached / required)}`;
  return `ESnet scorecard: a transfer node with a ${cardSpeed(speed)} card should move ${hourlyText(required)}; ${verdict} with ${hourlyText(reached)}.`;
}
