import { Button, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Tool } from "@/api/shapes";
import { ifMatch } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";

type Definition = Required<Tool["definition"]>;

export const EMPTY_TOOL: Definition = {
  name: "",
  title: "",
  description: "",
  input: "files",
  needs_at_source: "",
  needs_at_sink: "",
  source_check: "",
  source_command: "",
  source_cleanup: "",
  sink_check: "",
  sink_command: "",
  sink_cleanup: "",
  ready: "none",
  ready_line: "",
  quiet_ms: 0,
  reported_bytes: "",
};

interface ToolFormProps {
  definition: Tool["definition"];
  /** The tool to change; null for a new one. */
  id: number | null;
  /** Its version when the form was opened. */
  etag?: string;
  readOnly?: boolean;
  onDone: () => void;
}

/** A tool's names, what it needs, and its commands. */
export function ToolForm({ definition, id, etag, readOnly = false, onDone }: ToolFormProps) {
  const [opened] = useState(etag);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { ...EMPTY_TOOL, ...definition },
    changed: "tools",
    send: (body) =>
      id === null
        ? unwrap(api.POST("/api/v1/tools", { body }))
        : unwrap(
            api.PUT("/api/v1/tools/{tool_id}", {
              params: { path: { tool_id: id }, header: ifMatch(opened) },
              body,
            }),
          ),
    onSaved: onDone,
  });
  const field = (name: keyof Definition) => ({ readOnly, ...form.getInputProps(name) });
  const command = (name: keyof Definition, label: string, description: string) => (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={1}
      maxRows={10}
      spellCheck={false}
      styles={{ input: { fontFamily: "var(--font-figures)", fontSize: 13 } }}
      {...field(name)}
    />
  );
  const { input, ready } = form.values;
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <div className={layout.row}>
        <TextInput label="Title" required data-autofocus {...field("title")} />
        <TextInput
          label="Name"
          description="As profiles and parameters name it: lower case, digits and hyphens."
          required
          {...field("name")}
        />
      </div>
      <TextInput label="Description" {...field("description")} />
      <Select
        label="Input"
        allowDeselect={false}
        data={[
          { value: "files", label: "Files in a directory" },
          { value: "records", label: "Records, one per line, in a file" },
          { value: "memory", label: "Data that the tool generates" },
        ]}
        {...field("input")}
      />
      <div className={layout.row}>
        <TextInput
          label="Needs at the source"
          description="What the host must have, in words."
          {...field("needs_at_source")}
        />
        <TextInput
          label="Needs at the sink"
          description="What the host must have, in words."
          {...field("needs_at_sink")}
        />
      </div>
      <p className={layout.hint}>
        Commands are shell text. A placeholder such as <code>{"{sink_directory}"}</code> becomes one
        quoted word; <code>{"{{ … }}"}</code> becomes one word with a command for another shell,
        such as <code>{"ssh -F {ssh_config} sink {{cat > {sink_file}}}"}</code>. An unknown
        placeholder is refused with the list of those that the command has.
      </p>
      {command(
        "source_check",
        "Check at the source",
        "Succeeds if the host has what the tool needs.",
      )}
      {command("sink_check", "Check at the sink", "Succeeds if the host has what the tool needs.")}
      {command(
        "sink_command",
        "Command at the sink",
        "Runs during the whole trial, such as a daemon; empty if the source needs none.",
      )}
      <div className={layout.row}>
        <Select
          label="Sink is ready"
          allowDeselect={false}
          data={[
            { value: "none", label: "At once" },
            { value: "port", label: "When its port is open" },
            { value: "line", label: "When it prints a line" },
          ]}
          {...field("ready")}
        />
        {ready === "line" ? <TextInput label="Line" {...field("ready_line")} /> : null}
      </div>
      {command("source_command", "Command at the source", "Ends when the transfer does.")}
      <NumberInput
        label="Quiet time"
        description="In milliseconds: the transfer is over when nothing has arrived for this long after the command ended; 0 if it is over with the command."
        min={0}
        {...field("quiet_ms")}
      />
      {input === "memory" ? (
        <TextInput
          label="Reported bytes"
          description="Regular expression for what the command prints; its group is the number of bytes."
          {...field("reported_bytes")}
        />
      ) : null}
      {command(
        "source_cleanup",
        "Cleanup at the source",
        "Runs after each trial, also if it failed.",
      )}
      {command("sink_cleanup", "Cleanup at the sink", "Runs after each trial, also if it failed.")}
      {problem ? <ProblemPanel error={problem} /> : null}
      {readOnly ? null : (
        <div className={layout.actions}>
          <Button type="submit" loading={isPending}>
            {id === null ? "Add tool" : "Save tool"}
          </Button>
        </div>
      )}
    </form>
  );
}
