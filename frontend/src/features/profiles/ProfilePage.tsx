import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { profileQuery, profilesQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { ProfileEditor } from "./ProfileEditor";
import { ProfileVersions } from "./ProfileVersions";
import { ProfileView } from "./ProfileView";

const route = getRouteApi("/profiles/$id");

/** One version of a profile: the newest of one's own to be edited, any other to be read and copied. */
export function ProfilePage() {
  const { id } = route.useParams();
  const profile = useQuery(profileQuery(id));
  const newest = useQuery(profilesQuery);
  const mayChange = useCan("operator");
  const current = newest.data?.items.find(({ slug }) => slug === profile.data?.slug);
  return (
    <>
      <PageHeader
        title={profile.data?.name ?? `Profile ${id}`}
        parents={[
          <Link key="profiles" to="/profiles">
            Profiles
          </Link>,
        ]}
        aside={profile.data ? <span>{versionOf(profile.data)}</span> : null}
        action={
          mayChange && current ? (
            <Button
              renderRoot={(props) => (
                <Link to="/launch" search={{ profile: String(id) }} {...props} />
              )}
            >
              Launch
            </Button>
          ) : null
        }
      />
      <Resolved query={newest} what="profiles">
        {() => (
          <Resolved
            query={profile}
            what="profile"
            elsewhere={<Link to="/profiles">All profiles</Link>}
          >
            {(found) => (
              <>
                <ManagedBy file={found.managed_by} />
                {mayChange && !found.builtin && current?.id === found.id ? (
                  <ProfileEditor key={found.id} profile={found} />
                ) : (
                  <ProfileView profile={found} current={current} />
                )}
                <ProfileVersions shown={found} />
              </>
            )}
          </Resolved>
        )}
      </Resolved>
    </>
  );
}

const versionOf = ({ builtin, version }: Profile): string =>
  builtin ? `built-in, version ${version}` : `version ${version}`;
