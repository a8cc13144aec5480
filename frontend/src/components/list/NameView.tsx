import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { ViewedList } from "@/api/shapes";
import { useWrite } from "@/api/useWrite";
import classes from "./SavedViews.module.css";

interface NameViewProps {
  list: ViewedList;
  search: Record<string, string>;
  onDone: () => void;
}

/** Names the filters and the order of a list. */
export function NameView({ list, search, onDone }: NameViewProps) {
  const [name, setName] = useState("");
  const save = useWrite(
    "views",
    () => unwrap(api.POST("/api/v1/views", { body: { list, name, search } })),
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
        Save view
      </Button>
      <Button variant="subtle" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}
