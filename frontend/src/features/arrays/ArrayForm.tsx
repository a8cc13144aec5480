import { Button, Checkbox, Modal, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { arraysQuery } from "@/api/queries";
import type { StorageArray } from "@/api/shapes";
import { useVersion } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { LabelFields, labelBody, labelValues, validateLabels } from "@/components/labels/Labels";
import { parseBytes } from "@/components/quantities";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { fileSizeText } from "@/features/parameters/parse";
import { arrayOf } from "@/features/targets/describe";
import classes from "./Arrays.module.css";

const TEXTS = [
  { name: "vendor", label: "Vendor" },
  { name: "model", label: "Model" },
  { name: "serial", label: "Serial number" },
  { name: "firmware", label: "Firmware" },
  { name: "raid", label: "RAID layout" },
] as const;

type Props = { array?: StorageArray; onSaved: (saved: StorageArray) => void };

/** Adds or edits an array; its cache size determines which results it may have served. */
export function ArrayForm({ array, onSaved }: Props) {
  const version = useVersion(array);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: array?.name ?? "",
      vendor: array?.vendor ?? "",
      model: array?.model ?? "",
      serial: array?.serial ?? "",
      firmware: array?.firmware ?? "",
      raid: array?.raid ?? "",
      cache_bytes: array?.cache_bytes ? fileSizeText(array.cache_bytes) : "",
      shared: array?.shared ?? false,
      ...labelValues(array),
    },
    validate: {
      cache_bytes: (text) =>
        text.trim() === "" || parseBytes(text) !== null ? null : "Enter a size such as 64 GB.",
      labels: validateLabels,
    },
    changed: "arrays",
    send: ({ name, cache_bytes, shared, labels, reference, ...texts }) => {
      const body = {
        name,
        vendor: texts.vendor || null,
        model: texts.model || null,
        serial: texts.serial || null,
        firmware: texts.firmware || null,
        raid: texts.raid || null,
        cache_bytes: parseBytes(cache_bytes),
        shared,
        ...labelBody({ labels, reference }),
      };
      return unwrap(
        array
          ? api.PATCH("/api/v1/arrays/{array_id}", {
              params: { path: { array_id: array.id }, header: version.header() },
              body,
            })
          : api.POST("/api/v1/arrays", { body }),
      );
    },
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <ManagedBy file={array?.managed_by ?? null} />
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <div className={layout.row}>
        {TEXTS.map(({ name, label }) => (
          <TextInput key={name} label={label} {...form.getInputProps(name)} />
        ))}
      </div>
      <TextInput
        label="Cache size"
        description="From the data sheet, such as 64 GB. Results with a working set under twice this size are marked."
        {...form.getInputProps("cache_bytes")}
      />
      <Checkbox
        label="Shared by multiple hosts"
        description="Tests on a shared array run one at a time, so that they do not affect each other."
        {...form.getInputProps("shared", { type: "checkbox" })}
      />
      <LabelFields getInputProps={form.getInputProps} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          {array ? "Save array" : "Add array"}
        </Button>
      </div>
    </form>
  );
}

const NO_ARRAY = "none";

type ArrayChoiceProps = {
  value: number | null;
  onChange: (id: number | null) => void;
  error?: React.ReactNode;
};

/** Selects the array behind a target, or adds one in a dialog. */
export function ArrayChoice({ value, onChange, error }: ArrayChoiceProps) {
  const [declaring, setDeclaring] = useState(false);
  const arrays = useQuery(arraysQuery).data?.items ?? [];
  return (
    <div className={classes.choice}>
      <Select
        label="Array"
        description="The storage system behind this target. Results with a working set under twice the array cache are marked “possibly served by the array”."
        data={[
          { value: NO_ARRAY, label: "None" },
          ...arrays.map((array) => ({ value: String(array.id), label: arrayOf(array) })),
        ]}
        value={value === null ? NO_ARRAY : String(value)}
        onChange={(id) => onChange(id === null || id === NO_ARRAY ? null : Number(id))}
        error={error}
      />
      <Button variant="default" onClick={() => setDeclaring(true)}>
        New array
      </Button>
      <Modal opened={declaring} onClose={() => setDeclaring(false)} title="Add array">
        <ArrayForm
          onSaved={({ id }) => {
            onChange(id);
            setDeclaring(false);
          }}
        />
      </Modal>
    </div>
  );
}
