import { Button, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";

interface SaveAsProfileProps {
  campaignId: number;
  /** Only the test of this run. */
  runId: number | undefined;
}

/** Saves the tests with the values and criteria with which they ran, and opens the profile. */
export function SaveAsProfile({ campaignId, runId }: SaveAsProfileProps) {
  const navigate = useNavigate();
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: "" },
    changed: "profiles",
    send: ({ name }) =>
      unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/profile", {
          params: { path: { campaign_id: campaignId } },
          body: { name, run_id: runId },
        }),
      ),
    onSaved: (made) => navigate({ to: "/profiles/$id", params: { id: made.id } }),
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput
        label="Profile name"
        description="Its tests have the parameters and criteria with which they ran. Targets are not part of it."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save profile
        </Button>
      </div>
    </form>
  );
}
