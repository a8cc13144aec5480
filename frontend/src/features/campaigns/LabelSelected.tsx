import { Button, Modal, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { ifMatch } from "@/api/useVersion";
import { useWrite } from "@/api/useWrite";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { parseLabels } from "@/components/labels/labelText";
import { counted } from "@/components/quantities";

interface LabelSelectedProps {
  ids: number[];
  onDone: () => void;
}

/** Adds labels to several campaigns; other labels of theirs stay. */
export function LabelSelected({ ids, onDone }: LabelSelectedProps) {
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
