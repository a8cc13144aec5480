import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";
import { Loading } from "@/components/feedback/Loading";
import { PopoverButton } from "@/components/PopoverButton";

const CopyMenu = lazyRouteComponent(() => import("./CopyMenu"), "CopyMenu");

/** A button that copies a result as Markdown, image or link, or saves its picture. */
export function CopyResult({ runId }: { runId: number }) {
  return (
    <PopoverButton label="Copy" title="Copy this result" width={240}>
      <Suspense fallback={<Loading what="ways to copy" rows={4} />}>
        <CopyMenu runId={runId} />
      </Suspense>
    </PopoverButton>
  );
}
