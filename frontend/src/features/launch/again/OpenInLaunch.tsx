import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { profileQuery } from "@/api/queries";
import type { Plan } from "@/api/shapes";
import { editable, linkOf } from "@/features/launch/link";

/** Opens a stored request in the launch form, if the form can show it. */
export function OpenInLaunch({ plan, profileId }: { plan: Plan; profileId: number }) {
  const profile = useQuery(profileQuery(profileId)).data;
  const draft =
    profile && !hasNames(plan)
      ? editable({ ...plan, profile_id: profileId }, { parameters: { ...plan } }, profile)
      : null;
  if (!draft) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/launch" search={linkOf(draft) as object} {...props} />}
    >
      Open in Launch
    </Button>
  );
}

/** The form has ids only; a request of a pipeline may name its places. */
const hasNames = ({ targets, sources, sinks }: Plan): boolean =>
  (targets ?? []).length > 0 ||
  [...(sources ?? []), ...(sinks ?? [])].some(({ target, host }) => target != null || host != null);
