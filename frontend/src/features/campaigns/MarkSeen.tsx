import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, unwrap } from "@/api/client";
import { STALE, useCan, useWrite } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { showToast } from "@/components/feedback/Toasts";
import { counted } from "@/components/quantities";

const UNDO_S = 20;

interface MarkSeenProps {
  /** The campaigns, which need attention. */
  ids: readonly number[];
  /** Whether the button is part of a row. */
  compact?: boolean;
  onDone?: () => unknown;
}

/** Marks campaigns as seen, so that they need no attention any more; a toast offers to undo it. */
export function MarkSeen({ ids, compact = false, onDone }: MarkSeenProps) {
  const client = useQueryClient();
  const mayChange = useCan("operator");
  const button = useRef<HTMLButtonElement>(null);
  const what = ids.length === 1 ? `campaign ${ids[0]}` : counted(ids.length, "campaign");
  const undo = async () => {
    for (const campaign_id of ids) {
      const params = { path: { campaign_id } };
      await unwrap(api.DELETE("/api/v1/campaigns/{campaign_id}/seen", { params }));
    }
    await Promise.all(STALE.attention.map((filters) => client.invalidateQueries(filters)));
    await onDone?.();
  };
  const mark = useWrite(
    "attention",
    async () => {
      for (const campaign_id of ids) {
        const params = { path: { campaign_id } };
        await unwrap(api.POST("/api/v1/campaigns/{campaign_id}/seen", { params }));
      }
    },
    () => {
      // the button goes with what needed attention
      const heading = button.current?.closest("section")?.querySelector("h2");
      if (heading) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
      showToast({ text: `Marked ${what} as seen.`, action: { label: "Undo", run: undo } }, UNDO_S);
      return onDone?.();
    },
  );
  if (!mayChange) return null;
  return (
    <>
      <Button
        ref={button}
        variant={compact ? "subtle" : "default"}
        size={compact ? "compact-sm" : undefined}
        aria-label={compact ? `Mark ${what} as seen` : undefined}
        loading={mark.isPending}
        onClick={() => mark.mutate()}
      >
        {ids.length === 1 ? "Mark as seen" : `Mark ${what} as seen`}
      </Button>
      {mark.error ? <ProblemPanel error={mark.error} /> : null}
    </>
  );
}
