export { formatBlock, formatBytes, parseBytes, splitBytes } from "./bytes";
export {
  formatDuration,
  formatGuess,
  formatLatency,
  formatMoment,
  formatRelative,
  formatUtc,
} from "./duration";
export {
  count,
  counted,
  figure,
  formatIops,
  formatShare,
  joined,
  type Quantity,
  splitIops,
  valueText,
} from "./figure";
export { inUnit } from "./inUnit";
export { levelsWords, rateOrLevels, shortLevels } from "./levels";
export { Bytes, Duration, Headline, Rate, RateHeadline } from "./Quantities";
export { RateUnitProvider, useRateUnit } from "./RateUnitProvider";
export { RelativeTime } from "./RelativeTime";
export {
  formatRate,
  RATE_UNITS,
  type RateUnit,
  rateFigure,
  rateIn,
  rateText,
  splitRate,
} from "./rate";
export { useNow } from "./useNow";
