import { Button, Modal, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, asProblem, unwrap } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { ifMatch, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { showToast } from "@/components/feedback/Toasts";
import layout from "@/components/form/Form.module.css";
import { parseLabels } from "@/components/labels/Labels";
import { counted } from "@/components/quantities";
import { hasEnded } from "@/components/state/StateBadge";
import { MarkSeen } from "./MarkSeen";

interface SelectedCampaignsProps {
  campaigns: Campaign[];
  onDone: () => void;
}

/** What can be done with several campaigns: cancel, mark as seen, label or delete them. */
export function SelectedCampaigns({ campaigns, onDone }: SelectedCampaignsProps) {
  const active = campaigns.filter(isCancelable).map(({ id }) => id);
  const ended = campaigns.filter(({ state }) => hasEnded(state)).map(({ id }) => id);
  const needing = campaigns.filter((one) => one.needs_attention).map(({ id }) => id);
  return (
    <>
      {active.length > 0 ? <CancelSelected ids={active} onDone={onDone} /> : null}
      {needing.length > 0 ? <MarkSeen ids={needing} onDone={onDone} /> : null}
      <LabelSelected ids={campaigns.map(({ id }) => id)} onDone={onDone} />
      {ended.length > 0 ? <DeleteSelected ids={ended} onDone={onDone} /> : null}
    </>
  );
}

/** Whether a campaign can still be canceled. */
function isCancelable({ state, cancel_requested }: Campaign): boolean {
  return !hasEnded(state) && !cancel_requested;
}

interface CancelSelectedProps {
  /** The campaigns to cancel. */
  ids: number[];
  onDone: () => void;
}

/** Cancels several campaigns, one after the other; it stops at the first that is refused. */
function CancelSelected({ ids, onDone }: CancelSelectedProps) {
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
function DeleteSelected({ ids, onDone }: DeleteSelectedProps) {
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

interface LabelSelectedProps {
  ids: number[];
  onDone: () => void;
}

/** Adds labels to several campaigns; other labels of theirs stay. */
function LabelSelected({ ids, onDone }: LabelSelectedProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState("");
  const found = parseLabels(text);
  const labels = "labels" in found ? found.labels : {};
  const add = useWrite(
    "campaigns",
    async () => {
      for (const campaign_id of ids) {
        const path = { campaign_id };
        const campaign = await unwrap(
          api.GET("/api/v1/campaigns/{campaign_id}", { params: { path } }),
        );
        await unwrap(
          api.PATCH("/api/v1/campaigns/{campaign_id}", {
            params: { path, header: ifMatch(campaign.etag) },
            body: { labels: { ...campaign.labels, ...labels } },
          }),
        );
      }
    },
    async () => {
      await client.invalidateQueries({ queryKey: ["lists"] });
      setAsking(false);
      onDone();
    },
  );
  const what = ids.length === 1 ? "campaign" : counted(ids.length, "campaign");
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Label {what}
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Label ${what}`}>
        <div className={layout.form}>
          <Textarea
            label="Labels to add"
            description="One key=value per line. A label with the same key is replaced; others stay."
            rows={3}
            data-autofocus
            value={text}
            error={"mistake" in found ? found.mistake : null}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {add.error ? <ProblemPanel error={add.error} /> : null}
          <div className={layout.actions}>
            <Button
              disabled={Object.keys(labels).length === 0}
              loading={add.isPending}
              onClick={() => add.mutate()}
            >
              Add labels
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
