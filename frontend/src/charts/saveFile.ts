/** Offers a text as a file to download. */
export function saveText(text: string, filename: string, type: string): void {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), filename);
}

/** Offers anything as a file to download. */
export function saveBlob(blob: Blob, filename: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}
