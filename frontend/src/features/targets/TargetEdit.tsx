import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Target } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { formatBytes, parseBytes } from "@/components/quantities";
import { ArrayChoice } from "@/features/arrays/ArrayChoice";

/** What may change of a target: its name, its array, and how much of it is kept free. */
export function TargetEdit({ target, onSaved }: { target: Target; onSaved: () => void }) {
  const [name, setName] = useState(target.name);
  const [array, setArray] = useState(target.array?.id ?? null);
  const shownReserve = formatBytes(target.reserve_bytes);
  const [reserve, setReserve] = useState(shownReserve);
  const reserveBytes = parseBytes(reserve);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/api/v1/targets/{target_id}", {
          params: { path: { target_id: target.id } },
          body: {
            name,
            array_id: array,
            // Left as it was, the reserve goes on following the file system's size.
            ...(reserve === shownReserve ? {} : { reserve_bytes: reserveBytes }),
          },
        }),
      ),
    onSuccess: async () => {
      await Promise.all(
        ["targets", "hosts", "arrays"].map((key) =>
          queryClient.invalidateQueries({ queryKey: [key] }),
        ),
      );
      onSaved();
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (reserveBytes !== null) save.mutate();
      }}
    >
      <TextInput
        label="Name"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fields.name}
      />
      <ArrayChoice value={array} onChange={setArray} error={fields.array_id} />
      <TextInput
        label="Reserved space"
        description="Tests stop before free space falls below this."
        value={reserve}
        onChange={(event) => setReserve(event.currentTarget.value)}
        error={reserveBytes === null ? "Enter a size such as 10 GB." : fields.reserve_bytes}
      />
      {problem && Object.keys(fields).length === 0 ? <ProblemPanel error={problem} /> : null}
      <div className={form.actions}>
        <Button type="submit" loading={save.isPending}>
          Save target
        </Button>
      </div>
    </form>
  );
}
