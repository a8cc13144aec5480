import { Button, Checkbox, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { ifMatch, useCan } from "@/api/writes";
import { CopyText } from "@/components/CopyText";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { StateBadge } from "@/components/state/StateBadge";
import settings from "@/features/settings/Settings.module.css";
import classes from "./Webhooks.module.css";
import { EVENTS, type Webhook, type WebhookEvent } from "./webhooks";

interface WebhookFormProps {
  /** The webhook to change; without it, a new one. */
  webhook?: Webhook;
  onSaved: (saved: Webhook & { secret?: string }) => void;
}

/** Name, URL and events of a webhook. */
export function WebhookForm({ webhook, onSaved }: WebhookFormProps) {
  const [opened] = useState(webhook);
  const isAdmin = useCan("admin");
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: opened?.name ?? "",
      url: opened?.url ?? "",
      events: (opened?.events ?? Object.keys(EVENTS)) as WebhookEvent[],
      private_addresses: opened?.private_addresses ?? false,
    },
    changed: "webhooks",
    send: (body): Promise<Webhook & { secret?: string }> =>
      opened
        ? unwrap(
            api.PATCH("/api/v1/webhooks/{webhook_id}", {
              params: { path: { webhook_id: opened.id }, header: ifMatch(opened.etag) },
              body,
            }),
          )
        : unwrap(api.POST("/api/v1/webhooks", { body: { ...body, enabled: true } })),
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        description="For example, the system that receives the events."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <TextInput
        label="URL"
        description="Events are sent here by POST, as JSON."
        placeholder="https://ci.example.com/hooks/assay"
        required
        inputMode="url"
        autoComplete="off"
        {...form.getInputProps("url")}
      />
      <Checkbox.Group label="Events" required {...form.getInputProps("events")}>
        <div className={classes.events}>
          {Object.entries(EVENTS).map(([event, { name, when }]) => (
            <Checkbox key={event} value={event} label={name} description={when} />
          ))}
        </div>
      </Checkbox.Group>
      <Switch
        label="Allow private addresses"
        description={
          isAdmin
            ? "The URL may lead to private, loopback and link-local addresses, such as a receiver in the same network."
            : "Only an administrator can allow private, loopback and link-local addresses."
        }
        disabled={!isAdmin && !form.values.private_addresses}
        {...form.getInputProps("private_addresses", { type: "checkbox" })}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          {opened ? "Save webhook" : "Create webhook"}
        </Button>
      </div>
    </form>
  );
}

/** The secret of a webhook, which the API returns only once. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <div className={settings.once} role="status">
      <p>
        <strong>The secret is shown only once.</strong> The receiver verifies the header{" "}
        <code>webhook-signature</code> with it, as defined by Standard Webhooks.
      </p>
      <CopyText text={secret} label="secret" />
    </div>
  );
}

/** The state with the same look, which every page knows. */
const LIKE = { enabled: "ok", disabled: "cancelled", pending: "queued", delivered: "done" };

/** The state of a webhook or of a delivery. */
export function WebhookState({ state }: { state: keyof typeof LIKE | "failed" }) {
  return state === "failed" ? (
    <StateBadge state={state} />
  ) : (
    <StateBadge state={LIKE[state]} word={state} />
  );
}
