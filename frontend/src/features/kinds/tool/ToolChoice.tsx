import { Button, Checkbox } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { toolsQuery } from "@/api/queries";
import type { Tool, ToolCheck } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { StateBadge } from "@/components/state/StateBadge";
import type { LaunchSectionProps } from "@/features/kinds/kind";
import classes from "./ToolChoice.module.css";
import { toolNames } from "./tool";

/** How long a request for a check waits for its end, in seconds, and how often it is repeated. */
const WAIT_S = 20;
const MOST_REQUESTS = 6;

/** Selects tools, with what each host must have, and whether a check found it there. */
export function ToolChoice({ value, onChange, sources, sinks }: LaunchSectionProps) {
  const tools = useQuery(toolsQuery);
  const chosen = toolNames(value("tools"));
  const [source, sink] = [sources[0]?.host, sinks[0]?.host];
  const check = useMutation({
    mutationFn: async (wanted: readonly Tool[]) => {
      if (!source || !sink) return null;
      const hosts = { source_host_id: source.id, sink_host_id: sink.id };
      const checks = await Promise.all(
        wanted.map(async ({ id }) => [id, await checked(id, hosts)] as const),
      );
      return { ...hosts, found: new Map(checks) };
    },
  });
  // what was found at other hosts says nothing about these
  const isCurrent =
    check.data?.source_host_id === source?.id && check.data?.sink_host_id === sink?.id;
  const found = isCurrent ? check.data?.found : undefined;
  return (
    <Resolved query={tools} what="tools" rows={3}>
      {({ items }) => {
        const wanted = items.filter(({ definition }) => chosen.includes(definition.name));
        const toggle = (name: string) => {
          const names = chosen.includes(name)
            ? chosen.filter((one) => one !== name)
            : [...chosen, name];
          // an empty field would mean the profile's tools
          if (names.length > 0) onChange({ tools: names.join(", ") });
        };
        return (
          <Section
            title="Tools"
            hint="All selected tools move the same input between the same ends."
            action={
              <Button
                variant="default"
                size="xs"
                disabled={!source || !sink || wanted.length === 0}
                loading={check.isPending}
                onClick={() => check.mutate(wanted)}
              >
                Check hosts
              </Button>
            }
          >
            {check.error ? <ProblemPanel error={check.error} /> : null}
            <ul className={classes.tools}>
              {items.map(({ id, definition }) => (
                <li key={id}>
                  <Checkbox
                    checked={chosen.includes(definition.name)}
                    onChange={() => toggle(definition.name)}
                    label={definition.title}
                    description={
                      <>
                        <code>{definition.name}</code> {definition.description}
                      </>
                    }
                  />
                  {chosen.includes(definition.name) ? (
                    <dl className={classes.needs}>
                      <Need
                        side="Source"
                        host={source?.name}
                        needs={definition.needs_at_source}
                        end={found?.get(id)?.source}
                      />
                      <Need
                        side="Sink"
                        host={sink?.name}
                        needs={definition.needs_at_sink}
                        end={found?.get(id)?.sink}
                      />
                    </dl>
                  ) : null}
                </li>
              ))}
            </ul>
          </Section>
        );
      }}
    </Resolved>
  );
}

/** Check both hosts for a tool, and wait for the end. */
async function checked(
  tool: number,
  hosts: { source_host_id: number; sink_host_id: number },
): Promise<ToolCheck> {
  const ask = () =>
    unwrap(
      api.POST("/api/v1/tools/{tool_id}/check", {
        params: { path: { tool_id: tool }, query: { wait: WAIT_S } },
        body: hosts,
      }),
    );
  let found = await ask();
  for (let asked = 1; asked < MOST_REQUESTS && isActive(found); asked++) found = await ask();
  return found;
}

/** Whether one of the hosts is still checked. */
const isActive = ({ source, sink }: ToolCheck): boolean =>
  [source, sink].some(({ state }) => state === "queued" || state === "running");

interface NeedProps {
  side: string;
  host: string | undefined;
  needs: string | undefined;
  end: ToolCheck["source"] | undefined;
}

const STATES: Record<string, { state: string; word: string }> = {
  found: { state: "pass", word: "found" },
  missing: { state: "fail", word: "missing" },
  failed: { state: "inconclusive", word: "not checked" },
  queued: { state: "queued", word: "check queued" },
  running: { state: "running", word: "checking" },
};

/** What a tool needs at a host, and whether it is there. */
function Need({ side, host, needs, end }: NeedProps) {
  const look = end && STATES[end.state];
  return (
    <div>
      <dt>{host ? `${side}, ${host}` : side}</dt>
      <dd>
        {needs || "nothing"}
        {look ? <StateBadge state={look.state} word={look.word} /> : null}
        {end && end.state !== "found" && end.message ? (
          <p className={classes.message}>{[end.message, end.remedy].filter(Boolean).join(" ")}</p>
        ) : null}
      </dd>
    </div>
  );
}
