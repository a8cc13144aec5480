import { api, unwrap } from "@/api/client";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

interface CancelSelectedProps {
  /** The campaigns to cancel. */
  ids: number[];
  onDone: () => void;
}

/** Cancels several campaigns, one after the other; it stops at the first that is refused. */
export function CancelSelected({ ids, onDone }: CancelSelectedProps) {
  const cancel = useWrite(
    "campaigns",
    async () => {
      for (const id of ids) {
        const path = { campaign_id: id };
        await unwrap(api.POST("/api/v1/campaigns/{campaign_id}/cancel", { params: { path } }));
      }
    },
    onDone,
  );
  const what = ids.length === 1 ? "campaign" : `${ids.length} campaigns`;
  return (
    <>
      <ConfirmButton
        label={`Cancel ${what}`}
        question={`Cancel ${ids.length === 1 ? "the campaign" : what}?`}
        consequence="Their runs are stopped and the test files removed. Completed measurements are kept."
        loading={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      />
      {cancel.error ? <ProblemPanel error={cancel.error} /> : null}
    </>
  );
}
