/**
 * What an event type is: one declaration, of which everything else is derived. Two are built in, a file each; an
 * operator declares others in files of JSON (`declared/`). Nothing outside this folder asks which type it has.
 */
import type { TSchema } from "typebox";
import type { Plan } from "../domain/account.ts";
import type { SessionFacts } from "../domain/alert.ts";
import type { About, EventWords } from "../domain/event.ts";
import type { Problem, Result } from "../domain/problem.ts";
import type { Payload } from "./payload.ts";
import type { Recipe } from "./recipe.ts";

export interface EventType extends EventWords, Readers {
  /** A sentence or more: when it is sent. */
  readonly description: string;
  /** The least plan under which webhooks get it; `null` for any. */
  readonly plan: Plan | null;
  /** JSON Schema of a record at intake. */
  readonly recordSchema: TSchema;
  /** JSON Schema of the webhook's body. */
  readonly bodySchema: TSchema;
  /** A complete record that intake accepts, as the start of samples, tests and the demo. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The example as the text of a record that happens at this time, under a key of its own. */
  newExample(nowMs: number, uuid: string): string;
  /**
   * Refuses with `invalid_json` or `invalid_record`; the latter names every wrong field, at most `errorsMax`. A
   * declared type may ask for the call's name for the event.
   */
  parse(recordText: string, errorsMax?: number, callerKey?: string): Result<ParsedRecord, Problem>;
  /** What a chat message says of an event. A declared type looks for it in its schema, when it is asked. */
  makeRecipe(): Recipe;
  /** The names that a built-in type has beside; `null` for a declared one. */
  readonly builtIn: BuiltInNames | null;
}

/** What is read back from a body. Each takes any shape: an older version may have checked the record. */
export interface Readers {
  /** The key against repeats; `null` where the body has none. */
  readSourceId(body: Members): string | null;
  readAbout(body: Members): About;
  /** The texts that search looks through, the most telling first. */
  listTexts(body: Members): readonly SearchedText[];
  /** When it happened, as the body says it; `null` where it does not. */
  readOccurredAt(body: Members): string | null;
  /** What alerts ask of a session; `null` where no alert sends the event. */
  readonly readSession: ((body: Payload) => SessionFacts) | null;
}

export type Members = Readonly<Record<string, unknown>>;

export interface SearchedText {
  /** The kind of text, or the field's name: "found in …". */
  readonly field: string;
  readonly text: string;
}

/** The page of an event whose type has no room of its own. */
export const EVENT_PAGE = "/audience/events/:type/:id";

export interface BuiltInNames {
  /** Its record where the words around it say nothing of demos and chats. */
  readonly record: string;
  /** The name of the record's schema. */
  readonly schema: string;
  /** The last part of the address that took its records before there were others. */
  readonly path: string;
  /** The name of that call in OpenAPI. */
  readonly operationId: string;
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
  /** The least plan under which webhooks get it; `null` for any. */
  readonly plan: Plan | null;
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
