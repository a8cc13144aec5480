import type { Path } from "@/features/kinds/path/shapes";
import { useShownSearch } from "@/features/kinds/useShownSearch";
import { type ShownSearch, settingKey, shownIn } from "./shown";

/** What the page shows; a change keeps the setting and the leg, which may be defaults. */
export function useShown(result: Path) {
  const { search, change, chart } = useShownSearch<ShownSearch>();
  const shown = shownIn(result, search);
  const setting = shown.setting ? settingKey(shown.setting) : undefined;
  const kept = { setting, leg: shown.leg?.leg };
  return {
    ...shown,
    pair: search.pair,
    change: (changed: ShownSearch) => change({ ...kept, ...changed }),
    chart,
  };
}
