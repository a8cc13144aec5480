import { SegmentedControl } from "@mantine/core";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import type { Headline } from "@/api/shapes";
import { Disclosure } from "@/components/Disclosure";
import { Empty, Notice } from "@/components/feedback/Notices";
import { type RateUnit, splitPart, type Words, wordsText } from "@/components/quantities";
import figures from "@/components/quantities/Quantities.module.css";
import classes from "./ResultParts.module.css";
import { headlineText, unmeasuredWords } from "./results";

interface ResultTopProps {
  /** The headline; what its selection among several cells means for its rate stands beside it. */
  headline: (Pick<Headline, "words"> & { selected?: { message: Words } | null }) | null;
  /** The run has ended. */
  ended: boolean;
  /** What stands in place of a headline, unless it is what all kinds say. */
  absent?: string;
  /** What a kind adds to the answer. */
  more?: ReactNode;
  /** Notices about the run. */
  notices: ReactNode;
  /** The limitations of the result, the gravest first. */
  warnings: readonly { code: string; message: Words }[];
  unit: RateUnit;
}

/** What a result page begins with: the answer, and what limits it. */
export function ResultTop({
  headline,
  ended,
  absent = unmeasuredWords(ended),
  more,
  notices,
  warnings,
  unit,
}: ResultTopProps) {
  const selected = headline?.selected;
  return (
    <div className={classes.answer}>
      <Answer headline={headline} absent={absent} unit={unit} />
      {more}
      {selected ? <p className={classes.selected}>{wordsText(selected.message, unit)}</p> : null}
      {notices}
      <Caveats texts={warnings.map(({ message }) => wordsText(message, unit))} />
    </div>
  );
}

/** The first limitation, and the others behind their number. */
function Caveats({ texts: [gravest, ...others] }: { texts: readonly string[] }) {
  if (gravest === undefined) return null;
  return (
    <>
      <Notice>{gravest}</Notice>
      {others.length > 0 ? (
        <Disclosure summary={`${others.length} more`}>
          {others.map((text) => (
            <Notice key={text}>{text}</Notice>
          ))}
        </Disclosure>
      ) : null}
    </>
  );
}

interface AnswerProps {
  headline: Pick<Headline, "words"> | null;
  /** What the answer is without a headline. */
  absent: string;
  unit: RateUnit;
}

/** What a run found in one sentence, with its figure large and in the reader's unit. */
function Answer({ headline, absent, unit }: AnswerProps) {
  if (headline === null) return <p className={classes.sentence}>{absent}</p>;
  const { doubt, figure, rest } = headline.words;
  if (!figure) return <p className={classes.sentence}>{headlineText(headline, unit)}</p>;
  const shown = splitPart(figure, unit);
  return (
    <div>
      {doubt ? <p className={classes.doubt}>{doubt}:</p> : null}
      <p className={classes.headline}>
        <span className={figures.value}>{shown.value}</span>{" "}
        <span className={figures.unit}>{shown.unit}</span>{" "}
        <span className={classes.sentence}>{wordsText(rest, unit)}</span>
      </p>
    </div>
  );
}

/** In place of a trial, as long as none has begun. */
export function NoTrial({ ended }: { ended: boolean }) {
  return (
    <Empty title="No trial to show">
      {ended
        ? "The run ended before its first trial."
        : "Details appear when the first trial starts."}
    </Empty>
  );
}

interface RepeatSwitchProps {
  /** The trials that can be shown. */
  trials: readonly { repeat: number }[];
  shown: number;
  onChange: (repeat: string) => void;
}

/** Selects the repeat that is shown; nothing if there is only one. */
export function RepeatSwitch({ trials, shown, onChange }: RepeatSwitchProps) {
  if (trials.length < 2) return null;
  return (
    <SegmentedControl
      size="xs"
      aria-label="Repeat"
      value={String(shown)}
      onChange={onChange}
      data={trials.map(({ repeat }) => ({ value: String(repeat), label: `Repeat ${repeat}` }))}
    />
  );
}

/**
 * What a result page shows, as its address has it. A change renews the address and moves nothing; a link
 * to a trial moves the page to the chart, which gets the returned reference. A change ends such a link.
 */
export function useShownSearch<Search extends { trial?: string }>() {
  const found: object = useSearch({ strict: false });
  const search = found as Search;
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const chart = useRef<HTMLDivElement>(null);
  const change = useCallback(
    (changed: Search) =>
      navigate({
        to: ".",
        search: (before: object): object => ({
          ...before,
          ...changed,
          trial: undefined,
          zoom: undefined,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit of the link shows it again
  useEffect(() => {
    if (search.trial) chart.current?.scrollIntoView({ block: "start" });
  }, [search.trial, visit]);
  return { search, change, chart };
}
