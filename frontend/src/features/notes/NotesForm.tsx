import { Button, Textarea } from "@mantine/core";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import classes from "./Notes.module.css";
import { type Noted, type Notes, putNotes } from "./notes";

/** Edits notes as Markdown; a text that someone else changed meanwhile is not overwritten. */
export function NotesForm({
  of,
  notes,
  onClose,
}: {
  of: Noted;
  notes: Notes;
  onClose: () => void;
}) {
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
        rows={12}
        resize="vertical"
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
