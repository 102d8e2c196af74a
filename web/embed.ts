/**
 * One page alone, in a frame of the product's own: without our navigation, and without links that lead elsewhere. The
 * sign-in link says which page; public/start.js reads that before anything is painted, and keeps it for the frame.
 */
import { useEffect } from "react";

/** `null` for the whole dashboard. */
export const EMBEDDED_PAGE: string | null = globalThis.document?.documentElement.dataset.embed ?? null;

/** In a frame nobody presses a link by mistake, and no program that looks at links is there. */
export const IS_FRAMED = globalThis.window !== undefined && window.parent !== window;

/** Whether a link may lead there: the page, and what lies below its address. */
export function isReachable(href: string): boolean {
  if (EMBEDDED_PAGE === null) return true;
  const [path = ""] = href.split(/[?#]/, 1);
  return path === EMBEDDED_PAGE || (EMBEDDED_PAGE !== "/" && path.startsWith(`${EMBEDDED_PAGE}/`));
}

/** Tells the page around a frame, which can bring a new link. It says nothing else, so anybody may hear it. */
export function useTellSignedOut(isSignedOut: boolean): void {
  useEffect(() => {
    if (IS_FRAMED && isSignedOut) window.parent.postMessage("bellwire:signed-out", "*");
  }, [isSignedOut]);
}

/** What to do about a session that has ended, or a link that does not work. */
export const FRAME_ADVICE =
  "Reload the page around this one: your product then opens it with a new link. Each works once, for five minutes.";
