import { Select } from "@mantine/core";
import { useState } from "react";
import type { Comparison, Run } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import { figure, useRateUnit, wordsText } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import answer from "@/features/kinds/ResultParts.module.css";
import classes from "./Compare.module.css";

const NOTHING = ["The runs have nothing in common that compares."];

/** What a comparison found, a sentence in each line; none if nothing compares. */
export function AnswerSection({ comparison }: { comparison: Comparison }) {
  const { unit } = useRateUnit();
  const { name } = labelsOf(comparison.runs);
  const sentences = pairsOf(comparison).flatMap((pair) =>
    pair.sentences.map((words) => wordsText(words, unit, name)),
  );
  return (
    <Section title="Answer">
      {[...new Set(sentences.length > 0 ? sentences : NOTHING)].map((sentence) => (
        <p key={sentence} className={answer.sentence}>
          {sentence}
        </p>
      ))}
    </Section>
  );
}

const DIFFERENCES = {
  a_faster: "beyond noise",
  b_faster: "beyond noise",
  within_noise: "within noise",
  too_few_repeats: "too few repeats",
  not_comparable: "not comparable",
} as const;

type Difference = keyof typeof DIFFERENCES;

interface RatioRow {
  /** What the row is, if it has a name, and the value of each run. */
  cells: readonly [string, ...string[]];
  ratio: number | null;
  answer: Difference;
}

interface RatioTableProps {
  caption: string;
  /** What a row is; without it, the first cell is that of the first run. */
  of?: string;
  /** The letters of both runs. */
  runs: readonly [string, string];
  rows: readonly RatioRow[];
}

/** What two runs have in common, with A ÷ B and what the difference is worth. */
export function RatioTable({ caption, of, runs, rows }: RatioTableProps) {
  const columns = of === undefined ? runs : [of, ...runs];
  return (
    <FigureTable caption={caption}>
      <thead>
        <tr>
          {[...columns, runs.join(" ÷ "), "Difference"].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ cells: [name, ...cells], ratio, answer }) => (
          <tr key={[name, ...cells].join(" ")}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={columns[column + 1]}>{cell}</td>
            ))}
            <td>{ratio === null ? "–" : figure(ratio)}</td>
            <td>{DIFFERENCES[answer]}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

interface Participant {
  id: number;
  host: string;
  path: string | null;
  role: string;
}

/** A compared run as far as its participants are chosen from. */
interface JointRun {
  result: { participants: readonly Participant[] };
}

/** The participant of each compared run that a chart draws; undefined for a run with only one. */
export function useParticipantChoice(runs: readonly JointRun[]) {
  const [chosen, setChosen] = useState<Record<number, number>>({});
  const participants = runs.map(({ result }, index) => {
    const all = result.participants;
    if (all.length < 2) return undefined;
    return (all.find(({ id }) => id === chosen[index]) ?? all[0])?.id;
  });
  const choose = (index: number, id: number) => setChosen({ ...chosen, [index]: id });
  return { participants, choose };
}

interface SwitchesProps {
  runs: readonly JointRun[];
  /** The drawn participant of each run. */
  participants: readonly (number | undefined)[];
  onChoose: (run: number, participant: number) => void;
}

/** For each run of several participants, the choice of whose samples the chart draws. */
export function ParticipantSwitches({ runs, participants, onChoose }: SwitchesProps) {
  if (participants.every((id) => id === undefined)) return null;
  return (
    <div className={classes.switches}>
      {runs.map(({ result }, index) =>
        participants[index] === undefined ? null : (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: a run is known by its letter
            key={index}
            size="xs"
            label={`Participant of ${letterOf(index)}`}
            allowDeselect={false}
            data={result.participants.map(({ id, host, path, role }) => ({
              value: String(id),
              label: `${host} ${path ?? ""}`.trim() + roleWords(role, result.participants),
            }))}
            value={String(participants[index])}
            onChange={(id) => id && onChoose(index, Number(id))}
          />
        ),
      )}
    </div>
  );
}

/** ", reads", where others of the run write. */
const roleWords = (role: string, all: readonly Participant[]): string => {
  if (all.every((one) => one.role === role)) return "";
  return role === "reader" ? ", reads" : ", writes";
};

/** What the page calls each compared run, by its id: its letter, and its name in sentences. */
export function labelsOf(runs: readonly Pick<Run, "id" | "participants">[]) {
  const names = namesOf(runs);
  const indexOf = (id: number) => runs.findIndex((run) => run.id === id);
  const letter = (id: number): string => letterOf(indexOf(id));
  const name = (id: number): string => names[indexOf(id)] ?? letter(id);
  return { letter, name };
}

/** Runs in a comparison go by letters, in the order of the link: A, B, … Z, AA. */
export function letterOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : letterOf(Math.floor(index / 26) - 1) + letter;
}

/**
 * A name for each run that is unique in a sentence: its hosts, else hosts and directories, else the
 * letters of the page.
 */
export function namesOf(runs: readonly Pick<Run, "participants">[]): string[] {
  const joined = (name: (participant: Run["participants"][number]) => string) =>
    runs.map(({ participants }) => [...new Set(participants.map(name))].join(" + "));
  const choices = [
    joined(({ host }) => host.name),
    joined(({ host, target }) => (target ? `${host.name} ${target.path}` : host.name)),
  ];
  const unique = choices.find((names) => new Set(names).size === names.length);
  return unique ?? runs.map((_, index) => letterOf(index));
}

/** The comparisons of the first run with each other one. */
interface Pairwise<Outcome> {
  outcome: Outcome | null;
  others: readonly Outcome[];
}

/** How the first run compares with the second, the third and so on. */
export const pairsOf = <Outcome,>({ outcome, others }: Pairwise<Outcome>): Outcome[] =>
  outcome === null ? [] : [outcome, ...others];
