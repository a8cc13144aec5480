import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Retention } from "@/api/shapes";
import { Facts } from "@/components/Facts";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { count, formatBytes, RelativeTime } from "@/components/quantities";
import { RetentionForm } from "./RetentionForm";
import { SettingsPage } from "./SettingsPage";

const retentionQuery = queryOptions({
  queryKey: ["retention"],
  queryFn: () => unwrap(api.GET("/api/v1/retention")),
  refetchInterval: ({ state }) => (state.data?.pending ? 3000 : false),
});

/** The space that stored data takes, and the rules that remove what is old. */
export function StoragePage() {
  const retention = useQuery(retentionQuery);
  return (
    <SettingsPage title="Storage">
      <Resolved query={retention} what="storage" rows={10}>
        {(found) => (
          <>
            <Section title="Space used">
              <SpaceFacts space={found.space} />
            </Section>
            <Section
              title="Retention rules"
              hint={
                <>
                  Never removed: campaigns that have not ended, have a waiver, or the label{" "}
                  <code>baseline</code>.
                </>
              }
            >
              <RetentionForm retention={found} />
              <Facts
                facts={[
                  [
                    "Last applied",
                    found.pending && hasRules(found) ? (
                      "In progress"
                    ) : (
                      <RelativeTime key="applied" at={found.applied_at} />
                    ),
                  ],
                ]}
              />
            </Section>
          </>
        )}
      </Resolved>
    </SettingsPage>
  );
}

const hasRules = ({ rules }: Retention) => Object.values(rules).some(Boolean);

function SpaceFacts({ space }: { space: Retention["space"] }) {
  const reusable = space.reusable_bytes
    ? `, of which ${formatBytes(space.reusable_bytes)} will be reused`
    : "";
  return (
    <Facts
      facts={[
        ["Campaigns", `${count(space.campaigns)} with ${count(space.runs)} runs`],
        ["Raw event logs", formatBytes(space.raw_logs_bytes)],
        ["Samples", formatBytes(space.samples_bytes)],
        ["Results", formatBytes(space.results_bytes)],
        ["Database", `${formatBytes(space.database_bytes)}${reusable}`],
      ]}
    />
  );
}
