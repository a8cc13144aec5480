import { Button, Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Profile } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";

type Props = {
  profile: Profile;
  label?: string;
  variant?: "default" | "subtle";
  size?: "xs" | "sm";
};

/** Copies a profile and opens the copy. */
export function CopyProfile({ profile, label = "Copy", variant = "subtle", size = "sm" }: Props) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: `${profile.name} (copy)` },
    changed: "profiles",
    send: (body) =>
      unwrap(
        api.POST("/api/v1/profiles/{profile_id}/copy", {
          params: { path: { profile_id: profile.id } },
          body,
        }),
      ),
    onSaved: (made) => navigate({ to: "/profiles/$id", params: { id: made.id } }),
  });
  return (
    <>
      <Button variant={variant} size={size} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Copy ${profile.name}`}>
        <form className={layout.form} onSubmit={onSubmit}>
          <TextInput label="Name of copy" required data-autofocus {...form.getInputProps("name")} />
          {problem ? <ProblemPanel error={problem} /> : null}
          <div className={layout.actions}>
            <Button type="submit" loading={isPending}>
              Copy profile
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
