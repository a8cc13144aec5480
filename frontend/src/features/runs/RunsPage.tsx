import { useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { PageHeader } from "@/components/page/Page";
import { HistoryTabs } from "./HistoryTabs";
import { RunList } from "./RunList";

/** All runs, across campaigns. */
export function RunsPage() {
  const view = useListView("-created_at");
  return (
    <>
      <PageHeader title="Runs" />
      <HistoryTabs search={view.search} />
      <SavedViews list="runs" view={view} />
      <RunList view={view} />
    </>
  );
}
