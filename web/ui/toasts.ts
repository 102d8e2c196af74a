/**
 * Toasts: short words on what is true now ("Queued to be sent again"). Never an error, never the only place where
 * something is said. A caller of `toast` needs no component around it: the host (toast-host.tsx) takes toasts from
 * here, also those from before its code had arrived.
 */
interface ToastText {
  readonly title: string;
  readonly description?: string;
  readonly action?: { readonly label: string; readonly onSelect: () => void };
}

/** Draws it, and gives what takes it away again. */
type Show = (toast: ToastText) => () => void;

const waiting: ToastText[] = [];
let show: Show | null = null;

/** Returns what takes it away before its time: it says what is coming, and that is there. */
export function toast(text: ToastText | string): () => void {
  const full = typeof text === "string" ? { title: text } : text;
  if (show !== null) return show(full);
  waiting.push(full);
  return () => undefined;
}

/** The host's side: what has waited is shown at once. Returns how to leave. */
export function hostToasts(add: Show): () => void {
  show = add;
  for (const text of waiting.splice(0)) add(text);
  return () => {
    if (show === add) show = null;
  };
}
