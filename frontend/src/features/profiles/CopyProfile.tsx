import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Profile } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

type Props = { profile: Profile; label?: string; variant?: "default" | "subtle" };

/** Makes a profile of one's own from another, and opens it. */
export function CopyProfile({ profile, label = "Copy", variant = "subtle" }: Props) {
  const [asking, setAsking] = useState(false);
  const [name, setName] = useState(`${profile.name} (copy)`);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const copy = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/profiles/{profile_id}/copy", {
          params: { path: { profile_id: profile.id } },
          body: { name },
        }),
      ),
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["profiles"] });
      await navigate({ to: "/profiles/$id", params: { id: made.id } });
    },
  });
  const problem = copy.error ? asProblem(copy.error) : null;
  return (
    <>
      <Button
        variant={variant}
        size={variant === "subtle" ? "xs" : "sm"}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Copy ${profile.name}`}>
        <form
          className={form.form}
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation(); // the editor around this dialog is a form too
            copy.mutate();
          }}
        >
          <TextInput
            label="Name of copy"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={problem?.fields.name}
          />
          {problem && !problem.fields.name ? <ProblemPanel error={problem} /> : null}
          <div className={form.actions}>
            <Button type="submit" loading={copy.isPending}>
              Copy profile
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
