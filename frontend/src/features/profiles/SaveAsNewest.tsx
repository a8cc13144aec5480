import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import type { Profile } from "@/api/shapes";
import { ifMatch } from "@/api/useVersion";
import { useWrite } from "@/api/useWrite";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

type Props = { profile: Profile; current: Profile };

/** Restores an older version by saving it as the next one; versions are immutable. */
export function SaveAsNewest({ profile, current }: Props) {
  const navigate = useNavigate();
  const save = useWrite(
    "profiles",
    () =>
      unwrap(
        api.PUT("/api/v1/profiles/{profile_id}", {
          params: { path: { profile_id: current.id }, header: ifMatch(current.etag) },
          body: { name: profile.name, description: profile.description, body: profile.body },
        }),
      ),
    (saved) => navigate({ to: "/profiles/$id", params: { id: saved.id } }),
  );
  return (
    <>
      {save.error ? <ProblemPanel error={save.error} /> : null}
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Save as version {current.version + 1}
      </Button>
    </>
  );
}
