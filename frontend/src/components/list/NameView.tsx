import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { SavedView, ViewedList } from "@/api/shapes";
import { ifMatch } from "@/api/useVersion";
import { useWrite } from "@/api/useWrite";
import classes from "./SavedViews.module.css";

interface NameViewProps {
  list: ViewedList;
  search: Record<string, string>;
  /** The view that gets another name; without it, a new one is saved. */
  saved?: SavedView;
  onDone: () => void;
}

/** Names the filters and the order of a list, or renames a view of them. */
export function NameView({ list, search, saved, onDone }: NameViewProps) {
  const [name, setName] = useState(saved?.name ?? "");
  const save = useWrite(
    "views",
    () =>
      saved
        ? unwrap(
            api.PATCH("/api/v1/views/{view_id}", {
              params: { path: { view_id: saved.id }, header: ifMatch(saved.etag) },
              body: { name },
            }),
          )
        : unwrap(api.POST("/api/v1/views", { body: { list, name, search } })),
    onDone,
  );
  const problem = save.error ? asProblem(save.error) : null;
  return (
    <form
      className={classes.naming}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        aria-label="Name of the view"
        placeholder="Name of the view"
        required
        autoFocus
        maxLength={100}
        value={name}
        error={problem ? (problem.fields.name ?? problem.message) : null}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" loading={save.isPending}>
        {saved ? "Rename view" : "Save view"}
      </Button>
      <Button variant="subtle" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}
