/**
 * Puts a text on the clipboard; false when the browser does not let the page. Over plain http
 * browsers have no clipboard for pages, so it is copied the old way there.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByCommand(text);
  }
}

/** The command copies only what is selected, so the text stands in the page for a moment. */
function copiedByCommand(text: string): boolean {
  const focused = document.activeElement;
  const holder = document.createElement("textarea");
  holder.value = text;
  holder.className = "visually-hidden";
  // within the dialog, if one is open: it keeps the focus to itself
  (focused?.parentElement ?? document.body).append(holder);
  holder.select();
  try {
    return document.execCommand("copy");
  } finally {
    holder.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
