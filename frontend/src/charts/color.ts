/**
 * The color scales: cividis for amounts, blue–white–orange for ratios, Okabe–Ito for series. All
 * are readable with the common color-vision deficiencies; text on them is chosen by contrast.
 */

export type Rgb = readonly [red: number, green: number, blue: number];

/** Ten equally spaced stops of cividis (Nuñez, Anderton, Renslow 2018), dark to light. */
const CIVIDIS = [
  "#00204d",
  "#00336f",
  "#39486b",
  "#575c6d",
  "#707173",
  "#8a8779",
  "#a69d75",
  "#c4b56c",
  "#e4cf5b",
  "#ffea46",
].map(parseHex);

/** Blue where A is slower, white at 1×, orange where A is faster. */
const DIVERGING = ["#1f5a99", "#6ea3d4", "#c9deef", "#ffffff", "#fbd9b5", "#eb9a4a", "#a85508"].map(
  parseHex,
);

/** Pure black and white: softer inks would miss AA on some mid-tone. */
const DARK_INK = "#000000";
const LIGHT_INK = "#ffffff";

/** A ratio scale never spans less than ±25 %, so that 2 % of noise does not look like a difference. */
const LEAST_RATIO_SPAN = Math.log2(1.25);

export function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}

function toHex(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Color at `position` (0 to 1, clamped) between equally spaced stops. */
function along(stations: readonly Rgb[], position: number): string {
  const place = Math.min(1, Math.max(0, position)) * (stations.length - 1);
  const below = Math.min(Math.floor(place), stations.length - 2);
  const [from, to] = [stations[below] as Rgb, stations[below + 1] as Rgb];
  const part = place - below;
  const mix = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * part;
  return toHex([mix(0), mix(1), mix(2)]);
}

export function cividis(position: number): string {
  return along(CIVIDIS, position);
}

/** Domain of a color scale, in the unit of its values. */
export interface Scale {
  min: number;
  max: number;
}

/** A scale over finite values; null when there are none. */
export function scaleOf(values: Iterable<number | null | undefined>): Scale | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value == null || !Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return min <= max ? { min, max } : null;
}

/** The minimum range of a scale of amounts to each side, as a share of its middle. */
const LEAST_SHARE = 0.1;

/** The scale, widened to at least ±10 % around its middle: noise must not look like structure. */
export function widened({ min, max }: Scale): Scale {
  const middle = (min + max) / 2;
  const half = Math.max((max - min) / 2, middle * LEAST_SHARE);
  return { min: middle - half, max: middle + half };
}

/** The position of a value on a scale, 0 to 1; 1 if the scale spans nothing. */
export function positionOn(scale: Scale, value: number): number {
  const span = scale.max - scale.min;
  return span > 0 ? (value - scale.min) / span : 1;
}

/** Half-width of a ratio scale in powers of two, symmetrical so that 1× is always white. */
export function ratioSpan(ratios: Iterable<number | null | undefined>): number {
  let span = LEAST_RATIO_SPAN;
  for (const ratio of ratios) {
    if (ratio != null && ratio > 0 && Number.isFinite(ratio)) {
      span = Math.max(span, Math.abs(Math.log2(ratio)));
    }
  }
  return span;
}

/** Color of a ratio A ÷ B; halving and doubling lie equally far from white. */
export function diverging(ratio: number, span: number): string {
  return along(DIVERGING, 0.5 + Math.log2(ratio) / span / 2);
}

/** Relative luminance as WCAG 2 defines it. */
export function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Contrast ratio of WCAG 2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(parseHex(one)), luminance(parseHex(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Return the ink with the higher contrast on a fill. */
export function inkOn(fill: string): string {
  return contrast(fill, DARK_INK) >= contrast(fill, LIGHT_INK) ? DARK_INK : LIGHT_INK;
}

/** Okabe–Ito, ordered so that the first ones differ most; `black` takes the page's ink instead. */
const OKABE_ITO = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];
const DASHES = ["solid", "dash", "dot", "dashdot"] as const;

export interface SeriesStyle {
  color: string;
  dash: (typeof DASHES)[number];
}

/**
 * Style of the n-th series: the eight Okabe–Ito colors, then the same with other line styles.
 * `ink` replaces the palette's black, which would be invisible on a dark page.
 */
export function seriesStyle(index: number, ink: string): SeriesStyle {
  const colors = [...OKABE_ITO, ink];
  const styles = colors.length * DASHES.length;
  const style = ((index % styles) + styles) % styles;
  return {
    color: colors[style % colors.length] as string,
    dash: DASHES[Math.floor(style / colors.length)] as SeriesStyle["dash"],
  };
}

/** The same color, see-through: for bands of minimum to maximum. */
export function withAlpha(hex: string, alpha: number): string {
  return `rgba(${parseHex(hex).join(", ")}, ${alpha})`;
}

const TEXT_CONTRAST = 4.5;

/** Return the color, mixed with ink until text in it has AA contrast on the surface. */
export function readableOn(surface: string, color: string, ink: string): string {
  const [from, to] = [parseHex(color), parseHex(ink)];
  for (let step = 0; step < 10; step++) {
    const mix = (index: 0 | 1 | 2) => from[index] + ((to[index] - from[index]) * step) / 10;
    const mixed = toHex([mix(0), mix(1), mix(2)]);
    if (contrast(mixed, surface) >= TEXT_CONTRAST) return mixed;
  }
  return ink;
}
