/** The line below the title of a room: who, and when. */
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Instant } from "../../ui/relative-time.tsx";
import { minute } from "../../words.ts";
import { instantOf, readBody } from "../json/json-reader.ts";
import { readVisitor } from "./visitor.ts";

interface Props {
  readonly detail: EventDetail;
  /** The member of the body that says when it happened. */
  readonly timeField: string;
  /** What the visitor did, as in "Seen by"; left out, the title names the visitor. */
  readonly by?: string;
}

export function RoomHead({ detail: { body, acceptedAtMs, about }, timeField, by }: Props) {
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
