import { Button, Checkbox, NumberInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Retention, RetentionPreview, RetentionRules } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { ifMatch } from "@/api/useVersion";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { formatBytes } from "@/components/quantities";
import { RemovalTable } from "./RemovalTable";
import classes from "./Retention.module.css";
import { type Draft, draftOf, RULES, type RuleName, rulesOf, sameRules } from "./retentionRules";

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
