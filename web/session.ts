/** Who is signed in, for every component below the gate in app.tsx, and what that person may do. */
import { createContext, use } from "react";
import type { SessionAnswer } from "../src/dashboard/contract/session.ts";

export const SessionContext = createContext<SessionAnswer | null>(null);

export function useSession(): SessionAnswer {
  const session = use(SessionContext);
  if (session === null) throw new Error("useSession outside of the pages that need a session; see app.tsx");
  return session;
}

/**
 * Why this person may not do it, as the text for `disabledReason`; `undefined` for owners. `what` completes the
 * sentence "Only owners can …". The server refuses it too.
 */
export function useOwnersOnly(what: string): string | undefined {
  return useSession().role === "owner" ? undefined : `Only owners can ${what}.`;
}
