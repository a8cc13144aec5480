import { Button, Checkbox, NumberInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Retention, RetentionPreview, RetentionRules } from "@/api/shapes";
import { ifMatch, useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { counted, formatBytes, RelativeTime } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "./RetentionForm.module.css";

/** What was previewed, and for which rules. */
type Previewed = { rules: RetentionRules; found: RetentionPreview };

/** The retention rules; what they remove is shown before they can be saved or applied. */
export function RetentionForm({ retention }: { retention: Retention }) {
  const mayChange = useCan("admin");
  const [opened] = useState(retention);
  const [draft, setDraft] = useState<Draft>(() => draftOf(opened.rules));
  const [version, setVersion] = useState(opened.etag);
  const rules = rulesOf(draft);
  const preview = useMutation({
    mutationFn: async (asked: RetentionRules): Promise<Previewed> => ({
      rules: asked,
      found: await unwrap(api.POST("/api/v1/retention/preview", { body: asked })),
    }),
  });
  const save = useWrite(
    "retention",
    (wanted: RetentionRules) =>
      unwrap(api.PUT("/api/v1/retention", { params: { header: ifMatch(version) }, body: wanted })),
    (saved) => {
      setVersion(saved.etag);
      preview.reset();
    },
  );
  const apply = useWrite("retention", () => unwrap(api.POST("/api/v1/retention/run")));
  const shown = preview.data && sameRules(preview.data.rules, rules) ? preview.data.found : null;
  const isSaved = sameRules(retention.rules, rules);
  const change = (name: RuleName, changes: Partial<Draft[RuleName]>) =>
    setDraft((before) => ({ ...before, [name]: { ...before[name], ...changes } }));
  const error = preview.error ?? save.error ?? apply.error;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        preview.mutate(rules);
      }}
    >
      {RULES.map(({ name, label, what }) => (
        <fieldset key={name} className={classes.rule} disabled={!mayChange}>
          <legend className="visually-hidden">{label}</legend>
          <Checkbox
            label={label}
            description={what}
            checked={draft[name].on}
            onChange={(event) => change(name, { on: event.currentTarget.checked })}
          />
          {draft[name].on ? (
            <div className={classes.details}>
              <NumberInput
                label="Days after the end"
                min={1}
                max={36_500}
                allowDecimal={false}
                value={draft[name].days}
                onChange={(days) => change(name, { days })}
              />
              <Checkbox
                label="Keep those of campaigns with labels"
                checked={draft[name].keepLabeled}
                onChange={(event) => change(name, { keepLabeled: event.currentTarget.checked })}
              />
              <Checkbox
                label="Keep those of campaigns with an external reference"
                checked={draft[name].keepReferenced}
                onChange={(event) => change(name, { keepReferenced: event.currentTarget.checked })}
              />
            </div>
          ) : null}
        </fieldset>
      ))}
      {error ? <ProblemPanel error={error} /> : null}
      <div className={layout.actions}>
        <Button type="submit" variant="default" loading={preview.isPending}>
          Preview removal
        </Button>
        {mayChange && shown && !isSaved ? (
          <ConfirmButton
            label="Save rules"
            question="Save these retention rules?"
            consequence={<Consequence found={shown} />}
            loading={save.isPending}
            onConfirm={() => save.mutate(rules)}
          />
        ) : null}
        {mayChange && shown && isSaved && hasSome(shown) ? (
          <ConfirmButton
            label="Apply now"
            question="Apply the retention rules now?"
            consequence={<Consequence found={shown} />}
            loading={apply.isPending}
            onConfirm={() => apply.mutate()}
          />
        ) : null}
      </div>
      {shown ? <Removals found={shown} /> : null}
    </form>
  );
}

const hasSome = (found: RetentionPreview) =>
  Object.values(found).some((one) => one !== null && one.campaigns > 0);

function Consequence({ found }: { found: RetentionPreview }) {
  const parts = RULES.flatMap(({ name, label }) => {
    const one = found[name];
    return one && one.campaigns > 0 ? [`${label}: ${formatBytes(one.bytes)}.`] : [];
  });
  return parts.length === 0 ? (
    <p>Nothing is old enough now. The rules are applied every hour.</p>
  ) : (
    <>
      {parts.map((part) => (
        <p key={part}>{part}</p>
      ))}
      <p>This cannot be undone, except the deletion of a campaign within a minute.</p>
    </>
  );
}

/** What each rule removes now. */
function Removals({ found }: { found: RetentionPreview }) {
  const given = RULES.filter(({ name }) => found[name] !== null);
  if (given.length === 0) return <p role="status">No rule is set: everything is kept.</p>;
  return (
    <div role="status">
      {given.map(({ name, label }) => {
        const removal = found[name];
        return removal ? <RemovalTable key={name} title={label} removal={removal} /> : null;
      })}
    </div>
  );
}

interface RemovalTableProps {
  title: string;
  removal: NonNullable<RetentionPreview["campaigns"]>;
}

/** What a rule removes: counts, bytes, and the oldest objects. */
function RemovalTable({ title, removal }: RemovalTableProps) {
  const { campaigns, runs, bytes, items } = removal;
  if (campaigns === 0)
    return (
      <p>
        <strong>{title}:</strong> nothing is old enough now.
      </p>
    );
  const ofRuns = items.some(({ run_id }) => run_id !== null);
  const all = ofRuns ? runs : campaigns;
  return (
    <div className={classes.removal}>
      <p>
        <strong>{title}:</strong> {formatBytes(bytes)} of {counted(runs, "run")} in{" "}
        {counted(campaigns, "campaign")}
        {all > items.length ? `; the ${items.length} oldest:` : ":"}
      </p>
      <FigureTable caption={title}>
        <thead>
          <tr>
            <th scope="col">{ofRuns ? "Run" : "Campaign"}</th>
            <th scope="col">Ended</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ campaign_id, campaign, run_id, test, ended_at, bytes: size }) => (
            <tr key={run_id ?? campaign_id}>
              <th scope="row">
                {run_id === null ? (
                  <Link to="/campaigns/$id" params={{ id: campaign_id }}>
                    {campaign_id} {campaign}
                  </Link>
                ) : (
                  <Link to="/runs/$id" params={{ id: run_id }}>
                    {run_id} {test} ({campaign})
                  </Link>
                )}
              </th>
              <td>
                <RelativeTime at={ended_at} />
              </td>
              <td>{formatBytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
    </div>
  );
}

type RuleName = keyof RetentionRules;

/** A rule as the form has it; one that is off keeps its values until the form is closed. */
export type RuleDraft = {
  on: boolean;
  days: number | string;
  keepLabeled: boolean;
  keepReferenced: boolean;
};

type Draft = Record<RuleName, RuleDraft>;

const RULES: readonly { name: RuleName; label: string; what: string; days: number }[] = [
  {
    name: "raw_logs",
    label: "Remove raw event logs",
    what: "Results and charts stay. Runs can no longer be rebuilt by newer rules.",
    days: 90,
  },
  {
    name: "samples",
    label: "Remove samples",
    what: "Results stay. Charts over time become empty.",
    days: 365,
  },
  {
    name: "campaigns",
    label: "Delete campaigns",
    what: "With all runs and results.",
    days: 1095,
  },
];

/** The form's values for the stored rules. */
export const draftOf = (rules: RetentionRules): Draft =>
  Object.fromEntries(
    RULES.map(({ name, days }) => {
      const rule = rules[name];
      return [
        name,
        {
          on: Boolean(rule),
          days: rule?.older_than_days ?? days,
          keepLabeled: rule?.keep_labeled ?? true,
          keepReferenced: rule?.keep_referenced ?? true,
        },
      ];
    }),
  ) as Draft;

/** The rules that the form has; a number of days that is none is for the server to refuse. */
export const rulesOf = (draft: Draft): RetentionRules =>
  Object.fromEntries(
    RULES.map(({ name }) => {
      const { on, days, keepLabeled, keepReferenced } = draft[name];
      return [
        name,
        on
          ? {
              older_than_days: days === "" ? 0 : Number(days),
              keep_labeled: keepLabeled,
              keep_referenced: keepReferenced,
            }
          : null,
      ];
    }),
  ) as RetentionRules;

/** Whether two sets of rules are the same. */
export const sameRules = (one: RetentionRules, other: RetentionRules): boolean =>
  JSON.stringify(rulesOf(draftOf(one))) === JSON.stringify(rulesOf(draftOf(other)));
