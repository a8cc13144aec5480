import { Button, Textarea } from "@mantine/core";
import { useRef } from "react";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import classes from "./Notes.module.css";
import { type Noted, type Notes, putNotes } from "./notes";

/** The code of a change that came after another one. */
const CHANGED = "notes_changed";

interface NotesFormProps {
  of: Noted;
  /** The newest version known; the form edits the one that it was opened with. */
  notes: Notes;
  onClose: () => void;
}

/** Edits notes as Markdown; a text that someone else changed meanwhile is not overwritten unseen. */
export function NotesForm({ of, notes, onClose }: NotesFormProps) {
  const seen = useRef(notes.changed_at);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { text: notes.text },
    changed: "notes",
    send: ({ text }) => putNotes(of, { text, replaces: seen.current }),
    onSaved: onClose,
  });
  return (
    <form className={`${layout.form} ${classes.form}`} onSubmit={onSubmit}>
      <Textarea
        label="Text"
        description="Markdown. HTML is shown as text, and images are not loaded."
        rows={12}
        resize="vertical"
        data-autofocus
        {...form.getInputProps("text")}
      />
      {problem?.code === CHANGED ? (
        <Notice title="The notes have been changed">
          {notes.changed_by
            ? `${notes.changed_by} changed them after you opened this form. Add what you need of the current text to yours:`
            : "Someone removed them after you opened this form."}
          {notes.text ? <pre className={classes.current}>{notes.text}</pre> : null}
          <Button
            type="submit"
            variant="default"
            loading={isPending}
            onClick={() => {
              seen.current = notes.changed_at;
            }}
          >
            Replace with my text
          </Button>
        </Notice>
      ) : problem ? (
        <ProblemPanel error={problem} />
      ) : null}
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
