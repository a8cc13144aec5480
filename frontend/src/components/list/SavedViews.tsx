import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { savedViewsQuery } from "@/api/queries";
import type { SavedView, ViewedList } from "@/api/shapes";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { NameView } from "./NameView";
import classes from "./SavedViews.module.css";
import { isSameView, viewSearch } from "./sameView";
import type { ListView } from "./useListView";

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
    <section className={classes.bar} aria-label="Saved views">
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
