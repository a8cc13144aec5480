import { Section } from "@/components/page/Page";
import type { ResultProps } from "@/features/kinds/kind";
import type { CommitsResult as Commits } from "./shapes";

/** The mean, and every repeat. */
export function CommitsResult({ result, ended, children }: ResultProps) {
  const { commits_per_s, trials } = result as Commits;
  const none = ended ? "Nothing was measured." : "No result yet.";
  return (
    <>
      <p>{commits_per_s === null ? none : `${Math.round(commits_per_s)} commits/s`}</p>
      {children}
      <Section title="Repeats">
        <ul>
          {trials.map((trial) => (
            <li key={trial.id}>
              repeat {trial.repeat}: {Math.round(trial.commits_per_s ?? 0)} commits/s
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
