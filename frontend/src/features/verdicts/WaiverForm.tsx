import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, asProblem, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import type { VerdictRow } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import form from "@/components/form/Form.module.css";

/** Where a criterion is waived: at a run, or at a campaign of which it judged no run. */
type Waivable = { run: number } | { campaign: number };

export type WaiveProps = { of: Waivable; row: VerdictRow };

type WaiverIn = components["schemas"]["WaiverIn"];

const DAY_MS = 86_400_000;
const USUAL_DAYS = 90;

/** "2027-01-31" in local time. */
const dayAfter = (days: number): string => {
  const date = new Date(Date.now() + days * DAY_MS);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

/** Sends a waiver to where it belongs. */
const send = (of: Waivable, body: WaiverIn): Promise<unknown> =>
  "run" in of
    ? unwrap(
        api.POST("/api/v1/runs/{run_id}/waivers", { params: { path: { run_id: of.run } }, body }),
      )
    : unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/waivers", {
          params: { path: { campaign_id: of.campaign } },
          body,
        }),
      );

/** The reason for a waiver, and when it expires. */
export function WaiverForm({ of, row, onDone }: WaiveProps & { onDone: () => void }) {
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState(() => dayAfter(USUAL_DAYS));
  const waive = useWrite(
    "verdicts",
    () =>
      send(of, {
        number: row.number,
        reason,
        expires_at: new Date(`${until}T23:59:59`).toISOString(),
      }),
    onDone,
  );
  const fields = waive.error ? asProblem(waive.error).fields : {};
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        waive.mutate();
      }}
    >
      <p className={form.hint}>The verdict counts as waived until the waiver expires.</p>
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={fields.reason}
      />
      <TextInput
        type="date"
        label="Expires"
        required
        min={dayAfter(0)}
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
        error={fields.expires_at}
      />
      {waive.error ? <ProblemPanel error={waive.error} /> : null}
      <div className={form.actions}>
        <Button type="submit" disabled={!reason.trim() || !until} loading={waive.isPending}>
          Waive criterion
        </Button>
        <Button variant="subtle" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
