import { Button, Modal, Popover } from "@mantine/core";
import { type ReactNode, useState } from "react";
import form from "./form/Form.module.css";

type Props = {
  /** What the button does: "Remove". */
  label: string;
  /** Asked once, in full. */
  question: string;
  consequence: React.ReactNode;
  loading?: boolean;
  /** By default that of an action that removes something. */
  variant?: "danger" | "default";
  onConfirm: () => void;
};

/** A button for an irreversible action, with a confirmation dialog. */
export function ConfirmButton(props: Props) {
  const { label, question, consequence, loading, variant = "danger", onConfirm } = props;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant={variant} loading={loading} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={question}>
        <div className={form.form}>
          <div>{consequence}</div>
          <div className={form.actions}>
            <Button
              variant={variant}
              onClick={() => {
                setAsking(false);
                onConfirm();
              }}
            >
              {label}
            </Button>
            <Button variant="subtle" data-autofocus onClick={() => setAsking(false)}>
              {variant === "danger" ? "Keep" : "Cancel"}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}

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
