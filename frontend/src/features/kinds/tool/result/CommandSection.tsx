import { Disclosure } from "@/components/Disclosure";
import { Facts } from "@/components/Facts";
import { Section } from "@/components/page/Page";
import { count, figure, formatBytes, formatLatency } from "@/components/quantities";
import type { ToolCell, ToolDefinition, ToolEnd, ToolTrial } from "@/features/kinds/tool/tool";
import classes from "./ToolResult.module.css";

interface CommandSectionProps {
  cell: ToolCell;
  trial: ToolTrial;
  definition: ToolDefinition | undefined;
}

/** What a trial's time was spent on, what arrived, and how the command ended. */
export function CommandSection({ cell, trial, definition }: CommandSectionProps) {
  const { transfer_ns, sync_ns, handover_ns, arrived, command, source, sink } = trial;
  const time = (ns: number | null) => (ns === null ? null : formatLatency(ns));
  return (
    <>
      <Section title="Transfer">
        <Facts
          facts={[
            ["Transfer", time(transfer_ns)],
            ["Final sync", time(sync_ns)],
            ["Between them, not counted", time(handover_ns)],
            ["Arrived intact", formatBytes(trial.bytes)],
            ...(arrived
              ? ([
                  [`Intact ${cell.unit}s`, count(arrived.intact)],
                  ["Missing", count(arrived.missing)],
                  ["Incomplete", count(arrived.incomplete)],
                  ["Wrong", count(arrived.wrong)],
                  ["Duplicate", count(arrived.duplicate)],
                  [
                    "Not in the input",
                    arrived.unexpected_name
                      ? `${count(arrived.unexpected)}, such as ${arrived.unexpected_name}`
                      : count(arrived.unexpected),
                  ],
                ] satisfies [string, string][])
              : []),
            ["CPU time at the source", cpuWords(source)],
            ["CPU time at the sink", cpuWords(sink)],
          ]}
        />
      </Section>
      {command ? (
        <Section title={`Command: ${exitWords(command)}`}>
          <Printed title="Standard error" text={command.errors} />
          <Printed title="Standard output" text={command.output} />
          {command.errors || command.output ? null : <p>It printed nothing.</p>}
          {definition ? (
            <Disclosure summary={`Commands of ${definition.title}`}>
              {commandsOf(definition).map(([name, text]) => (
                <Printed key={name} title={name} text={text} />
              ))}
            </Disclosure>
          ) : null}
        </Section>
      ) : null}
    </>
  );
}

/** Text of a shell, with its title; nothing if it is empty. */
function Printed({ title, text }: { title: string; text: string }) {
  if (!text) return null;
  return (
    <>
      <h3>{title}</h3>
      <pre className={classes.output}>{text}</pre>
    </>
  );
}

/** "61.2 s, of which 1.20 s idle use": what the host would have used without the transfer. */
const cpuWords = (end: ToolEnd | null): string | null =>
  end === null
    ? null
    : `${figure(end.busy_s)}\u00a0s, of which ${figure(end.idle_s)}\u00a0s idle use`;

/** "exit code 0 after 12.1 s" */
function exitWords({ exit_code, signal, ns }: NonNullable<ToolTrial["command"]>): string {
  const ended =
    signal === null ? `exit code ${exit_code ?? "unknown"}` : `ended by signal ${signal}`;
  return `${ended} after ${formatLatency(ns)}`;
}

const commandsOf = (definition: ToolDefinition): [name: string, text: string][] => {
  const all: [string, string | undefined][] = [
    ["At the sink", definition.sink_command],
    ["At the source", definition.source_command],
    ["Cleanup at the source", definition.source_cleanup],
    ["Cleanup at the sink", definition.sink_cleanup],
  ];
  return all.flatMap(([name, text]) => (text ? [[name, text]] : []));
};
