import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useCan } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import classes from "./Notes.module.css";
import { type Noted, type Notes, notesQuery } from "./notes";

// Most pages have no notes.
const Markdown = lazyRouteComponent(() => import("./Markdown"), "Markdown");
const NotesForm = lazyRouteComponent(() => import("./NotesForm"), "NotesForm");

type Props = {
  of: Noted;
  /** Shown to viewers if there are no notes. */
  empty?: React.ReactNode;
};

/** The notes on a campaign, run or array: rendered Markdown, edited by operators. */
export function NotesSection({ of, empty = null }: Props) {
  const mayChange = useCan("operator");
  const [editing, setEditing] = useState(false);
  const query = useQuery(notesQuery(of));
  const { data: notes, error } = query;
  if (notes && !notes.text && !mayChange) return empty;
  return (
    <Section
      title="Notes"
      action={
        mayChange && notes && !editing ? (
          <Button variant="default" onClick={() => setEditing(true)}>
            {notes.text ? "Edit notes" : "Add notes"}
          </Button>
        ) : null
      }
    >
      {error ? <ProblemPanel error={error} retry={() => query.refetch()} /> : null}
      {notes && editing ? (
        <Suspense fallback={<pre className={classes.source}>{notes.text}</pre>}>
          <NotesForm of={of} notes={notes} onClose={() => setEditing(false)} />
        </Suspense>
      ) : notes?.text ? (
        <RenderedNotes notes={notes} />
      ) : null}
    </Section>
  );
}

function RenderedNotes({ notes }: { notes: Notes }) {
  return (
    <>
      <Suspense fallback={<pre className={classes.source}>{notes.text}</pre>}>
        <Markdown text={notes.text} />
      </Suspense>
      <p className={classes.changed}>
        Changed <RelativeTime at={notes.changed_at} /> by {notes.changed_by}
      </p>
    </>
  );
}
