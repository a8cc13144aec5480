import { Button, Popover } from "@mantine/core";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { Loading } from "@/components/feedback/Loading";

const CopyMenu = lazyRouteComponent(() => import("./CopyMenu"), "CopyMenu");

/** A button that copies a result as Markdown, image or link, or saves its picture. */
export function CopyResult({ runId }: { runId: number }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={240}
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" onClick={() => setOpened(!opened)}>
          Copy
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Copy this result" p={12}>
        <Suspense fallback={<Loading what="ways to copy" rows={4} />}>
          <CopyMenu runId={runId} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
