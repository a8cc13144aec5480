import type { Run } from "@/api/shapes";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "./Conditions.module.css";
import { type ConditionRow, conditionRows } from "./conditionRows";

/** Conditions of each participant's host that may change: at the start and the end of the run. */
export function HostConditions({ participants }: { participants: Run["participants"] }) {
  const read = participants
    .filter(({ conditions }) => conditions.start || conditions.end)
    .filter(isFirstOfItsTarget);
  if (read.length === 0) return null;
  return (
    <>
      <h3 className={classes.title}>Host at start and end</h3>
      {read.map((participant) => {
        const name = `${participant.host.name} ${participant.target?.path ?? ""}`.trim();
        return (
          <section key={participant.id} aria-label={`Host conditions of ${name}`}>
            {participants.length > 1 ? <h4>{name}</h4> : null}
            <FigureTable caption={`Conditions of ${name} at start and end`}>
              <thead>
                <tr>
                  <th scope="col">Condition</th>
                  <th scope="col" className={classes.reading}>
                    Start
                  </th>
                  <th scope="col" className={classes.reading}>
                    End
                  </th>
                </tr>
              </thead>
              <tbody>
                {conditionRows(participant.conditions).map((row) => (
                  <Row key={row.name} row={row} />
                ))}
              </tbody>
            </FigureTable>
          </section>
        );
      })}
    </>
  );
}

function Row({ row: { name, start, end, changed } }: { row: ConditionRow }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={classes.reading}>{start}</td>
      <td className={classes.reading}>
        {end}
        {changed ? <strong> (changed)</strong> : null}
      </td>
    </tr>
  );
}

/** Whether none before it is on the same target, or in the same host's memory: its host is the same. */
const isFirstOfItsTarget = (
  { host, target }: Run["participants"][number],
  place: number,
  all: Run["participants"],
): boolean =>
  all.findIndex((one) => one.host.id === host.id && one.target?.id === target?.id) === place;
