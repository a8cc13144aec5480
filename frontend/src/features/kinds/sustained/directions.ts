/** The directions of a result: a test that writes and reads at the same time has a result of each. */
import type { Operation, Sustained } from "./shapes";
import { ROLES } from "./words";

/** The part of a result that is of one direction. */
export type Direction = Omit<Sustained, "operation"> & { operation: Operation };

/** The writes of a result first; a test of one operation has one direction. */
export function directionsOf(result: Sustained): Direction[] {
  const { operation } = result;
  if (operation !== "both") return [{ ...result, operation }];
  return (["write", "read"] as const).map((own) => ({
    ...result,
    operation: own,
    cells: result.cells.filter((cell) => cell.operation === own),
    participants: result.participants.filter(({ role }) => role === ROLES[own]),
  }));
}
