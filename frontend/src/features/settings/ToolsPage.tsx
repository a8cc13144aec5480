import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { toolsQuery } from "@/api/queries";
import type { Tool } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";
import { EMPTY_TOOL, ToolForm } from "./ToolForm";

const INPUTS: Record<Tool["definition"]["input"], string> = {
  files: "files",
  records: "records",
  memory: "its own data",
};

const column = columnsOf<Tool>();
const COLUMNS = column.columns([
  column.accessor(({ definition }) => definition.title, {
    id: "title",
    header: "Tool",
    meta: { narrow: "lead" },
    cell: ({ row: { original } }) => <Name tool={original} />,
  }),
  column.accessor(({ definition }) => INPUTS[definition.input], {
    id: "input",
    header: "Moves",
    meta: { narrow: "named" },
  }),
  column.accessor(({ definition }) => definition.needs_at_source || "nothing", {
    id: "source",
    header: "Needs at the source",
  }),
  column.accessor(({ definition }) => definition.needs_at_sink || "nothing", {
    id: "sink",
    header: "Needs at the sink",
  }),
  column.accessor(({ builtin, changed_at }) => (builtin ? "" : changed_at), {
    id: "changed",
    header: "Changed",
    meta: { narrow: "second" },
    cell: ({ row: { original } }) =>
      original.builtin ? (
        "built in"
      ) : (
        <>
          <RelativeTime at={original.changed_at} /> by {original.changed_by}
        </>
      ),
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row: { original } }) => <Actions tool={original} />,
  }),
]);

function Name({ tool: { definition } }: { tool: Tool }) {
  return (
    <div className={classes.tool}>
      <span className={classes.name}>{definition.title}</span>
      <code className="unfolded">{definition.name}</code>
    </div>
  );
}

function Actions({ tool }: { tool: Tool }) {
  const mayChange = useCan("admin");
  const [opened, setOpened] = useState<"show" | "copy" | "change" | null>(null);
  const remove = useWrite("tools", () =>
    unwrap(api.DELETE("/api/v1/tools/{tool_id}", { params: { path: { tool_id: tool.id } } })),
  );
  const { definition } = tool;
  return (
    <>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.actions}>
        {mayChange && !tool.builtin ? (
          <>
            <Button variant="default" onClick={() => setOpened("change")}>
              Edit
            </Button>
            <ConfirmButton
              label="Delete"
              question={`Delete the tool ${definition.name}?`}
              consequence="Results keep its commands. Profiles that name it can no longer be launched."
              loading={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          </>
        ) : (
          <Button variant="default" onClick={() => setOpened("show")}>
            Show commands
          </Button>
        )}
        {mayChange ? (
          <Button variant="default" onClick={() => setOpened("copy")}>
            Copy
          </Button>
        ) : null}
      </div>
      <Modal
        opened={opened !== null}
        onClose={() => setOpened(null)}
        size="xl"
        title={TITLES[opened ?? "show"](definition.title)}
      >
        {opened === null ? null : (
          <ToolForm
            definition={
              opened === "copy" ? { ...definition, name: `${definition.name}-copy` } : definition
            }
            id={opened === "change" ? tool.id : null}
            etag={tool.etag}
            readOnly={opened === "show"}
            onDone={() => setOpened(null)}
          />
        )}
      </Modal>
    </>
  );
}

const TITLES = {
  show: (title: string) => title,
  copy: (title: string) => `Copy of ${title}`,
  change: (title: string) => `Edit ${title}`,
};

/** The programs that tests may use: administrators define their commands, operators choose. */
export function ToolsPage() {
  const tools = useQuery(toolsQuery);
  const mayChange = useCan("admin");
  const [adding, setAdding] = useState(false);
  return (
    <SettingsPage
      title="Tools"
      action={mayChange ? <Button onClick={() => setAdding(true)}>Add tool</Button> : null}
    >
      <p className={classes.about}>
        Programs that transfer data in tests of the kind Tool. Their commands run on hosts with the
        permissions of Assay's login there, so only administrators define them.
      </p>
      <Resolved query={tools} what="tools">
        {({ items }) => (
          <DataTable caption="Tools" columns={COLUMNS} rows={items} rowId={({ id }) => id} />
        )}
      </Resolved>
      <Modal opened={adding} onClose={() => setAdding(false)} size="xl" title="Add tool">
        <ToolForm definition={EMPTY_TOOL} id={null} onDone={() => setAdding(false)} />
      </Modal>
    </SettingsPage>
  );
}
