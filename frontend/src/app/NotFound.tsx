import { Link } from "@tanstack/react-router";
import { Empty } from "@/components/feedback/Empty";
import { PageHeader } from "@/components/page/PageHeader";

/** An address that no page has. */
export function NotFound() {
  return (
    <>
      <PageHeader title="No such page" />
      <Empty title="There is no page at this address">
        The link may be old or mistyped. <Link to="/">Go to the overview</Link>, or press{" "}
        <kbd>/</kbd> to search.
      </Empty>
    </>
  );
}
