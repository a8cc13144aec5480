import { Button, Group, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { api, unwrap } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { hasEnded } from "@/components/state/StateBadge";
import classes from "./Campaigns.module.css";
import { whereOf } from "./summary";

interface CancelCampaignProps {
  campaign: Campaign;
  onCancelled: () => Promise<void>;
}

/** A button that cancels a campaign after a dialog that lists what is stopped, removed and kept. */
export function CancelCampaign({ campaign, onCancelled }: CancelCampaignProps) {
  const [open, { open: ask, close }] = useDisclosure(false);
  const cancel = useWrite(
    "campaigns",
    () =>
      unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/cancel", {
          params: { path: { campaign_id: campaign.id } },
        }),
      ),
    async () => {
      close();
      await onCancelled();
    },
  );
  const unfinished = campaign.runs.filter((run) => !hasEnded(run.state));
  const active = unfinished.filter((run) => run.state !== "queued");
  return (
    <>
      <Button variant="danger" onClick={ask} disabled={campaign.cancel_requested}>
        {campaign.cancel_requested ? "Canceling…" : "Cancel campaign"}
      </Button>
      <Modal opened={open} onClose={close} title={`Cancel “${campaign.name}”?`}>
        <div className={classes.cancelWords}>
          {active.length > 0 ? (
            <>
              <p>These runs will be stopped and their test files removed:</p>
              <ul>
                {active.map((run) => (
                  <li key={run.id}>
                    {run.title} on <code>{whereOf(run)}</code>
                  </li>
                ))}
              </ul>
            </>
          ) : null}
          {unfinished.length > active.length ? (
            <p>{queuedWords(unfinished.length - active.length)}</p>
          ) : null}
          <p>Completed measurements are kept.</p>
        </div>
        {cancel.error ? <ProblemPanel error={cancel.error} /> : null}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Keep running
          </Button>
          <Button variant="danger" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel campaign
          </Button>
        </Group>
      </Modal>
    </>
  );
}

const queuedWords = (runs: number): string =>
  runs === 1 ? "One queued run will not start." : `${runs} queued runs will not start.`;
