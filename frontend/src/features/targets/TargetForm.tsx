import { Button, Checkbox, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api, asProblem, unwrap } from "@/api/client";
import type { Target } from "@/api/shapes";
import { useVersion, useWrite } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { LabelFields, labelBody, labelValues, validateLabels } from "@/components/labels/Labels";
import { formatBytes, parseBytes } from "@/components/quantities";
import { ArrayChoice } from "@/features/arrays/ArrayForm";
import { ManagedBy } from "@/features/declarations/ManagedBy";

type Props = {
  hostId: number;
  path: string;
  onPath: (path: string) => void;
  /** Whether the path is on the host's root file system, according to the inventory. */
  onRoot: boolean;
  /** Whether adding the target is what the page is for; afterwards something else may be. */
  primary?: boolean;
  onMade: (target: Target) => void;
};

/** Adds a directory that tests may write to; the worker checks it first. */
export function TargetForm({ hostId, path, onPath, onRoot, primary = true, onMade }: Props) {
  const form = useForm({
    initialValues: {
      name: "",
      array_id: null as number | null,
      consentedTo: null as string | null,
    },
  });
  const consent = form.values.consentedTo === path;
  const make = useWrite(
    "targets",
    (wanted: string) =>
      unwrap(
        api.POST("/api/v1/targets", {
          body: {
            host_id: hostId,
            path: wanted,
            ...(form.values.name ? { name: form.values.name } : {}),
            ...(form.values.array_id === null ? {} : { array_id: form.values.array_id }),
            root_consent: consent,
          },
        }),
      ),
    (target) => {
      form.setValues({ name: "", consentedTo: null });
      onMade(target);
    },
  );
  // An error, like the consent, applies only to the path that it was given for.
  const problem = make.error && make.variables === path ? asProblem(make.error) : null;
  const fields = problem?.fields ?? {};
  const asksConsent = onRoot || problem?.code === "root_fs_consent_required";

  return (
    <form className={layout.form} onSubmit={form.onSubmit(() => make.mutate(path))}>
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
        {...form.getInputProps("name")}
        error={fields.name}
      />
      <ArrayChoice
        value={form.values.array_id}
        onChange={(id) => form.setFieldValue("array_id", id)}
        error={fields.array_id}
      />
      {asksConsent ? (
        <Checkbox
          label="Allow tests on this host's root file system"
          description="A full root file system stops the host. Assay keeps the reserved space free, but other processes may use it."
          checked={consent}
          onChange={(event) =>
            form.setFieldValue("consentedTo", event.currentTarget.checked ? path : null)
          }
          error={fields.root_consent}
        />
      ) : null}
      {problem && !fields.path && !fields.name ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" variant={primary ? "filled" : "default"} loading={make.isPending}>
          Check and add target
        </Button>
      </div>
    </form>
  );
}

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
