import { Button, Checkbox, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import type { Role, Scope } from "@/api/shapes";
import { ROLES, rolesUpTo } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { labelsIn, validateLabels } from "@/components/labels/Labels";
import { parseBytes } from "@/components/quantities";
import classes from "./Settings.module.css";

/** A new token with its secret, which the API returns only once. */
export type Made = { id: number; token: string };

const LIFETIMES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never" },
];

/** The form for a token: its role and scopes, and limits to what it launches. */
export function NewToken({ onMade }: { onMade: (made: Made) => void }) {
  const { data: session } = useQuery(sessionQuery);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: "",
      role: "viewer" as Role,
      scopes: scopesOf("viewer"),
      target_labels: "",
      bytes_per_day: "",
      campaigns_at_once: "" as number | "",
      lifetime: "90",
    },
    validate: {
      scopes: (scopes) => (scopes.length === 0 ? "Select at least one." : null),
      target_labels: validateLabels,
      bytes_per_day: (text) =>
        text.trim() === "" || parseBytes(text) !== null ? null : "Enter a size such as 2 TB.",
    },
    changed: "tokens",
    send: ({ name, role, scopes, lifetime, ...limits }) =>
      unwrap(
        api.POST("/api/v1/tokens", {
          body: {
            name,
            role,
            scopes: chosenScopes(role, scopes),
            ...(scopes.includes("launch")
              ? {
                  target_labels: labelsIn(limits.target_labels),
                  bytes_per_day: parseBytes(limits.bytes_per_day),
                  campaigns_at_once: limits.campaigns_at_once || null,
                }
              : {}),
            expires_in_days: lifetime === "never" ? null : Number(lifetime),
          },
        }),
      ),
    onSaved: onMade,
  });
  const { role, scopes } = form.values;
  const allowed = scopesOf(role);
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        description="For example, the pipeline that uses it."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <div className={layout.row}>
        <Select
          label="Role"
          data={rolesUpTo(session?.user.role ?? "viewer")}
          allowDeselect={false}
          {...form.getInputProps("role")}
          onChange={(chosen) => {
            form.setFieldValue("role", chosen as Role);
            form.setFieldValue("scopes", scopesOf(chosen as Role));
          }}
        />
        <Select
          label="Expires after"
          data={LIFETIMES}
          allowDeselect={false}
          {...form.getInputProps("lifetime")}
        />
      </div>
      <Checkbox.Group
        label="Scopes"
        description="What the token may do of its role."
        {...form.getInputProps("scopes")}
        onChange={(chosen) => form.setFieldValue("scopes", chosen as Scope[])}
      >
        <div className={classes.scopes}>
          {SCOPES.filter(({ value }) => allowed.includes(value)).map(({ value, label, about }) => (
            <Checkbox key={value} value={value} label={label} description={about} />
          ))}
        </div>
      </Checkbox.Group>
      {scopes.includes("launch") ? (
        <>
          <Textarea
            label="Launch only on targets with these labels"
            description="One key=value per line; all must match, on the target, its host or its array. Not together with Manage hosts, with which the token could label targets itself."
            rows={2}
            resize="vertical"
            styles={{ input: { fontFamily: "var(--font-figures)" } }}
            {...form.getInputProps("target_labels")}
          />
          <div className={layout.row}>
            <TextInput
              label="Written per day"
              description="For example 2 TB; empty is no limit. Days are UTC."
              {...form.getInputProps("bytes_per_day")}
            />
            <NumberInput
              label="Campaigns at once"
              description="Active and queued; empty is no limit."
              min={1}
              max={10_000}
              allowDecimal={false}
              {...form.getInputProps("campaigns_at_once")}
            />
          </div>
        </>
      ) : null}
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Create token
        </Button>
      </div>
    </form>
  );
}

/** What a token may do of its role, with the role that includes it, in the order of the API. */
const SCOPES: readonly { value: Scope; label: string; about: string; role: Role }[] = [
  { value: "read", label: "Read", about: "Everything, and estimates", role: "viewer" },
  { value: "launch", label: "Launch", about: "Launch and cancel campaigns", role: "operator" },
  {
    value: "hosts",
    label: "Manage hosts",
    about: "Hosts, their keys and labels, targets and arrays",
    role: "operator",
  },
  {
    value: "edit",
    label: "Edit",
    about: "Profiles, names, notes and waivers; delete campaigns",
    role: "operator",
  },
  {
    value: "admin",
    label: "Administer",
    about: "Users, tokens, credentials, tools, audit log",
    role: "admin",
  },
];

const rank = (role: Role): number => ROLES.findIndex(({ value }) => value === role);

/** The scopes that a role includes. */
export const scopesOf = (role: Role): Scope[] =>
  SCOPES.filter((scope) => rank(scope.role) <= rank(role)).map(({ value }) => value);

/** Scopes as the API takes them: null for all of the role, also of those that may be added. */
export const chosenScopes = (role: Role, scopes: readonly Scope[]): Scope[] | null =>
  scopesOf(role).every((scope) => scopes.includes(scope)) ? null : [...scopes];

/** "Read, launch" */
export function scopeWords(scopes: readonly Scope[]): string {
  const words = SCOPES.filter(({ value }) => scopes.includes(value)).map(({ label }) => label);
  const text = words.join(", ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
