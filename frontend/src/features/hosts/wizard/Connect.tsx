import { Button, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useVersion } from "@/api/useVersion";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { CredentialChoice } from "@/features/credentials/CredentialChoice";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { CheckProgress } from "../CheckProgress";
import { HostKeyApproval } from "../HostKeyApproval";
import { useCacheHost, type useHostCheck } from "../useHostCheck";
import classes from "./Connect.module.css";
import { useDraft } from "./useDraft";

const MONO = { input: { fontFamily: "var(--font-figures)" } };

type Props = {
  host?: Host;
  /** Kept outside this form, which is reset after the host is created. */
  check: ReturnType<typeof useHostCheck>;
  onMade: (host: Host) => Promise<void>;
};

/** Step 1: address and login; then the host key in full, to be compared and approved. */
export function Connect({ host, check, onMade }: Props) {
  const { draft, set, forget } = useDraft(host);
  const cache = useCacheHost();
  const version = useVersion(host);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: draft,
    onValuesChange: set,
    changed: "hosts",
    send: ({ connection, name, address, port, user, credential_id }) => {
      const access = connection === "ssh" ? { address, port, user, credential_id } : { port };
      if (!host) {
        return unwrap(api.POST("/api/v1/hosts", { body: { name, connection, ...access } }));
      }
      return unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id }, header: version.header() },
          body: { name, ...access },
        }),
      );
    },
    onSaved: async (saved) => {
      cache(saved);
      version.saved(saved);
      check.mutate(saved.id);
      await onMade(saved);
      forget();
    },
  });
  const { connection } = form.values;
  const offered = host?.offered_key && !isChecking(host);

  return (
    <>
      <form className={layout.form} onSubmit={onSubmit}>
        {host ? (
          <ManagedBy file={host.managed_by} />
        ) : (
          <SegmentedControl
            aria-label="Connection type"
            data={[
              { value: "ssh", label: "SSH" },
              { value: "local", label: "This machine" },
            ]}
            {...form.getInputProps("connection")}
          />
        )}
        <TextInput
          label="Name"
          description="Display name."
          required
          {...form.getInputProps("name")}
        />
        {connection === "ssh" ? (
          <>
            <div className={classes.address}>
              <TextInput
                label="Address"
                placeholder="storage-7.example"
                required
                styles={MONO}
                {...form.getInputProps("address")}
              />
              <NumberInput
                label="Port"
                required
                min={1}
                max={65535}
                allowDecimal={false}
                hideControls
                styles={MONO}
                value={form.values.port}
                onChange={(value) => form.setFieldValue("port", Number(value))}
                error={form.errors.port}
              />
            </div>
            <TextInput
              label="User"
              description="Root not required."
              required
              autoComplete="off"
              styles={MONO}
              {...form.getInputProps("user")}
            />
            <CredentialChoice
              value={form.values.credential_id}
              onChange={(id) => form.setFieldValue("credential_id", id)}
              error={form.errors.credential_id}
            />
          </>
        ) : null}
        {problem ? <ProblemPanel error={problem} /> : null}
        <div className={layout.actions}>
          <Button
            type="submit"
            variant={offered ? "default" : "filled"}
            loading={isPending || check.isPending || isChecking(host)}
          >
            {connection === "local" ? "Inspect this machine" : "Fetch host key"}
          </Button>
        </div>
      </form>
      {check.error ? <ProblemPanel error={check.error} /> : null}
      {host ? <CheckProgress host={host} /> : null}
      {host && offered ? <HostKeyApproval host={host} primary /> : null}
    </>
  );
}
