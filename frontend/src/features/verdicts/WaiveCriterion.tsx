import { Button, Modal } from "@mantine/core";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useCan } from "@/api/useCan";
import { Loading } from "@/components/feedback/Loading";
import type { WaiveProps } from "./WaiverForm";

const WaiverForm = lazyRouteComponent(() => import("./WaiverForm"), "WaiverForm");

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
