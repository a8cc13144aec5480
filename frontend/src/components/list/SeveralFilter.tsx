import { CheckIcon, Combobox, Input, InputBase, useCombobox } from "@mantine/core";
import classes from "./SeveralFilter.module.css";

interface SeveralFilterProps {
  className?: string | undefined;
  label: string;
  options: readonly { value: string; label: string }[];
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/** Chooses any number of values; rows with one of them match. */
export function SeveralFilter(props: SeveralFilterProps) {
  const { className, label, options, values, onChange } = props;
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const toggle = (value: string) =>
    onChange(
      values.includes(value) ? values.filter((other) => other !== value) : [...values, value],
    );
  const chosen = values.map(
    (value) => options.find((option) => option.value === value)?.label ?? value,
  );
  return (
    <Combobox store={combobox} withinPortal={false} onOptionSubmit={toggle}>
      <Combobox.Target targetType="button" withExpandedAttribute>
        <InputBase
          component="button"
          type="button"
          role="combobox"
          pointer
          className={className}
          classNames={{ input: classes.input }}
          aria-label={label}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          onClick={() => combobox.toggleDropdown()}
        >
          {chosen.length > 0 ? chosen.join(", ") : <Input.Placeholder>{label}</Input.Placeholder>}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} aria-multiselectable>
          {options.map((option) => {
            const isChosen = values.includes(option.value);
            return (
              <Combobox.Option
                key={option.value}
                value={option.value}
                aria-selected={isChosen}
                className={classes.option}
              >
                <span className={classes.check}>
                  {isChosen ? <CheckIcon size={12} aria-hidden="true" /> : null}
                </span>
                {option.label}
              </Combobox.Option>
            );
          })}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
