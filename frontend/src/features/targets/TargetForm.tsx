import { Button, Checkbox, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Target } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { ArrayChoice } from "@/features/arrays/ArrayChoice";

type Props = {
  hostId: number;
  path: string;
  onPath: (path: string) => void;
  /** Whether the path lies on the host's root file system, as far as the inventory knows. */
  onRoot: boolean;
  /** Whether adding the target is what the page is for; afterwards something else may be. */
  primary?: boolean;
  onMade: (target: Target) => void;
};

/** Registers a directory in which tests may write; the worker checks it before it is kept. */
export function TargetForm({ hostId, path, onPath, onRoot, primary = true, onMade }: Props) {
  const [name, setName] = useState("");
  const [array, setArray] = useState<number | null>(null);
  const [consentedTo, setConsentedTo] = useState<string | null>(null);
  const consent = consentedTo === path;
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: (wanted: string) =>
      unwrap(
        api.POST("/api/v1/targets", {
          body: {
            host_id: hostId,
            path: wanted,
            ...(name ? { name } : {}),
            ...(array === null ? {} : { array_id: array }),
            root_consent: consent,
          },
        }),
      ),
    onSuccess: async (target) => {
      await Promise.all(
        ["targets", "hosts", "arrays"].map((key) =>
          queryClient.invalidateQueries({ queryKey: [key] }),
        ),
      );
      setName("");
      setConsentedTo(null);
      onMade(target);
    },
  });
  // A refusal, like a consent, is about the path that it was given for.
  const problem = make.error && make.variables === path ? asProblem(make.error) : null;
  const fields = problem?.fields ?? {};
  const asksConsent = onRoot || problem?.code === "root_fs_consent_required";

  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(path);
      }}
    >
      <TextInput
        label="Directory"
        description="An existing directory. Assay creates its own subdirectory and changes nothing else."
        placeholder="/mnt/array/assay"
        required
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        value={path}
        onChange={(event) => onPath(event.currentTarget.value)}
        error={fields.path}
      />
      <TextInput
        label="Name"
        description="Optional display name."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fields.name}
      />
      <ArrayChoice value={array} onChange={setArray} error={fields.array_id} />
      {asksConsent ? (
        <Checkbox
          label="Allow tests on this host's root file system"
          description="A full root file system stops the host. Assay keeps the reserved space free, but other processes may use it."
          checked={consent}
          onChange={(event) => setConsentedTo(event.currentTarget.checked ? path : null)}
          error={fields.root_consent}
        />
      ) : null}
      {problem && !fields.path && !fields.name ? <ProblemPanel error={problem} /> : null}
      <div className={form.actions}>
        <Button type="submit" variant={primary ? "filled" : "default"} loading={make.isPending}>
          Check and add target
        </Button>
      </div>
    </form>
  );
}
