import { Empty } from "@/components/feedback/Empty";

/** In place of a trial, as long as none has begun. */
export function NoTrial({ ended }: { ended: boolean }) {
  return (
    <Empty title="No trial to show">
      {ended
        ? "The run ended before its first trial."
        : "Details appear when the first trial starts."}
    </Empty>
  );
}
