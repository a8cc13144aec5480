import { Autocomplete, Button, Checkbox, CloseButton, Input } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, unwrap } from "@/api/client";
import { metricsQuery } from "@/api/queries";
import type { Criterion, Metric, Test } from "@/api/shapes";
import classes from "./Verdicts.module.css";

const PAUSE_MS = 250;

type Props = {
  label: string;
  description: string;
  criteria: Criterion[];
  onChange: (criteria: Criterion[]) => void;
  /** At least one of these tests must give each metric; without them, any test may. */
  tests?: Test[];
  /** Whether a criterion may stop a campaign. */
  stops?: boolean;
};

/** Criteria with completion of metrics; each shows its meaning, or the mistake in it. */
export function CriteriaField({
  label,
  description,
  criteria,
  onChange,
  tests,
  stops = false,
}: Props) {
  const metrics = useQuery(metricsQuery);
  const checked = useChecked(criteria, tests);
  const change = (index: number, changed: Partial<Criterion>) =>
    onChange(criteria.map((one, place) => (place === index ? { ...one, ...changed } : one)));
  return (
    <Input.Wrapper
      className={classes.field}
      component="fieldset"
      label={label}
      labelElement="div"
      description={description}
    >
      <div className={classes.criteria}>
        {criteria.map(({ criterion, stop }, index) => {
          const found = checked.get(criterion);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: criteria are known by their order
            <div key={index} className={classes.criterion} data-stops={stops}>
              <Autocomplete
                aria-label={`Criterion ${index + 1}`}
                placeholder="durable.mean >= 1250 MB/s"
                value={criterion}
                onChange={(text) => change(index, { criterion: text })}
                data={completions(metrics.data?.items ?? [], criterion)}
                filter={({ options }) => options}
                inputWrapperOrder={["label", "input", "description", "error"]}
                description={found?.meaning ?? definitionOf(metrics.data?.items ?? [], criterion)}
                error={found?.mistake ? mistakeText(found.mistake) : undefined}
                spellCheck={false}
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
          onClick={() => onChange([...criteria, { criterion: "", stop: false }])}
        >
          Add criterion
        </Button>
      </div>
    </Input.Wrapper>
  );
}

type Mistake = { position: number; message: string; remedy: string };

/** "unknown unit 'QB' (character 18). Use MB/s …" */
export const mistakeText = ({ position, message, remedy }: Mistake): string =>
  `${message} (character ${position + 1}). ${remedy}`;

/** The metrics whose names continue what was typed; none after the metric is complete. */
export function completions(metrics: Metric[], text: string): string[] {
  const typed = text.trim().toLowerCase();
  const names = [...new Set(metrics.map(({ name }) => name))];
  if (/[\s(<>]/.test(text.trimStart())) return [];
  return names.filter((name) => name.includes(typed) && name !== typed);
}

/** The definition of the metric that a criterion begins with. */
function definitionOf(metrics: Metric[], text: string): string | undefined {
  const name = /^\s*([\w.]+)/.exec(text)?.[1];
  return metrics.find((metric) => metric.name === name)?.definition;
}

/** What the API says about each criterion, a moment after it was typed. */
function useChecked(criteria: Criterion[], tests: Test[] | undefined) {
  const typed = useMemo(
    () => criteria.map(({ criterion }) => criterion).filter((text) => text.trim()),
    [criteria],
  );
  const [body] = useDebouncedValue({ criteria: typed, tests }, PAUSE_MS);
  const query = useQuery({
    queryKey: ["criteria", body],
    queryFn: () => unwrap(api.POST("/api/v1/criteria/check", { body })),
    enabled: body.criteria.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const found = query.isPlaceholderData ? [] : (query.data?.criteria ?? []);
  return new Map(found.map((one, index) => [body.criteria[index] ?? one.criterion, one]));
}
