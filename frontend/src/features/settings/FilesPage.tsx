import { Button, Checkbox, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { FilePlan, PlannedChange } from "@/api/shapes";
import { saveText } from "@/charts/saveFile";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { Section } from "@/components/page/Page";
import classes from "./FilesPage.module.css";
import settings from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

/** Qualification files: what exists as YAML, and back. */
export function FilesPage() {
  return (
    <SettingsPage title="Files">
      <p className={settings.about}>
        A qualification file describes hosts, targets, arrays and profiles as YAML, so that they can
        be reviewed, versioned and recreated. Pipelines use <code>assay apply</code> and{" "}
        <code>assay export</code>.
      </p>
      <ApplyFile />
      <ExportFile />
    </SettingsPage>
  );
}

type Input = { text: string; prune: boolean; adopt: boolean };

/** Applies a qualification file: first the plan, then the same changes. */
function ApplyFile() {
  const [input, setInput] = useState<Input>({ text: "", prune: false, adopt: false });
  const queryClient = useQueryClient();
  const send = (dry_run: boolean) =>
    unwrap(
      api.POST("/api/v1/apply", {
        params: { query: { dry_run, prune: input.prune, adopt: input.adopt } },
        body: { text: input.text },
      }),
    );
  const preview = useMutation({ mutationFn: () => send(true) });
  const apply = useMutation({
    mutationFn: () => send(false),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const set = (changed: Partial<Input>) => {
    setInput({ ...input, ...changed });
    preview.reset(); // a plan is of one text and its options
    apply.reset();
  };
  const plan = apply.data ?? preview.data;
  const error = apply.error ?? preview.error;
  const canApply = preview.data !== undefined && apply.data === undefined;
  return (
    <Section
      title="Apply a file"
      hint="Creates and changes hosts, targets, arrays and profiles as the file describes them. Fields that it omits keep their values."
    >
      <div className={classes.file}>
        <label className={classes.choose}>
          <span>File</span>
          <input
            type="file"
            accept=".yaml,.yml,.json"
            onChange={({ currentTarget }) =>
              currentTarget.files?.[0]?.text().then((text) => set({ text }))
            }
          />
        </label>
        <Textarea
          label="Text"
          description="YAML or JSON. A chosen file is shown here and can be edited."
          className={classes.text}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          value={input.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
        <Checkbox
          label="Remove what the file no longer has"
          description="Only objects that this file created. Objects in use are not removed."
          checked={input.prune}
          onChange={(event) => set({ prune: event.currentTarget.checked })}
        />
        <Checkbox
          label="Take over existing objects"
          description="Objects that were created here or by another file are then managed by this file."
          checked={input.adopt}
          onChange={(event) => set({ adopt: event.currentTarget.checked })}
        />
        <div className={layout.actions}>
          <Button
            variant={canApply ? "default" : "filled"}
            disabled={input.text.trim() === ""}
            loading={preview.isPending}
            onClick={() => {
              apply.reset();
              preview.mutate();
            }}
          >
            Preview changes
          </Button>
          {canApply ? (
            <Button loading={apply.isPending} onClick={() => apply.mutate()}>
              Apply file
            </Button>
          ) : null}
        </div>
      </div>
      {error ? <ProblemPanel error={error} /> : null}
      {plan && !error ? <PlanView plan={plan} /> : null}
    </Section>
  );
}

const LONGEST_VALUE = 80;

type Tense = { planned: string; done: string };

const WORDS: Record<PlannedChange["action"], Tense> = {
  create: { planned: "Create", done: "Created" },
  change: { planned: "Change", done: "Changed" },
  remove: { planned: "Remove", done: "Removed" },
  keep: { planned: "Keep", done: "Kept" },
  wait: { planned: "Wait", done: "Waiting" },
  unchanged: { planned: "Unchanged", done: "Unchanged" },
};

/** How a value of a plan is shown: as JSON on one line, shortened. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** The number of objects by action: "1 created, 3 unchanged". */
export function countsText({ changes, dry_run }: FilePlan): string {
  const tense = dry_run ? "planned" : "done";
  const counts = Object.entries(WORDS)
    .map(([action, words]) => ({
      word: dry_run && action !== "unchanged" ? `to ${words[tense]}` : words[tense],
      count: changes.filter((change) => change.action === action).length,
    }))
    .filter(({ count }) => count > 0);
  return counts.map(({ word, count }) => `${count} ${word.toLowerCase()}`).join(", ");
}

function Named({ change: { kind, name, id, action } }: { change: PlannedChange }) {
  if (id === null || id === undefined || action === "remove" || action === "create") {
    return <code className={classes.name}>{name}</code>;
  }
  const to = { array: "/arrays/$id", host: "/hosts/$id", profile: "/profiles/$id" } as const;
  if (kind === "target") return <code className={classes.name}>{name}</code>;
  return (
    <Link to={to[kind]} params={{ id }} className={classes.name}>
      {name}
    </Link>
  );
}

function Change({ change, tense }: { change: PlannedChange; tense: keyof Tense }) {
  const { action, kind, fields, reason } = change;
  return (
    <li className={classes.change}>
      <p>
        <strong>{WORDS[action][tense]}</strong> {kind} <Named change={change} />
      </p>
      {fields.length > 0 ? (
        <ul className={classes.fields}>
          {fields.map(({ field, old, new: now }) => (
            <li key={field}>
              <code>{field}</code>: {valueText(old)} → {valueText(now)}
            </li>
          ))}
        </ul>
      ) : null}
      {reason ? <p className={classes.reason}>{reason}</p> : null}
    </li>
  );
}

/** What applying a file does, or did; unchanged objects are only counted. */
function PlanView({ plan }: { plan: FilePlan }) {
  const shown = plan.changes.filter(({ action, reason }) => action !== "unchanged" || reason);
  return (
    <div className={classes.plan}>
      <p role="status">
        {plan.dry_run ? "Nothing was changed yet. " : null}
        {countsText(plan) || "The file describes no objects"}.
      </p>
      {shown.length > 0 ? (
        <ul className={classes.changes} aria-label={plan.dry_run ? "Planned changes" : "Changes"}>
          {shown.map((change) => (
            <Change
              key={`${change.kind} ${change.name}`}
              change={change}
              tense={plan.dry_run ? "planned" : "done"}
            />
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** Downloads a qualification file of everything that exists. */
function ExportFile() {
  const download = useMutation({
    mutationFn: () => unwrap(api.GET("/api/v1/export")),
    onSuccess: ({ text }) => saveText(text, "qualification.yaml", "application/yaml"),
  });
  const credentials = download.data?.credentials ?? [];
  return (
    <Section
      title="Export a file"
      hint="All hosts, targets, arrays and profiles, except built-in profiles and the secrets of credentials."
      action={
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download file
        </Button>
      }
    >
      {download.error ? <ProblemPanel error={download.error} /> : null}
      {credentials.length > 0 ? (
        <p className={classes.credentials} role="status">
          The file refers to these credentials by name: {credentials.join(", ")}. Add them to
          another appliance before you apply the file there.
        </p>
      ) : null}
    </Section>
  );
}
