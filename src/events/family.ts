/**
 * The parts of every event family: the schema of the record at intake, the schema of the body for receivers, the
 * builder from one to the other, and a sample. One file per family; `catalog.ts` lists them.
 */
import type { TSchema } from "typebox";
import type { SessionFacts } from "../domain/alert.ts";
import type { EventType } from "../domain/event.ts";
import type { Problem, Result } from "../domain/problem.ts";
import type { Payload } from "./payload.ts";

/** The facts that decide which destinations an event goes to. */
export type RoutingFacts = { readonly type: EventType; readonly toPayload: ToPayload } & (
  | { readonly owner: "alert"; readonly session: SessionFacts }
  | { readonly owner: "assistant"; readonly assistantId: string }
);

/**
 * The body as an object, made of the record that intake has parsed: for conditions on its fields, and called only where
 * an account has some.
 */
export type ToPayload = (account: { readonly appUrl: string }) => Payload;

/** A record that passed every check, ready to become an event. */
export interface ParsedRecord {
  /** The record's `id`, in lower case: the key against repeats. */
  readonly sourceId: string;
  readonly facts: RoutingFacts;
  /** The exact JSON text of the body. Links in it start with `appUrl` (no slash at its end). */
  buildBody(account: { readonly appUrl: string }): string;
}

export interface EventFamily {
  readonly type: EventType;
  /** One sentence: when it is sent. */
  readonly summary: string;
  /** JSON Schema of a record at intake. */
  readonly recordSchema: TSchema;
  /** JSON Schema of the webhook's body. */
  readonly bodySchema: TSchema;
  /** A complete record that intake accepts, as the start of samples, tests and the demo. */
  readonly sampleRecord: Readonly<Record<string, unknown>>;
  /** The members of a record that happens at this time, to lay over the sample. */
  toTimes(nowMs: number): Readonly<Record<string, unknown>>;
  /** What alerts ask of a session, read back from a body; `null` where no alert sends the event. */
  readonly readSession: ((body: Payload) => SessionFacts) | null;
  /** Refuses with `invalid_json` or `invalid_record`; the latter names every wrong field, at most `errorsMax`. */
  parse(recordText: string, errorsMax?: number): Result<ParsedRecord, Problem>;
}
