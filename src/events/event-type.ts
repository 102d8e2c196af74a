/**
 * What an event type is: one declaration, of which everything else is derived. Two are built in, a file each; an
 * operator declares others in files of JSON (`declared/`). Nothing outside this folder asks which type it has.
 */
import type { TSchema } from "typebox";
import type { Plan } from "../domain/account.ts";
import type { SessionFacts } from "../domain/alert.ts";
import type { About } from "../domain/event.ts";
import type { Problem, Result } from "../domain/problem.ts";
import type { Payload } from "./payload.ts";
import type { SearchedText } from "./search-fields.ts";
import type { Members } from "./summary.ts";

export interface EventType {
  /** Its name in bodies, addresses and rows. */
  readonly type: string;
  /** Its name on pages. */
  readonly title: string;
  /** A sentence or more: when it is sent. */
  readonly description: string;
  /** The thing that it tells about, in a sentence; more of them end in "s". */
  readonly noun: string;
  /** In a list, where the body names nothing. */
  readonly unnamed: string;
  /** JSON Schema of a record at intake. */
  readonly recordSchema: TSchema;
  /** JSON Schema of the webhook's body. */
  readonly bodySchema: TSchema;
  /** A complete record that intake accepts, as the start of samples, tests and the demo. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The example as the text of a record that happens at this time, under a key that nothing has had. */
  newExample(nowMs: number, uuid: string): string;
  /** The least plan under which webhooks get it; `null` for any. */
  readonly plan: Plan | null;
  /** Refuses with `invalid_json` or `invalid_record`; the latter names every wrong field, at most `errorsMax`. */
  parse(recordText: string, errorsMax?: number): Result<ParsedRecord, Problem>;
  /** Who and what a body is about. Takes any shape: an older version may have checked it. */
  readAbout(body: Members): About;
  /** The texts of a body that search looks through, the most telling first. */
  listTexts(body: Members): readonly SearchedText[];
  /** When it happened, as the body says it; `null` where it does not. */
  readOccurredAt(body: Members): string | null;
  /** What alerts ask of a session, read back from a body; `null` where no alert sends the event. */
  readonly readSession: ((body: Payload) => SessionFacts) | null;
}

/** A record that passed every check, ready to become an event. */
export interface ParsedRecord {
  /** The key against repeats: with account and type, unique forever. */
  readonly sourceId: string;
  readonly facts: RoutingFacts;
  /** The exact JSON text of the body. Links in it start with `appUrl` (no slash at its end). */
  buildBody(account: { readonly appUrl: string }): string;
}

/** The facts that decide which destinations an event goes to. */
export interface RoutingFacts {
  readonly type: string;
  readonly toPayload: ToPayload;
  /** What alerts ask of a session; `null` where no alert sends the event. */
  readonly session: SessionFacts | null;
  /** The chat assistant whose webhook gets the event; `null` where it has none. */
  readonly assistantId: string | null;
}

/**
 * The body as an object, made of the record that intake has parsed: for conditions on its fields, and called only where
 * an account has some.
 */
export type ToPayload = (account: { readonly appUrl: string }) => Payload;
