/**
 * Embeds the page's fonts in a saved SVG, so that it looks the same outside the page.
 */

/** The fonts used in charts: text, bold text, figures. */
const FACES: readonly [family: string, weight: string][] = [
  ["IBM Plex Sans", "400"],
  ["IBM Plex Sans", "600"],
  ["IBM Plex Mono", "400"],
];

/** Return the SVG with its fonts embedded. */
export async function withFonts(svg: string): Promise<string> {
  const rules = await Promise.all(latinFaces().map(inlined));
  return svg.replace(/<svg[^>]*>/, (opening) => `${opening}<style>${rules.join("")}</style>`);
}

function latinFaces(): CSSFontFaceRule[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.filter(
    (rule): rule is CSSFontFaceRule =>
      rule instanceof CSSFontFaceRule &&
      /^(U\+0+-0*FF|$)/i.test(rule.style.getPropertyValue("unicode-range")) &&
      FACES.some(
        ([family, weight]) =>
          rule.style.getPropertyValue("font-family").includes(family) &&
          rule.style.getPropertyValue("font-weight") === weight,
      ),
  );
}

async function inlined(rule: CSSFontFaceRule): Promise<string> {
  const address = /url\("?([^")]+)"?\)/.exec(rule.style.getPropertyValue("src"))?.[1];
  if (!address) return "";
  const base = rule.parentStyleSheet?.href ?? document.baseURI;
  const font = await fetch(new URL(address, base));
  if (!font.ok) return "";
  const family = rule.style.getPropertyValue("font-family");
  const weight = rule.style.getPropertyValue("font-weight");
  const data = await dataUri(await font.blob());
  return `@font-face{font-family:${family};font-weight:${weight};src:url(${data}) format("woff2")}`;
}

function dataUri(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
