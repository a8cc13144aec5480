import { Button, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useId } from "react";
import { type ListSearch, SPANS, type Span, valuesOf, valuesText } from "@/api/listSearch";
import { activeFilters, type Filter } from "./activeFilters";
import classes from "./FilterBar.module.css";
import { SearchWords } from "./SearchWords";
import { SeveralFilter } from "./SeveralFilter";
import type { ListView } from "./useListView";

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
