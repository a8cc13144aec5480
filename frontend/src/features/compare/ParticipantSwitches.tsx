import { Select } from "@mantine/core";
import { useState } from "react";
import { letterOf } from "./letters";
import classes from "./ParticipantSwitches.module.css";

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
