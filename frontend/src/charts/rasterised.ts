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
