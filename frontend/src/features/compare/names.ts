import type { Run } from "@/api/shapes";
import { letterOf } from "./letters";

/**
 * A name for each run that is unique in a sentence: its hosts, else hosts and directories, else the
 * letters of the page.
 */
export function namesOf(runs: readonly Pick<Run, "participants">[]): string[] {
  const joined = (name: (participant: Run["participants"][number]) => string) =>
    runs.map(({ participants }) => [...new Set(participants.map(name))].join(" + "));
  const choices = [
    joined(({ host }) => host.name),
    joined(({ host, target }) => (target ? `${host.name} ${target.path}` : host.name)),
  ];
  const unique = choices.find((names) => new Set(names).size === names.length);
  return unique ?? runs.map((_, index) => letterOf(index));
}
