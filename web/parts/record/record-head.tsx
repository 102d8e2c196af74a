/** The line below the title of a record's page, and a few facts of the record in a row. */
import type { ReactNode } from "react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Instant } from "../../ui/relative-time.tsx";
import { minute } from "../../words.ts";
import { instantOf, readBody } from "../json/json-reader.ts";
import { readVisitor } from "./bodies.ts";

interface Props {
  readonly detail: EventDetail;
  /** The member of the body that says when it happened. */
  readonly timeField: string;
  /** What the visitor did, as in "Seen by"; left out, the title names the visitor. */
  readonly by?: string;
}

export function RecordHead({ detail: { body, acceptedAtMs, about }, timeField, by }: Props) {
  if (body === null) return <>Accepted {<Instant atMs={acceptedAtMs}>{minute(acceptedAtMs)}</Instant>}</>;
  const members = readBody(body);
  const atMs = instantOf(members.get(timeField)) ?? acceptedAtMs;
  const { who } = about;
  const { company, place } = readVisitor(members);
  const parts = [by === undefined ? "" : `${by} ${who ?? "an unknown visitor"}`, company.name, place];
  return (
    <span className="[overflow-wrap:anywhere]">
      {parts.filter((part) => part !== "" && part !== who).join(", ")}
      {parts.some((part) => part !== "" && part !== who) && "\u00a0· "}
      <Instant atMs={atMs}>{minute(atMs)}</Instant>
    </span>
  );
}

/** The visitor tells one conversation from the next. */
export function titleOfConversation({ about, isPurged }: Pick<EventDetail, "about" | "isPurged">): string {
  return isPurged ? "Conversation" : `Conversation with ${about.who ?? "an unknown visitor"}`;
}

/* A few facts of one thing in a row, each with its name above. */

interface TileProps {
  readonly name: string;
  readonly children: ReactNode;
}

export function Tiles({ children }: { readonly children: ReactNode }) {
  // The ground between the tiles is their line: right in any number of columns.
  return (
    <dl className="grid grid-cols-2 gap-px overflow-clip rounded-lg border border-line bg-line sm:grid-cols-4">
      {children}
    </dl>
  );
}

export function Tile({ name, children }: TileProps) {
  return (
    <div className="min-w-0 bg-surface px-3.5 py-2.5">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="mt-0.5 font-medium [overflow-wrap:anywhere] tabular-nums">{children}</dd>
    </div>
  );
}

export function Unknown({ children = "Not known" }: { readonly children?: string }) {
  return <span className="font-normal text-ink-faint">{children}</span>;
}
