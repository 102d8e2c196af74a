/**
 * One page alone, or with tabs, in a frame of the product's own: without our navigation, and without links that lead
 * elsewhere. The sign-in link says which; public/start.js reads that before anything is painted, and keeps it for the
 * frame.
 */
import { useEffect } from "react";
import { isAt } from "../src/domain/places.ts";

const { embed, tabs, parents }: Partial<DOMStringMap> = globalThis.document?.documentElement.dataset ?? {};

/** `null` for the whole dashboard. */
export const EMBEDDED_PAGE: string | null = embed ?? null;

/** The addresses of the frame's tabs, in their order. */
export const TABS: readonly string[] = toList(tabs);

/** In a frame nobody presses a link by mistake, and no program that looks at links is there. */
export const IS_FRAMED = globalThis.window !== undefined && window.parent !== window;

/** Whether a link may lead there: a page that the frame has, and what lies below its address. */
export function isReachable(href: string): boolean {
  if (EMBEDDED_PAGE === null) return true;
  const [path = ""] = href.split(/[?#]/, 1);
  return [EMBEDDED_PAGE, ...TABS].some((page) => isAt(path, page));
}

function toList(words = ""): readonly string[] {
  return words === "" ? [] : words.split(" ");
}

/** To those that may frame the page (pages/documents.ts): the browser drops what is for another one. */
export function tellParent(message: unknown): void {
  if (!IS_FRAMED) return;
  for (const origin of toList(parents)) window.parent.postMessage(message, origin);
}

/** The page around a frame can bring a new link. */
export function useTellSignedOut(isSignedOut: boolean): void {
  useEffect(() => {
    if (isSignedOut) tellParent("bellwire:signed-out");
  }, [isSignedOut]);
}

/** What to do about a session that has ended, or a link that does not work. */
export const FRAME_ADVICE =
  "Reload the page around this one: your product then opens it with a new link. Each works once, for five minutes.";
