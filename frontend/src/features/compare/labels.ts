import type { Run } from "@/api/shapes";
import { letterOf } from "./letters";
import { namesOf } from "./names";

/** What the page calls each compared run, by its id: its letter, and its name in sentences. */
export function labelsOf(runs: readonly Pick<Run, "id" | "participants">[]) {
  const names = namesOf(runs);
  const indexOf = (id: number) => runs.findIndex((run) => run.id === id);
  const letter = (id: number): string => letterOf(indexOf(id));
  const name = (id: number): string => names[indexOf(id)] ?? letter(id);
  return { letter, name };
}
