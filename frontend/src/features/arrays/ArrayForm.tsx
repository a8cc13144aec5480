import { Button, Checkbox, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { StorageArray } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { parseBytes } from "@/components/quantities";
import { fileSizeText } from "@/features/parameters/parse";

const TEXTS = [
  { name: "vendor", label: "Vendor" },
  { name: "model", label: "Model" },
  { name: "serial", label: "Serial number" },
  { name: "firmware", label: "Firmware" },
  { name: "raid", label: "RAID layout" },
] as const;

type Draft = Record<(typeof TEXTS)[number]["name"] | "name" | "cache", string>;

type Props = { array?: StorageArray; onSaved: (saved: StorageArray) => void };

/** What is known of an array; its cache size decides which results it may have served. */
export function ArrayForm({ array, onSaved }: Props) {
  const [draft, setDraft] = useState<Draft>({
    name: array?.name ?? "",
    vendor: array?.vendor ?? "",
    model: array?.model ?? "",
    serial: array?.serial ?? "",
    firmware: array?.firmware ?? "",
    raid: array?.raid ?? "",
    cache: array?.cache_bytes ? fileSizeText(array.cache_bytes) : "",
  });
  const [shared, setShared] = useState(array?.shared ?? false);
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const cache = draft.cache.trim() === "" ? null : parseBytes(draft.cache);
  const cacheWrong = draft.cache.trim() !== "" && cache === null;
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: draft.name,
        vendor: draft.vendor || null,
        model: draft.model || null,
        serial: draft.serial || null,
        firmware: draft.firmware || null,
        raid: draft.raid || null,
        cache_bytes: cache,
        shared,
      };
      return unwrap(
        array
          ? api.PATCH("/api/v1/arrays/{array_id}", {
              params: { path: { array_id: array.id } },
              body,
            })
          : api.POST("/api/v1/arrays", { body }),
      );
    },
    onSuccess: async (saved) => {
      await Promise.all(
        ["arrays", "targets"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
      );
      onSaved(saved);
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation(); // a target's form around this dialog is a form too
        if (!cacheWrong) save.mutate();
      }}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={fields.name}
      />
      <div className={form.row}>
        {TEXTS.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            value={draft[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
            error={fields[name]}
          />
        ))}
      </div>
      <TextInput
        label="Cache size"
        description="From the data sheet, such as 64 GB. Results with a working set under twice this size are marked."
        value={draft.cache}
        onChange={(event) => set({ cache: event.currentTarget.value })}
        error={cacheWrong ? "Enter a size such as 64 GB." : fields.cache_bytes}
      />
      <Checkbox
        label="Shared by multiple hosts"
        description="Tests on a shared array run one at a time, so that they do not affect each other."
        checked={shared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      {problem && Object.keys(fields).length === 0 ? <ProblemPanel error={problem} /> : null}
      <div className={form.actions}>
        <Button type="submit" loading={save.isPending}>
          {array ? "Save array" : "Add array"}
        </Button>
      </div>
    </form>
  );
}
