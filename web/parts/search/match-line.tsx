/** Why a row was found: the kind of text, and the text with what was searched for marked. */
import { createContext, useContext } from "react";
import type { SearchView } from "../../../src/dashboard/contract/deliveries.ts";
import { Marked } from "./marked.tsx";

/** The matches of the list around a row. */
export const Matches = createContext<SearchView["matches"]>({});

const FIELDS: Readonly<Record<SearchView["matches"][string]["field"], string>> = {
  visitor: "Visitor",
  company: "Company",
  demo: "Demo",
  topic: "Topic",
  summary: "Summary",
  transcript: "Transcript",
  signal: "Signal",
};

export function MatchLine({ id }: { readonly id: string }) {
  const match = useContext(Matches)[id];
  if (match === undefined) return null;
  return (
    <span className="mt-0.5 block truncate text-sm font-normal text-ink-soft" title={match.text}>
      <span className="text-ink-soft">{FIELDS[match.field]}: </span>
      <Marked {...match} />
    </span>
  );
}
