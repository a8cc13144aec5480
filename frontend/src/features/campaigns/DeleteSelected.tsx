import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { showToast } from "@/components/feedback/toasts";
import { counted } from "@/components/quantities";

const UNDO_S = 60;

interface DeleteSelectedProps {
  /** The ended campaigns to delete. */
  ids: number[];
  onDone: () => void;
}

/**
 * Deletes several campaigns, one after the other; it stops at the first that is refused. One that
 * someone else has deleted meanwhile is none.
 */
export function DeleteSelected({ ids, onDone }: DeleteSelectedProps) {
  const client = useQueryClient();
  const show = () => client.invalidateQueries({ queryKey: ["lists"] });
  const remove = useWrite(
    "campaigns",
    async () => {
      const deleted: number[] = [];
      const undo = async () => {
        const failures: unknown[] = [];
        for (const campaign_id of [...deleted]) {
          const params = { path: { campaign_id } };
          try {
            await unwrap(api.POST("/api/v1/campaigns/{campaign_id}/undelete", { params }));
            deleted.splice(deleted.indexOf(campaign_id), 1);
          } catch (error) {
            failures.push(error);
          }
        }
        await show();
        if (failures.length > 0) throw failures[0];
      };
      try {
        for (const campaign_id of ids) {
          const params = { path: { campaign_id } };
          try {
            await unwrap(api.DELETE("/api/v1/campaigns/{campaign_id}", { params }));
            deleted.push(campaign_id);
          } catch (error) {
            if (asProblem(error).status !== 404) throw error;
          }
        }
      } finally {
        if (deleted.length > 0) {
          const text = `Deleted ${counted(deleted.length, "campaign")}.`;
          showToast({ text, action: { label: "Undo", run: undo } }, UNDO_S);
        }
        await show();
      }
    },
    onDone,
  );
  const what = ids.length === 1 ? "campaign" : counted(ids.length, "campaign");
  return (
    <>
      <ConfirmButton
        label={`Delete ${what}`}
        question={`Delete ${ids.length === 1 ? "the campaign" : what}?`}
        consequence="Their runs are deleted with everything that they measured. You can undo this for one minute."
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
    </>
  );
}
