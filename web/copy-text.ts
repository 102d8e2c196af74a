/**
 * Puts a text into the clipboard. Over plain http, which is usual on a network of one's own, browsers have no
 * `navigator.clipboard`; the old command works there.
 */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // The Clipboard API is there and forbidden, as inside a frame; the old command may still copy.
    }
  }
  return copyByCommand(text);
}

/** Inside the open dialog, if there is one: what lies outside of it cannot be selected. */
function copyByCommand(text: string): boolean {
  const active = document.activeElement;
  const place = active?.closest("dialog") ?? document.body;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "fixed top-0 left-0 opacity-0";
  place.append(field);
  field.select();
  try {
    // Deprecated for years and everywhere still; there is nothing else without https.
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (active instanceof HTMLElement) active.focus();
  }
}
