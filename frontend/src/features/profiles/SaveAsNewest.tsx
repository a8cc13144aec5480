import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import type { Profile } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

type Props = { profile: Profile; current: Profile };

/** Goes back to an older version by saving it as the next one; no version is ever changed. */
export function SaveAsNewest({ profile, current }: Props) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PUT("/api/v1/profiles/{profile_id}", {
          params: { path: { profile_id: current.id } },
          body: { name: profile.name, description: profile.description, body: profile.body },
        }),
      ),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["profiles"] });
      await navigate({ to: "/profiles/$id", params: { id: saved.id } });
    },
  });
  return (
    <>
      {save.error ? <ProblemPanel error={save.error} /> : null}
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Save as version {current.version + 1}
      </Button>
    </>
  );
}
