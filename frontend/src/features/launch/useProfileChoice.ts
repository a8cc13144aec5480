import { useQuery } from "@tanstack/react-query";
import { profileQuery, profilesQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { isFirstLoad } from "@/components/feedback/Resolved";

/** The selectable profiles: the latest version of each, and the selected one even if older. */
export function useProfileChoice(chosenId: number | null) {
  const all = useQuery(profilesQuery);
  const newest = all.data?.items;
  const isListed = newest?.some(({ id }) => id === chosenId) ?? true;
  const other = useQuery({
    ...profileQuery(chosenId ?? 0),
    enabled: chosenId !== null && !isListed,
  });
  const older = other.data;
  const profiles = [...(newest ?? []), ...(older && !isListed ? [older] : [])];
  return {
    /** The list, for its error. */
    list: all,
    isLoading: isFirstLoad(all) || isFirstLoad(other),
    profile: profiles.find(({ id }) => id === chosenId),
    options: profiles.map((each) => ({ value: String(each.id), label: labelOf(each, newest) })),
  };
}

function labelOf(profile: Profile, newest: Profile[] = []): string {
  const isNewest = newest.some(({ id }) => id === profile.id);
  return profile.builtin && isNewest ? profile.name : `${profile.name}, version ${profile.version}`;
}
