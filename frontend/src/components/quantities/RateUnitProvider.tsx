import { useLocalStorage } from "@mantine/hooks";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { RATE_UNITS, type RateUnit } from "./rate";

type Choice = { unit: RateUnit; setUnit: (unit: RateUnit) => void };

const RateUnitContext = createContext<Choice>({ unit: "MB/s", setUnit: () => {} });

/** Provides the user's throughput unit, stored in the browser. */
export function RateUnitProvider({ children }: { children: ReactNode }) {
  const [kept, setUnit] = useLocalStorage<RateUnit>({
    key: "assay-rate-unit",
    defaultValue: "MB/s",
    getInitialValueInEffect: false,
  });
  const unit = RATE_UNITS.includes(kept) ? kept : "MB/s";
  const choice = useMemo(() => ({ unit, setUnit }), [unit, setUnit]);
  return <RateUnitContext value={choice}>{children}</RateUnitContext>;
}

/** The unit chosen in the user's menu, and its setter. */
export const useRateUnit = (): Choice => useContext(RateUnitContext);
