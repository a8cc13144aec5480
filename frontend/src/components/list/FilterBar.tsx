import {
  Button,
  CheckIcon,
  Combobox,
  Input,
  InputBase,
  Select,
  TextInput,
  useCombobox,
} from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useId, useState } from "react";
import { type ListSearch, SPANS, type Span, valuesOf, valuesText } from "@/api/listSearch";
import { activeFilters, type Filter } from "./filters";
import classes from "./List.module.css";
import type { ListView } from "./ListTable";

interface FilterBarProps {
  view: ListView;
  /** What is listed: "campaigns". */
  what: string;
  filters: readonly Filter[];
  /** Whether the objects have labels. */
  labeled?: boolean;
  /** The label of the time that `from` and `to` select by: "Launched". */
  time?: string;
}

/** The most characters of a parameter that a saved view keeps. */
const LONGEST_LABELS = 400;
const BETWEEN = "between";
const TIMES = [
  ...Object.entries(SPANS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: "Between dates…" },
];

/** The filters above a list, and a chip for each that is set. */
export function FilterBar({ view, what, filters, labeled, time }: FilterBarProps) {
  const [open, { toggle }] = useDisclosure(false);
  const id = useId();
  const { search, change, clear } = view;
  const active = activeFilters(search, filters, time);
  return (
    <section className={classes.bar} aria-label={`Filter ${what}`}>
      <div className={classes.first}>
        <SearchWords
          label={`Search ${what}`}
          value={search.q ?? ""}
          onChange={(q) => change({ q: q || undefined })}
        />
        <Button
          className={classes.toggle}
          variant="default"
          aria-expanded={open}
          aria-controls={id}
          onClick={toggle}
        >
          Filters{active.length > 0 ? ` (${active.length})` : ""}
        </Button>
      </div>
      <div id={id} className={classes.filters} data-open={open || undefined}>
        {filters.map(({ name, label, options, several }) =>
          several ? (
            <SeveralFilter
              key={name}
              className={classes.filter}
              label={label}
              options={options}
              values={valuesOf(search[name])}
              onChange={(values) => change({ [name]: valuesText(values) })}
            />
          ) : (
            <Select
              key={name}
              className={classes.filter}
              aria-label={label}
              placeholder={label}
              data={options}
              value={search[name] ?? null}
              searchable={options.length > 10}
              clearable
              nothingFoundMessage="No matches"
              onChange={(value) => change({ [name]: value ?? undefined })}
            />
          ),
        )}
        {labeled ? (
          <SearchWords
            className={classes.filter}
            label="Label"
            placeholder="Labels"
            longest={LONGEST_LABELS}
            value={search.label ?? ""}
            onChange={(label) => change({ label: label || undefined })}
          />
        ) : null}
        {time ? <TimeFilter label={time} search={search} change={change} /> : null}
      </div>
      {active.length > 0 ? (
        <ul className={classes.chips} aria-label="Active filters">
          {active.map(({ without, text }) => (
            <li key={text}>
              <button
                type="button"
                className={classes.chip}
                aria-label={`Remove filter ${text}`}
                onClick={() => change(without)}
              >
                {text} <IconX size={14} stroke={1.5} aria-hidden="true" />
              </button>
            </li>
          ))}
          <li>
            <button type="button" className={classes.clear} onClick={clear}>
              Clear all
            </button>
          </li>
        </ul>
      ) : null}
    </section>
  );
}

interface TimeFilterProps {
  label: string;
  search: ListSearch;
  change: ListView["change"];
}

/** Chooses a span that ends now, or a first and a last day. */
function TimeFilter({ label, search: { within, from, to }, change }: TimeFilterProps) {
  const [between, { open, close }] = useDisclosure(false);
  const shown = between || from !== undefined || to !== undefined;
  return (
    <>
      <Select
        className={classes.filter}
        aria-label={label}
        placeholder={label}
        data={TIMES}
        value={shown ? BETWEEN : ((within as Span | undefined) ?? null)}
        clearable
        onChange={(value) => {
          if (value === BETWEEN) {
            open();
            change({ within: undefined });
          } else {
            close();
            change({ within: value ?? undefined, from: undefined, to: undefined });
          }
        }}
      />
      {shown
        ? (["from", "to"] as const).map((name) => (
            <TextInput
              key={name}
              className={classes.filter}
              type="date"
              aria-label={`${label} ${name}`}
              value={{ from, to }[name] ?? ""}
              onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
            />
          ))
        : null}
    </>
  );
}

/** How long typing must pause before the list is asked for. */
const PAUSE_MS = 250;

/** The most characters of words that the API takes. */
const LONGEST = 100;

interface SearchWordsProps {
  className?: string | undefined;
  label: string;
  /** By default the label. */
  placeholder?: string;
  /** The most characters. */
  longest?: number;
  value: string;
  onChange: (words: string) => void;
}

/** A field for words; it reports them when typing pauses. */
function SearchWords(props: SearchWordsProps) {
  const { className, label, placeholder = label, longest = LONGEST, value, onChange } = props;
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // it changed elsewhere, such as by "Clear all"
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const report = useDebouncedCallback((words: string) => onChange(words), PAUSE_MS);
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={longest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value.trim());
      }}
    />
  );
}

interface SeveralFilterProps {
  className?: string | undefined;
  label: string;
  options: readonly { value: string; label: string }[];
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/** Chooses any number of values; rows with one of them match. */
function SeveralFilter(props: SeveralFilterProps) {
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
