/**
 * A declared event type as data: what a file of the operator says, checked. It crosses threads and is kept by the store
 * as it is; `create-event-type.ts` makes the working value of it.
 */
import type { Plan } from "../../domain/account.ts";
import type { SchemaObject } from "../schema/keywords.ts";

export interface Declaration {
  readonly type: string;
  readonly title: string;
  /** Empty: the file says none. */
  readonly description: string;
  /** JSON Schema 2020-12 of a record. */
  readonly schema: SchemaObject;
  /**
   * JSON pointers into the record, one or a list whose values are the key together; or `CALLER_KEY`. The store keeps a
   * declaration in this form.
   */
  readonly key: string | readonly string[];
  /** Each is a JSON pointer into the record. */
  readonly occurredAt: string | null;
  readonly headline: readonly string[];
  readonly search: readonly string[];
  readonly plan: Plan | null;
  /** Formats that are notes otherwise are asserted. */
  readonly enforceFormats?: boolean;
  /** A record as JSON text, its numbers as the file writes them. */
  readonly exampleText: string;
}

/** The key of a type whose records do not name their events: who sends a record does. */
export const CALLER_KEY = "caller";

/** This member of the record names the event when no header of the call does. The webhook's body leaves it out. */
export const CALLER_KEY_MEMBER = "idempotency_key";

/** None where the caller names the event. */
export const keyPointers = ({ key }: Pick<Declaration, "key">): readonly string[] =>
  key === CALLER_KEY ? [] : [key].flat();

/** A key of one value is its text. Several are a list as JSON, so that no two lists have one key. */
export const joinKey = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join("") : JSON.stringify(parts);

export const DECLARATION_LIMITS = {
  typesMax: 200,
  fileBytesMax: 256 * 1024,
  typeCharsMax: 64,
  titleCharsMax: 100,
  descriptionCharsMax: 4_000,
  headlineMax: 10,
  searchMax: 50,
  keyPointersMax: 5,
  pointerCharsMax: 300,
  /** A key as text. Guess: longer than any product's id. PostgreSQL allows 2,704 bytes in an index entry. */
  keyCharsMax: 256,
  /** Of a record, the whole being one. */
  levelsMax: 64,
} as const;
