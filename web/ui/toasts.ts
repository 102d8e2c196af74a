/**
 * Toasts: short words on what is true now ("Resend queued"). Never an error, never the only place where something is
 * said. A caller of `toast` needs no component around it: the host (toast-host.tsx) takes toasts from here, also those
 * from before its code had arrived.
 */
interface ToastText {
  readonly title: string;
  readonly description?: string;
  readonly action?: { readonly label: string; readonly onSelect: () => void };
}

const waiting: ToastText[] = [];
let show: ((toast: ToastText) => void) | null = null;

export function toast(text: ToastText | string): void {
  const full = typeof text === "string" ? { title: text } : text;
  if (show === null) waiting.push(full);
  else show(full);
}

/** The host's side: what has waited is shown at once. Returns how to leave. */
export function hostToasts(add: (toast: ToastText) => void): () => void {
  show = add;
  for (const text of waiting.splice(0)) add(text);
  return () => {
    if (show === add) show = null;
  };
}
