import { lookOf } from "@/components/state/states";
import type { Filter } from "./activeFilters";

const optionOf = (state: string) => ({ value: state, label: lookOf(state).label });

/** A filter by one or several of these states. */
export const stateFilter = (...states: readonly string[]): Filter => ({
  name: "state",
  label: "State",
  several: true,
  options: states.map(optionOf),
});

/** A filter by verdict. */
export const VERDICT_FILTER: Filter = {
  name: "verdict",
  label: "Verdict",
  several: true,
  options: ["fail", "inconclusive", "waived", "pass"].map(optionOf),
};
