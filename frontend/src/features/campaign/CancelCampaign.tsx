import { Button, Group, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import classes from "./CancelCampaign.module.css";

const ENDED = new Set(["done", "failed", "cancelled"]);

interface CancelCampaignProps {
  campaign: Campaign;
  onCancelled: () => Promise<void>;
}

/** Cancels a campaign after asking once, and says beforehand what will be stopped, removed and kept. */
export function CancelCampaign({ campaign, onCancelled }: CancelCampaignProps) {
  const [open, { open: ask, close }] = useDisclosure(false);
  const cancel = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/cancel", {
          params: { path: { campaign_id: campaign.id } },
        }),
      ),
    onSuccess: async () => {
      close();
      await onCancelled();
    },
  });
  const unfinished = campaign.runs.filter((run) => !ENDED.has(run.state));
  const active = unfinished.filter((run) => run.state !== "queued");
  return (
    <>
      <Button variant="danger" onClick={ask} disabled={campaign.cancel_requested}>
        {campaign.cancel_requested ? "Cancelling…" : "Cancel campaign"}
      </Button>
      <Modal opened={open} onClose={close} title={`Cancel “${campaign.name}”?`}>
        <div className={classes.words}>
          {active.length > 0 ? (
            <>
              <p>These runs are stopped, and their test files are removed:</p>
              <ul>
                {active.map((run) => (
                  <li key={run.id}>
                    {run.title} on {run.host.name}
                    {run.target ? (
                      <>
                        , in <code>{run.target.path}</code>
                      </>
                    ) : null}
                  </li>
                ))}
              </ul>
            </>
          ) : null}
          {unfinished.length > active.length ? (
            <p>{queuedWords(unfinished.length - active.length)}</p>
          ) : null}
          <p>What has been measured is kept.</p>
        </div>
        {cancel.error ? <ProblemPanel error={cancel.error} /> : null}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Let it run
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
  runs === 1
    ? "One run is still queued and will not start."
    : `${runs} runs are still queued and will not start.`;
