import { Button, Popover } from "@mantine/core";
import { type ReactNode, useState } from "react";

interface PopoverButtonProps {
  label: string;
  /** The name of what it opens, for screen readers. */
  title: string;
  width: number;
  children: ReactNode;
}

/** A button of a page's header that opens more actions below it. */
export function PopoverButton({ label, title, width, children }: PopoverButtonProps) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={width}
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" onClick={() => setOpened(!opened)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={title} p={12}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
