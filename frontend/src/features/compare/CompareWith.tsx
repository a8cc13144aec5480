import { Button, Popover } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { SuggestedComparisons } from "./SuggestedComparisons";

/** A button that leads from a run to its comparisons with others. */
export function CompareWith({ runId }: { runId: number }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={320}
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" onClick={() => setOpened(!opened)}>
          Compare
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Compare this run" p={12}>
        <SuggestedComparisons runId={runId} />
        <Link to="/compare" search={{ runs: [runId] }}>
          Select other runs
        </Link>
      </Popover.Dropdown>
    </Popover>
  );
}
