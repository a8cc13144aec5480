import { useState } from "react";

/**
 * Whether a page was ready once: it waits for all its parts when it opens, so that none shifts the
 * others, but never disappears again for a part that is added later. `page` tells pages apart.
 */
export function useOnceReady(page: number, ready: boolean): boolean {
  const [shown, setShown] = useState<number | null>(null);
  if (ready && shown !== page) setShown(page);
  return ready || shown === page;
}
