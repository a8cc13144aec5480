import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

/** What a page shows in its own place when it could not be made. */
export function RouteFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ProblemPanel
      error={error}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}
