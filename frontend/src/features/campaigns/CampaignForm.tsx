import { Button, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { useVersion } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { LabelFields, labelBody, labelValues, validateLabels } from "@/components/labels/Labels";

type Props = { campaign: Campaign; onSaved: () => unknown };

/** Edits a campaign's name, labels and reference. */
export function CampaignForm({ campaign, onSaved }: Props) {
  const version = useVersion(campaign);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: campaign.name, ...labelValues(campaign) },
    validate: { labels: validateLabels },
    changed: "campaigns",
    send: ({ name, ...labels }) =>
      unwrap(
        api.PATCH("/api/v1/campaigns/{campaign_id}", {
          params: { path: { campaign_id: campaign.id }, header: version.header() },
          body: { name, ...labelBody(labels) },
        }),
      ),
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <LabelFields getInputProps={form.getInputProps} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save campaign
        </Button>
      </div>
    </form>
  );
}
