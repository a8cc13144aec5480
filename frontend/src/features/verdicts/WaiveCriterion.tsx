import { Button, Modal } from "@mantine/core";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import type { VerdictRow } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Loading } from "@/components/feedback/Loading";

const WaiverForm = lazyRouteComponent(() => import("./WaiverForm"), "WaiverForm");

/** Where a criterion is waived: at a run, or at a campaign of which it judged no run. */
export type Waivable = { run: number } | { campaign: number };

export type WaiveProps = { of: Waivable; row: VerdictRow };

/** Accepts a criterion that was not passed, with a reason and an expiry. */
export function WaiveCriterion({ of, row }: WaiveProps) {
  const [opened, setOpened] = useState(false);
  if (!useCan("operator")) return null;
  return (
    <>
      <Button variant="subtle" onClick={() => setOpened(true)}>
        {row.waiver ? "Extend waiver" : "Waive"}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Waive ${row.criterion}`}>
        <Suspense fallback={<Loading what="form" rows={4} />}>
          <WaiverForm of={of} row={row} onDone={() => setOpened(false)} />
        </Suspense>
      </Modal>
    </>
  );
}
