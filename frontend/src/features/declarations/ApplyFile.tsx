import { Button, Checkbox, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { Section } from "@/components/page/Section";
import classes from "./Declarations.module.css";
import { PlanView } from "./PlanView";

type Input = { text: string; prune: boolean; adopt: boolean };

/** Applies a qualification file: first the plan, then the same changes. */
export function ApplyFile() {
  const [input, setInput] = useState<Input>({ text: "", prune: false, adopt: false });
  const queryClient = useQueryClient();
  const send = (dry_run: boolean) =>
    unwrap(
      api.POST("/api/v1/apply", {
        params: { query: { dry_run, prune: input.prune, adopt: input.adopt } },
        body: { text: input.text },
      }),
    );
  const preview = useMutation({ mutationFn: () => send(true) });
  const apply = useMutation({
    mutationFn: () => send(false),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const set = (changed: Partial<Input>) => {
    setInput({ ...input, ...changed });
    preview.reset(); // a plan is of one text and its options
    apply.reset();
  };
  const plan = apply.data ?? preview.data;
  const error = apply.error ?? preview.error;
  const canApply = preview.data !== undefined && apply.data === undefined;
  return (
    <Section
      title="Apply a file"
      hint="Creates and changes hosts, targets, arrays and profiles as the file describes them. Fields that it omits keep their values."
    >
      <div className={classes.file}>
        <label className={classes.choose}>
          <span>File</span>
          <input
            type="file"
            accept=".yaml,.yml,.json"
            onChange={({ currentTarget }) =>
              currentTarget.files?.[0]?.text().then((text) => set({ text }))
            }
          />
        </label>
        <Textarea
          label="Text"
          description="YAML or JSON. A chosen file is shown here and can be edited."
          className={classes.text}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          value={input.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
        <Checkbox
          label="Remove what the file no longer has"
          description="Only objects that this file created. Objects in use are not removed."
          checked={input.prune}
          onChange={(event) => set({ prune: event.currentTarget.checked })}
        />
        <Checkbox
          label="Take over existing objects"
          description="Objects that were created here or by another file are then managed by this file."
          checked={input.adopt}
          onChange={(event) => set({ adopt: event.currentTarget.checked })}
        />
        <div className={layout.actions}>
          <Button
            variant={canApply ? "default" : "filled"}
            disabled={input.text.trim() === ""}
            loading={preview.isPending}
            onClick={() => {
              apply.reset();
              preview.mutate();
            }}
          >
            Preview changes
          </Button>
          {canApply ? (
            <Button loading={apply.isPending} onClick={() => apply.mutate()}>
              Apply file
            </Button>
          ) : null}
        </div>
      </div>
      {error ? <ProblemPanel error={error} /> : null}
      {plan && !error ? <PlanView plan={plan} /> : null}
    </Section>
  );
}
