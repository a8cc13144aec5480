import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, asProblem, unwrap } from "@/api/client";
import type { ListSearch } from "@/api/listSearch";
import { savedViewsQuery } from "@/api/queries";
import type { SavedView, ViewedList } from "@/api/shapes";
import { ifMatch, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import classes from "./List.module.css";
import type { ListView } from "./ListTable";

type Props = { list: ViewedList; view: ListView };

/** The user's named views of a list as links, and the form that names the present one. */
export function SavedViews({ list, view }: Props) {
  const { data: saved = [] } = useQuery(savedViewsQuery(list));
  const [naming, { open, close }] = useDisclosure(false);
  const search = viewSearch(view.search);
  const here = saved.find((one) => isSameView(one.search, search));
  const canSave = here === undefined && Object.keys(search).length > 0;
  if (saved.length === 0 && !canSave) return null;
  return (
    <section className={classes.savedViews} aria-label="Saved views">
      {saved.length > 0 ? (
        <ul className={classes.views}>
          {saved.map((one) => (
            <li key={one.id}>
              <Link
                to="."
                search={one.search as never}
                className={classes.view}
                activeOptions={{ exact: true }}
              >
                {one.name}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      {here && !naming ? (
        <>
          <Button variant="subtle" onClick={open}>
            Rename view
          </Button>
          <Delete key={here.id} saved={here} />
        </>
      ) : null}
      {(here || canSave) && naming ? (
        <NameView key={here?.id} list={list} search={search} saved={here} onDone={close} />
      ) : canSave ? (
        <Button variant="subtle" onClick={open}>
          Save view
        </Button>
      ) : null}
    </section>
  );
}

function Delete({ saved }: { saved: SavedView }) {
  const remove = useWrite("views", () =>
    unwrap(api.DELETE("/api/v1/views/{view_id}", { params: { path: { view_id: saved.id } } })),
  );
  return (
    <>
      <ConfirmButton
        label="Delete view"
        question={`Delete the view ${saved.name}?`}
        consequence="The filters stay as they are; only their name is deleted."
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
    </>
  );
}

interface NameViewProps {
  list: ViewedList;
  search: Record<string, string>;
  /** The view that gets another name; without it, a new one is saved. */
  saved?: SavedView;
  onDone: () => void;
}

/** Names the filters and the order of a list, or renames a view of them. */
function NameView({ list, search, saved, onDone }: NameViewProps) {
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

/** The parameters of a list that are set, as a view keeps them. */
export const viewSearch = (search: ListSearch): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );

/** Whether two views select and order alike, whatever the order of their parameters. */
export function isSameView(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}
