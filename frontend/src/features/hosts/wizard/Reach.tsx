import { Button, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CheckProgress } from "../CheckProgress";
import { HostKeyApproval } from "../HostKeyApproval";
import { useHostCheck, useKeepHost } from "../useHostCheck";

type Draft = { connection: "ssh" | "local"; name: string; address: string; port: number };

const EMPTY: Draft = { connection: "ssh", name: "", address: "", port: 22 };

/** Name and address; the host's key comes back in full, to be compared and approved. */
export function Reach({ host, onMade }: { host?: Host; onMade: (host: Host) => void }) {
  const [draft, setDraft, forget] = useSessionStorage<Draft>({
    key: `assay-host-draft-${host?.id ?? "new"}`,
    defaultValue: host
      ? {
          connection: host.connection,
          name: host.name,
          address: host.address ?? "",
          port: host.port ?? 22,
        }
      : EMPTY,
    getInitialValueInEffect: false,
  });
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const keep = useKeepHost();
  const check = useHostCheck();
  const save = useMutation({
    mutationFn: async () => {
      const { connection, name, address, port } = draft;
      const body =
        connection === "ssh" ? { name, connection, address, port } : { name, connection };
      if (!host) return unwrap(api.POST("/api/v1/hosts", { body }));
      const change = connection === "ssh" ? { name, address, port } : { name };
      return unwrap(
        api.PATCH("/api/v1/hosts/{id}", { params: { path: { id: host.id } }, body: change }),
      );
    },
    onSuccess: (made) => {
      keep(made);
      if (!host) forget();
      onMade(made);
      check.mutate(made.id);
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  const named = fields.name ?? fields.address ?? fields.port;
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
        <SegmentedControl
          aria-label="How Assay reaches it"
          disabled={host !== undefined}
          data={[
            { value: "ssh", label: "Over SSH" },
            { value: "local", label: "This machine" },
          ]}
          value={draft.connection}
          onChange={(value) => set({ connection: value as Draft["connection"] })}
        />
        <TextInput
          label="Name"
          description="What people call it here."
          required
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fields.name}
        />
        {draft.connection === "ssh" ? (
          <div className={form.row} style={{ gridTemplateColumns: "1fr 112px" }}>
            <TextInput
              label="Address"
              placeholder="storage-7.example or 10.0.0.7"
              required
              styles={{ input: { fontFamily: "var(--font-figures)" } }}
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
              value={draft.port}
              onChange={(value) => set({ port: Number(value) })}
              error={fields.port}
            />
          </div>
        ) : null}
        {problem && !named ? <ProblemPanel error={problem} /> : null}
        <div className={form.actions}>
          <Button
            type="submit"
            variant={offered ? "default" : "filled"}
            loading={save.isPending || check.isPending || isChecking(host)}
          >
            {draft.connection === "local" ? "Look at this machine" : "Fetch host key"}
          </Button>
        </div>
      </form>
      {check.error ? <ProblemPanel error={check.error} /> : null}
      {host ? <CheckProgress host={host} /> : null}
      {host && offered ? <HostKeyApproval host={host} primary /> : null}
    </>
  );
}
