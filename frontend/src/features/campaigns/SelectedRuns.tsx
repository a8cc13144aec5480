import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { compareQuery } from "@/api/queries";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { Compared } from "@/features/compare/Compared";

/** The selected runs of a campaign, compared; the first selected one is the base. */
export function SelectedRuns({ ids }: { ids: readonly number[] }) {
  const comparison = useQuery(compareQuery([...ids]));
  return (
    <section aria-label="Comparison of the selected runs">
      <Resolved query={comparison} what="comparison" rows={10}>
        {(loaded) => (
          <Suspense fallback={<Loading what="comparison" rows={10} />}>
            <Compared comparison={loaded} />
          </Suspense>
        )}
      </Resolved>
    </section>
  );
}
