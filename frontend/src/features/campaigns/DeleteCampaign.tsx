import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { showToast } from "@/components/feedback/Toasts";
import { Section } from "@/components/page/Page";
import { hasEnded } from "@/components/state/StateBadge";

const UNDO_S = 60;

/** Deletes a campaign with everything that it measured; a toast offers to undo it. */
export function DeleteCampaign({ campaign }: { campaign: Campaign }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isActive = !hasEnded(campaign.state) && !campaign.cancel_requested;
  const path = { campaign_id: campaign.id };
  const undo = async () => {
    await unwrap(api.POST("/api/v1/campaigns/{campaign_id}/undelete", { params: { path } }));
    client.removeQueries({ queryKey: ["campaigns", campaign.id] });
    await navigate({ to: "/campaigns/$id", params: { id: campaign.id } });
    await Promise.all(
      ["campaigns", "runs", "overview"].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
  };
  const remove = useWrite(
    "campaigns",
    () =>
      unwrap(
        api.DELETE("/api/v1/campaigns/{campaign_id}", {
          params: { path, query: { cancel: isActive } },
        }),
      ),
    async ({ name }) => {
      await navigate({ to: "/campaigns" });
      showToast({ text: `Deleted “${name}”.`, action: { label: "Undo", run: undo } }, UNDO_S);
    },
  );
  return (
    <Section title="Delete campaign">
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <ConfirmButton
        label={isActive ? "Cancel and delete campaign" : "Delete campaign"}
        question={`Delete “${campaign.name}”?`}
        consequence={consequence(campaign, isActive)}
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Section>
  );
}

function consequence({ runs }: Campaign, isActive: boolean): string {
  const what =
    runs.length === 1
      ? "Its run is deleted with everything that it measured."
      : `Its ${runs.length} runs are deleted with everything that they measured.`;
  const stopped = isActive ? "Active runs are stopped and their test files removed. " : "";
  return `${stopped}${what} You can undo this for one minute${isActive ? "; stopped runs stay canceled" : ""}.`;
}
