import { Button, Input, NumberInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useCan } from "@/api/useCan";
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
import { JumpHostChoice } from "./JumpHostChoice";
import { asRegistration } from "./registration";
import { useDraft } from "./useDraft";

const MONO = { input: { fontFamily: "var(--font-figures)" } };
/** A rejected key is named by fingerprints, which are longer than a line on a phone. */
const WRAPPED = { ...MONO, error: { overflowWrap: "anywhere" } } as const;

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
  const isAdmin = useCan("admin");
  const { form, onSubmit, isPending, problem } = useApiForm({
    // `fingerprint` is what the API calls the known key of that form; its error is shown there
    initialValues: { ...draft, fingerprint: "" },
    onValuesChange: set,
    changed: "hosts",
    send: (values) => {
      const { connection, name, address, port, user, credential_id, jump_host_id } = values;
      const login = { address, port, user, credential_id, jump_host_id };
      const access = connection === "ssh" ? login : { port };
      if (!host) {
        const { keys, targets, wait } = asRegistration(values);
        const body = { name, connection, ...access, ...keys, targets };
        return unwrap(api.POST("/api/v1/hosts", { params: { query: { wait } }, body }));
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
      if (host || !saved.check) check.mutate(saved.id);
      await onMade(saved);
      forget();
    },
  });
  const { connection } = form.values;
  const isKeyKnown = !host && connection === "ssh" && form.values.known_hosts.trim() !== "";
  const offered = host?.offered_key && !isChecking(host);

  return (
    <>
      <form className={layout.form} onSubmit={onSubmit}>
        {host ? (
          <ManagedBy file={host.managed_by} />
        ) : (
          <Input.Wrapper
            description={
              isAdmin ? null : "Only administrators can add the machine that Assay runs on."
            }
            error={form.errors.connection}
          >
            <SegmentedControl
              aria-label="Connection type"
              data={[
                { value: "ssh", label: "SSH" },
                { value: "local", label: "This machine", disabled: !isAdmin },
              ]}
              value={connection}
              onChange={(value) => form.setFieldValue("connection", value)}
            />
          </Input.Wrapper>
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
            <JumpHostChoice
              hostId={host?.id}
              value={form.values.jump_host_id}
              onChange={(id) => form.setFieldValue("jump_host_id", id)}
              error={form.errors.jump_host_id}
            />
            {host ? null : (
              <Textarea
                label="Known host key"
                description="Optional: a fingerprint (SHA256:…) or lines of a known_hosts file. A host that shows this key is approved without asking; one with another key is not added."
                autosize
                minRows={2}
                maxRows={6}
                spellCheck={false}
                styles={WRAPPED}
                {...form.getInputProps("known_hosts")}
                error={form.errors.known_hosts ?? form.errors.fingerprint}
              />
            )}
          </>
        ) : null}
        {isKeyKnown ? (
          <Textarea
            label="Target directories"
            description="Optional: one per line. If one cannot be a target, nothing is added."
            autosize
            minRows={2}
            maxRows={6}
            spellCheck={false}
            styles={MONO}
            {...form.getInputProps("targets")}
          />
        ) : null}
        {problem ? <ProblemPanel error={problem} /> : null}
        <div className={layout.actions}>
          <Button
            type="submit"
            variant={offered ? "default" : "filled"}
            loading={isPending || check.isPending || isChecking(host)}
          >
            {connection === "local"
              ? "Inspect this machine"
              : isKeyKnown
                ? "Add host"
                : "Fetch host key"}
          </Button>
        </div>
      </form>
      {check.error ? <ProblemPanel error={check.error} /> : null}
      {host ? <CheckProgress host={host} /> : null}
      {host && offered ? <HostKeyApproval host={host} primary /> : null}
    </>
  );
}
