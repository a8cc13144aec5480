import { useLocalStorage } from "@mantine/hooks";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { LatestResult } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import classes from "./FirstSteps.module.css";
import { RESULT_READ, stepsDone } from "./steps";

interface FirstStepsProps {
  hosts: number;
  /** Runs that are queued, active or have a result. */
  runs: number;
  latest: readonly LatestResult[];
}

/** The way to a first result, for operators; it disappears step by step. */
export function FirstSteps({ hosts, runs, latest }: FirstStepsProps) {
  const [hasRead] = useLocalStorage({ key: RESULT_READ, defaultValue: false });
  const done = stepsDone({ hosts, runs, results: latest.length, hasRead });
  if (done.every(Boolean)) return null;
  const [newest] = latest;
  const steps = [
    {
      title: <Link to="/hosts/new">Add a host</Link>,
      text: "Assay logs in by SSH, inspects the machine, and measures only in directories that you choose.",
    },
    {
      title: <Link to="/launch">Launch a campaign</Link>,
      text: "Say what you want to know, and where to measure. The estimate shows what it writes and how long it takes.",
    },
    {
      title: newest ? (
        <Link to="/runs/$id" params={{ id: newest.run_id }}>
          Read a result
        </Link>
      ) : (
        "Read a result"
      ),
      text: "It begins with the answer; what limits it, and how it was measured, follows.",
    },
  ];
  return (
    <Section title="First steps">
      <ol className={classes.steps}>
        {steps.map(({ title, text }, index) => (
          <li key={text} className={classes.step} data-done={done[index] || undefined}>
            {done[index] ? (
              <IconCircleCheckFilled size={18} aria-hidden="true" />
            ) : (
              <IconCircle size={18} stroke={1.5} aria-hidden="true" />
            )}
            <div>
              <p className={classes.stepTitle}>
                {index + 1}. {title}
                {done[index] ? <span className={classes.word}> done</span> : null}
              </p>
              <p className={classes.text}>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
