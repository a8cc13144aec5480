/**
 * Copy a text to the clipboard; return false when the browser refuses. Over plain HTTP browsers
 * have no clipboard API, so this falls back to `execCommand`.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByCommand(text);
  }
}

/** Copy by `execCommand`, which copies a selection, so the text is briefly added to the page. */
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
