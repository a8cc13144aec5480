import { Button, Modal } from "@mantine/core";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useCan } from "@/api/writes";
import { Loading } from "@/components/feedback/Resolved";

// the pages that offer them do without the code of the launch form
const LaunchAgain = lazyRouteComponent(() => import("./LaunchAgain"), "LaunchAgain");
const SaveAsProfile = lazyRouteComponent(() => import("./SaveAsProfile"), "SaveAsProfile");

interface RunAgainProps {
  campaignId: number;
  /** Only what this run measured. */
  runId?: number;
}

/** Launches a campaign, or what one of its runs measured, again: the same, edited or as a profile. */
export function RunAgain({ campaignId, runId }: RunAgainProps) {
  const mayLaunch = useCan("operator");
  const [shown, setShown] = useState<"launch" | "save" | null>(null);
  if (!mayLaunch) return null;
  const close = () => setShown(null);
  const what = runId === undefined ? `campaign ${campaignId}` : `run ${runId}`;
  const ids = { campaignId, runId };
  return (
    <>
      <Button variant="default" onClick={() => setShown("launch")}>
        Run again
      </Button>
      <Modal opened={shown === "launch"} onClose={close} title={`Repeat ${what}`} size="lg">
        <Suspense fallback={<Loading what="campaign" rows={6} />}>
          <LaunchAgain {...ids} onSave={() => setShown("save")} />
        </Suspense>
      </Modal>
      <Modal opened={shown === "save"} onClose={close} title={`Save ${what} as a profile`}>
        <Suspense fallback={<Loading what="form" rows={3} />}>
          <SaveAsProfile {...ids} />
        </Suspense>
      </Modal>
    </>
  );
}
