import { useQuery } from "@tanstack/react-query";
import { profileQuery, profilesQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";

/** The selectable profiles: the latest version of each, and the selected one even if older. */
export function useProfileChoice(chosenId: number | null) {
  const newest = useQuery(profilesQuery).data?.items;
  const isListed = newest?.some(({ id }) => id === chosenId) ?? true;
  const older = useQuery({
    ...profileQuery(chosenId ?? 0),
    enabled: chosenId !== null && !isListed,
  }).data;
  const profiles = [...(newest ?? []), ...(older && !isListed ? [older] : [])];
  return {
    profile: profiles.find(({ id }) => id === chosenId),
    options: profiles.map((each) => ({ value: String(each.id), label: labelOf(each, newest) })),
  };
}

function labelOf(profile: Profile, newest: Profile[] = []): string {
  const isNewest = newest.some(({ id }) => id === profile.id);
  return profile.builtin && isNewest ? profile.name : `${profile.name}, version ${profile.version}`;
}
