/** Why a row's session or conversation did not go to a webhook, in the list that is filtered by it. */
import { createContext, useContext } from "react";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import { notSentInWords } from "./not-sent-in-words.ts";

/** The reasons of the list around a row. */
export const Reasons = createContext<Readonly<Record<string, NotSentView>>>({});

export function NotSentLine({ id }: { readonly id: string }) {
  const reasons = useContext(Reasons)[id];
  if (reasons === undefined) return null;
  return (
    <span className="mt-0.5 line-clamp-6 text-sm font-normal text-ink-soft sm:line-clamp-3">
      {notSentInWords(reasons)}
    </span>
  );
}
