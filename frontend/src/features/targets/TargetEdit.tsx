import { Button, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import type { Target } from "@/api/shapes";
import { useVersion } from "@/api/useVersion";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import {
  LabelFields,
  labelBody,
  labelValues,
  validateLabels,
} from "@/components/labels/LabelFields";
import { formatBytes, parseBytes } from "@/components/quantities";
import { ArrayChoice } from "@/features/arrays/ArrayChoice";
import { ManagedBy } from "@/features/declarations/ManagedBy";

/** Edits a target's name, array, reserved space and labels. */
export function TargetEdit({ target, onSaved }: { target: Target; onSaved: () => void }) {
  const version = useVersion(target);
  const shownReserve = formatBytes(target.reserve_bytes);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: target.name,
      array_id: target.array?.id ?? null,
      reserve_bytes: shownReserve,
      ...labelValues(target),
    },
    validate: {
      reserve_bytes: (text) => (parseBytes(text) === null ? "Enter a size such as 10 GB." : null),
      labels: validateLabels,
    },
    changed: "targets",
    send: ({ name, array_id, reserve_bytes, ...labels }) =>
      unwrap(
        api.PATCH("/api/v1/targets/{target_id}", {
          params: { path: { target_id: target.id }, header: version.header() },
          body: {
            name,
            array_id,
            ...labelBody(labels),
            // Unless edited, the reserve continues to follow the size of the file system.
            ...(reserve_bytes === shownReserve ? {} : { reserve_bytes: parseBytes(reserve_bytes) }),
          },
        }),
      ),
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <ManagedBy file={target.managed_by} />
      <TextInput label="Name" required {...form.getInputProps("name")} />
      <ArrayChoice
        value={form.values.array_id}
        onChange={(id) => form.setFieldValue("array_id", id)}
        error={form.errors.array_id}
      />
      <TextInput
        label="Reserved space"
        description="Tests stop before free space falls below this."
        {...form.getInputProps("reserve_bytes")}
      />
      <LabelFields getInputProps={form.getInputProps} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save target
        </Button>
      </div>
    </form>
  );
}
