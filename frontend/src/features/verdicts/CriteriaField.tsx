import { Autocomplete, Button, Checkbox, CloseButton, Input } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, unwrap } from "@/api/client";
import { metricsQuery } from "@/api/queries";
import type { Criterion, Metric, Test } from "@/api/shapes";
import { completions } from "./completion";
import classes from "./Verdicts.module.css";

const PAUSE_MS = 250;

type Props = {
  label: string;
  description: string;
  criteria: Criterion[];
  onChange: (criteria: Criterion[]) => void;
  /** At least one of these tests must give each metric; without them, any test may. */
  tests?: readonly Test[];
  /** The kinds whose metrics are offered, if no tests say it. */
  kinds?: readonly string[];
  /** Whether a criterion may stop a campaign. */
  stops?: boolean;
  /** What else is wrong with a criterion. */
  remark?: (criterion: string) => string | undefined;
};

/** Criteria with completion of metrics; each shows its meaning, or the mistake in it. */
export function CriteriaField({
  label,
  description,
  criteria,
  onChange,
  tests,
  kinds,
  stops = false,
  remark,
}: Props) {
  const listed = useQuery(metricsQuery).data?.items ?? [];
  const { checked, available } = useChecked(criteria, tests);
  const offered = offeredMetrics(listed, tests?.map(({ kind }) => kind) ?? kinds, available);
  const hasAdded = useRef(false);
  const change = (index: number, changed: Partial<Criterion>) =>
    onChange(criteria.map((one, place) => (place === index ? { ...one, ...changed } : one)));
  return (
    <Input.Wrapper
      className={classes.field}
      component="fieldset"
      label={label}
      labelElement="div"
      description={description}
      inputWrapperOrder={["label", "description", "input"]}
    >
      <div className={classes.criteria}>
        {criteria.map(({ criterion, stop }, index) => {
          const found = checked.get(criterion);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: criteria are known by their order
            <div key={index} className={classes.criterion} data-stops={stops}>
              <CriterionInput
                label={`Criterion ${index + 1}`}
                autoFocus={hasAdded.current && index === criteria.length - 1}
                criterion={criterion}
                onChange={(text) => change(index, { criterion: text })}
                completions={completions(offered, criterion, tests)}
                metrics={offered}
                description={found?.meaning ?? definitionOf(listed, criterion)}
                error={found?.mistake ? mistakeText(found.mistake) : remark?.(criterion)}
              />
              {stops ? (
                <Checkbox
                  label="Stop on failure"
                  checked={stop ?? false}
                  onChange={(event) => change(index, { stop: event.currentTarget.checked })}
                />
              ) : null}
              <CloseButton
                aria-label={`Remove criterion ${index + 1}`}
                onClick={() => onChange(criteria.filter((_, place) => place !== index))}
              />
            </div>
          );
        })}
        <Button
          variant="subtle"
          className={classes.add}
          onClick={() => {
            hasAdded.current = true;
            onChange([...criteria, { criterion: "", stop: false }]);
          }}
        >
          Add criterion
        </Button>
      </div>
    </Input.Wrapper>
  );
}

interface CriterionInputProps {
  label: string;
  /** Whether it takes the focus when it appears. */
  autoFocus: boolean;
  criterion: string;
  onChange: (criterion: string) => void;
  /** What the text can continue with. */
  completions: string[];
  /** What those of them that name a metric stand for. */
  metrics: readonly Metric[];
  description: string | undefined;
  error: string | undefined;
}

/** A criterion is completed part by part: after a choice, the next part is offered. */
function CriterionInput(props: CriterionInputProps) {
  const { label, autoFocus, criterion, onChange, description, error } = props;
  const { completions: offered, metrics } = props;
  const [opened, setOpened] = useState(false);
  const hasChosen = useRef(false);
  return (
    <Autocomplete
      aria-label={label}
      autoFocus={autoFocus}
      placeholder="durable.mean >= 1250 MB/s"
      value={criterion}
      onChange={onChange}
      data={offered}
      filter={({ options }) => options}
      renderOption={({ option: { value } }) => {
        const metric = metrics.find(({ name }) => name === value);
        return metric ? <MetricOption metric={metric} /> : value;
      }}
      dropdownOpened={opened}
      onDropdownOpen={() => setOpened(true)}
      onOptionSubmit={() => {
        hasChosen.current = true;
      }}
      onDropdownClose={() => {
        setOpened(hasChosen.current);
        hasChosen.current = false;
      }}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={description}
      error={error}
      spellCheck={false}
    />
  );
}

/** A metric by its label, as criteria write it, and what it is. */
function MetricOption({ metric: { label, name, definition } }: { metric: Metric }) {
  return (
    <span className={classes.metric}>
      <span>{label}</span>
      <code>{name}</code>
      <span className={classes.definition}>{definition}</span>
    </span>
  );
}

/** The metrics to choose from, each once: of these kinds, and those that the tests can give. */
export function offeredMetrics(
  metrics: readonly Metric[],
  kinds: readonly string[] | undefined,
  available: readonly string[] | undefined,
): Metric[] {
  const names = new Set<string>();
  return metrics.filter(
    ({ kind, name }) =>
      (kinds?.includes(kind) ?? true) &&
      (available?.includes(name) ?? true) &&
      !names.has(name) &&
      names.add(name),
  );
}

type Mistake = { position: number; message: string; remedy: string };

/** "unknown unit 'QB' (character 18). Use MB/s …" */
export const mistakeText = ({ position, message, remedy }: Mistake): string =>
  `${message} (character ${position + 1}). ${remedy}`;

/** The definition of the metric that a criterion begins with. */
function definitionOf(metrics: Metric[], text: string): string | undefined {
  const name = /^\s*([\w.]+)/.exec(text)?.[1];
  return metrics.find((metric) => metric.name === name)?.definition;
}

/**
 * What the API says about each criterion, a moment after it was typed, and which metrics the tests
 * can give.
 */
export function useChecked(criteria: readonly Criterion[], tests: readonly Test[] | undefined) {
  const typed = criteria.map(({ criterion }) => criterion).filter((text) => text.trim());
  const [settled] = useDebouncedValue(JSON.stringify({ criteria: typed, tests }), PAUSE_MS);
  const body = JSON.parse(settled) as { criteria: string[]; tests?: Test[] };
  const query = useQuery({
    queryKey: ["criteria", settled],
    queryFn: () => unwrap(api.POST("/api/v1/criteria/check", { body })),
    enabled: criteria.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const found = query.isPlaceholderData ? [] : (query.data?.criteria ?? []);
  return {
    checked: new Map(found.map((one, index) => [body.criteria[index] ?? one.criterion, one])),
    available: query.data?.metrics,
  };
}
