/** Download a text as a file. */
export function saveText(text: string, filename: string, type: string): void {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), filename);
}

/** Download a blob as a file. */
export function saveBlob(blob: Blob, filename: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}
