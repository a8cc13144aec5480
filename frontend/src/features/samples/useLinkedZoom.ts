import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { Span } from "@/charts/figure";

/** A zoomed range in the address: `12.5-14`, in the unit of the chart's axis. */
export function parseZoom(text: string | undefined): Span | null {
  const match = /^(\d{1,13}(?:\.\d{1,9})?)-(\d{1,13}(?:\.\d{1,9})?)$/.exec(text ?? "");
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  return match && from < to ? [from, to] : null;
}

export const zoomText = (to: Span | null): string | undefined =>
  to ? to.map((end) => String(Number(Math.max(0, end).toFixed(6)))).join("-") : undefined;

/** The zoom of a page's chart, which its address keeps, so that a link shows the same range. */
export function useLinkedZoom(onZoom: (to: Span | null) => void) {
  const { zoom }: { zoom?: string } = useSearch({ strict: false });
  const [zoomed] = useState(() => parseZoom(zoom));
  const navigate = useNavigate();
  const remember = useCallback(
    (to: Span | null) => {
      onZoom(to);
      void navigate({
        to: ".",
        search: (before: object): object => ({ ...before, zoom: zoomText(to) }),
        replace: true,
        resetScroll: false,
      });
    },
    [onZoom, navigate],
  );
  return { zoomed, onZoom: remember };
}
