import { SegmentedControl } from "@mantine/core";

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
