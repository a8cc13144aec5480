/** A drawing to save: an SVG with the page's fonts, so that it looks the same elsewhere, or a PNG. */

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

/** Pixels of a PNG per CSS pixel: sharp on paper and on dense screens. */
const DENSITY = 2;

/** An SVG of a size in CSS pixels as a PNG. */
export async function rasterised(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image(width, height);
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * DENSITY;
    canvas.height = height * DENSITY;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("The browser provided no canvas.");
    context.scale(DENSITY, DENSITY);
    context.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("The image is too large to save."))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
