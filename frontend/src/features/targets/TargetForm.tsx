import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { arraysQuery } from "@/api/queries";
import type { Target } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

const NO_ARRAY = "none";

type Props = {
  hostId: number;
  path: string;
  onPath: (path: string) => void;
  /** Whether the path lies on the host's root file system, as far as the inventory knows. */
  onRoot: boolean;
  onMade: (target: Target) => void;
};

/** Registers a directory in which tests may write; the worker checks it before it is kept. */
export function TargetForm({ hostId, path, onPath, onRoot, onMade }: Props) {
  const [name, setName] = useState("");
  const [array, setArray] = useState(NO_ARRAY);
  const [consent, setConsent] = useState(false);
  const arrays = useQuery(arraysQuery);
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/targets", {
          body: {
            host_id: hostId,
            path,
            ...(name ? { name } : {}),
            ...(array === NO_ARRAY ? {} : { array_id: Number(array) }),
            root_consent: consent,
          },
        }),
      ),
    onSuccess: async (target) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["targets"] }),
        queryClient.invalidateQueries({ queryKey: ["hosts"] }),
      ]);
      onMade(target);
    },
  });
  const problem = make.error ? asProblem(make.error) : null;
  const fields = problem?.fields ?? {};
  const asksConsent = onRoot || problem?.code === "root_fs_consent_required";

  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <TextInput
        label="Directory"
        description="It has to exist. Assay makes a directory of its own in it and touches nothing else."
        placeholder="/mnt/array/assay"
        required
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        value={path}
        onChange={(event) => onPath(event.currentTarget.value)}
        error={fields.path}
      />
      <div className={form.row}>
        <TextInput
          label="Name"
          description="If the path is not enough."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fields.name}
        />
        <Select
          label="Array"
          description="The storage system it lies on."
          data={[
            { value: NO_ARRAY, label: "None" },
            ...(arrays.data?.items ?? []).map(({ id, name: label }) => ({
              value: String(id),
              label,
            })),
          ]}
          value={array}
          onChange={(value) => setArray(value ?? NO_ARRAY)}
          error={fields.array_id}
        />
      </div>
      {asksConsent ? (
        <Checkbox
          label="Tests may write on this host's root file system"
          description="A full root file system stops the host. Assay keeps the reserve free, but others write there too."
          checked={consent}
          onChange={(event) => setConsent(event.currentTarget.checked)}
          error={fields.root_consent}
        />
      ) : null}
      {problem && !fields.path && !fields.name ? <ProblemPanel error={problem} /> : null}
      <div className={form.actions}>
        <Button type="submit" loading={make.isPending}>
          Check and add target
        </Button>
      </div>
    </form>
  );
}
