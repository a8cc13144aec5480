import { Button, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CredentialChoice } from "@/features/credentials/CredentialChoice";
import { CheckProgress } from "../CheckProgress";
import { HostKeyApproval } from "../HostKeyApproval";
import { type useHostCheck, useKeepHost } from "../useHostCheck";
import classes from "./Connect.module.css";
import { type Draft, useDraft } from "./useDraft";

const FIELDS = ["name", "address", "port", "user", "credential_id"];
const MONO = { input: { fontFamily: "var(--font-figures)" } };

type Props = {
  host?: Host;
  /** Outlives this form, which starts anew once the host is made. */
  check: ReturnType<typeof useHostCheck>;
  onMade: (host: Host) => Promise<void>;
};

/** Step 1: address and login; then the host key in full, to be compared and approved. */
export function Connect({ host, check, onMade }: Props) {
  const { draft, set, forget } = useDraft(host);
  const keep = useKeepHost();
  const save = useMutation({
    mutationFn: () => {
      const { connection, name, address, port, user, credential_id } = draft;
      const way = connection === "ssh" ? { address, port, user, credential_id } : { port };
      if (!host) return unwrap(api.POST("/api/v1/hosts", { body: { name, connection, ...way } }));
      return unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id } },
          body: { name, ...way },
        }),
      );
    },
    onSuccess: async (saved) => {
      keep(saved);
      check.mutate(saved.id);
      await onMade(saved);
      forget();
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  const offered = host?.offered_key && !isChecking(host);

  return (
    <>
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {host ? null : (
          <SegmentedControl
            aria-label="Connection type"
            data={[
              { value: "ssh", label: "SSH" },
              { value: "local", label: "This machine" },
            ]}
            value={draft.connection}
            onChange={(value) => set({ connection: value as Draft["connection"] })}
          />
        )}
        <TextInput
          label="Name"
          description="Display name."
          required
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fields.name}
        />
        {draft.connection === "ssh" ? (
          <>
            <div className={classes.address}>
              <TextInput
                label="Address"
                placeholder="storage-7.example"
                required
                styles={MONO}
                value={draft.address}
                onChange={(event) => set({ address: event.currentTarget.value })}
                error={fields.address}
              />
              <NumberInput
                label="Port"
                required
                min={1}
                max={65535}
                allowDecimal={false}
                hideControls
                styles={MONO}
                value={draft.port}
                onChange={(value) => set({ port: Number(value) })}
                error={fields.port}
              />
            </div>
            <TextInput
              label="User"
              description="Root not required."
              required
              autoComplete="off"
              styles={MONO}
              value={draft.user}
              onChange={(event) => set({ user: event.currentTarget.value })}
              error={fields.user}
            />
            <CredentialChoice
              value={draft.credential_id}
              onChange={(credential_id) => set({ credential_id })}
              error={fields.credential_id}
            />
          </>
        ) : null}
        {problem && !FIELDS.some((name) => fields[name]) ? <ProblemPanel error={problem} /> : null}
        <div className={form.actions}>
          <Button
            type="submit"
            variant={offered ? "default" : "filled"}
            loading={save.isPending || check.isPending || isChecking(host)}
          >
            {draft.connection === "local" ? "Inspect this machine" : "Fetch host key"}
          </Button>
        </div>
      </form>
      {check.error ? <ProblemPanel error={check.error} /> : null}
      {host ? <CheckProgress host={host} /> : null}
      {host && offered ? <HostKeyApproval host={host} primary /> : null}
    </>
  );
}
