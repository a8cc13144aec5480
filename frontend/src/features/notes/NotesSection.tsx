import { Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useCan } from "@/api/useCan";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { Section } from "@/components/page/Section";
import { RelativeTime } from "@/components/quantities";
import classes from "./Notes.module.css";
import { type Noted, type Notes, notesQuery, putNotes } from "./notes";

const Markdown = lazyRouteComponent(() => import("./Markdown"), "Markdown");

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
        <NotesForm of={of} notes={notes} onClose={() => setEditing(false)} />
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

function NotesForm({ of, notes, onClose }: { of: Noted; notes: Notes; onClose: () => void }) {
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { text: notes.text },
    changed: "notes",
    send: ({ text }) => putNotes(of, { text, replaces: notes.changed_at }),
    onSaved: onClose,
  });
  return (
    <form className={`${layout.form} ${classes.form}`} onSubmit={onSubmit}>
      <Textarea
        label="Text"
        description="Markdown. HTML is shown as text, and images are not loaded."
        autosize
        minRows={6}
        maxRows={24}
        data-autofocus
        {...form.getInputProps("text")}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save notes
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Discard changes
        </Button>
      </div>
    </form>
  );
}
