import {
  Button,
  Input,
  NumberInput,
  SegmentedControl,
  Select,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { hostsQuery, isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useCan, useVersion } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { CredentialChoice } from "@/features/credentials/CredentialForm";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import {
  CheckProgress,
  HostKeyApproval,
  useCacheHost,
  type useHostCheck,
} from "@/features/hosts/HostCheck";
import classes from "./HostWizard.module.css";

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

type JumpHostChoiceProps = {
  /** The host itself, which is no jump host of its own. */
  hostId?: number;
  value: number | null;
  onChange: (id: number | null) => void;
  error?: React.ReactNode;
};

/** Selects the host through which another is reached; not shown while there is none. */
function JumpHostChoice({ hostId, value, onChange, error }: JumpHostChoiceProps) {
  const hosts = useQuery(hostsQuery).data?.items ?? [];
  const others = hosts.filter(({ id, connection }) => connection === "ssh" && id !== hostId);
  if (others.length === 0) return null;
  return (
    <Select
      label="Jump host"
      description="Only if the address is reached through another host's SSH server."
      placeholder="None"
      clearable
      searchable
      data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={error}
    />
  );
}

/** Seconds that the registration waits for the first check, whose progress is shown afterwards. */
const WAIT_S = 30;

/**
 * Return what a registration adds to the address: the known host key, the targets, and how long to
 * wait for the first check, which compares the key. Without a known key there is no such check.
 */
export function asRegistration({ connection, known_hosts, targets }: Draft) {
  const key = known_hosts.trim();
  if (connection === "local" || key === "") return { keys: {}, targets: [], wait: 0 };
  return {
    keys: isFingerprint(key) ? { fingerprint: key } : { known_hosts: key },
    targets: targets
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((path) => ({ path, root_consent: false })),
    wait: WAIT_S,
  };
}

/** Whether this is a fingerprint, alone or as `ssh-keygen -lf` prints it. */
const isFingerprint = (text: string): boolean => /^(\d+ )?(SHA256|MD5):/.test(text);

export type Draft = {
  connection: "ssh" | "local";
  name: string;
  address: string;
  port: number;
  user: string;
  credential_id: number | null;
  jump_host_id: number | null;
  /** A fingerprint, or lines of a known_hosts file. */
  known_hosts: string;
  /** Directories to register with the host, one a line. */
  targets: string;
};

/**
 * The input about a host; it survives a reload and is discarded once the host is saved. It belongs
 * to the host as it was at that time: input from before a change is not restored over newer values.
 */
export function useDraft(host?: Host) {
  const present: Draft = {
    connection: host?.connection ?? "ssh",
    name: host?.name ?? "",
    address: host?.address ?? "",
    port: host?.port ?? 22,
    user: host?.user ?? "",
    credential_id: host?.credential_id ?? null,
    jump_host_id: host?.jump_host_id ?? null,
    known_hosts: "",
    targets: "",
  };
  const [typed, setTyped, forget] = useSessionStorage<Partial<Draft>>({
    key: `assay-host-draft-${host?.id ?? "new"}-${JSON.stringify(present)}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const set = (change: Partial<Draft>) => setTyped((before) => ({ ...before, ...change }));
  return { draft: { ...present, ...typed }, set, forget };
}
