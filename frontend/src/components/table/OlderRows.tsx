import { Button } from "@mantine/core";
import classes from "./OlderRows.module.css";

interface OlderRowsProps {
  /** The list, page by page. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** What it lists: "campaigns". */
  what: string;
}

/** Below a list that has more pages: shows the next one below the rows that are there. */
export function OlderRows({ list, what }: OlderRowsProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      className={classes.older}
      variant="default"
      loading={list.isFetchingNextPage}
      onClick={() => list.fetchNextPage()}
    >
      Show more {what}
    </Button>
  );
}
