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
  /** Each is a JSON pointer into the record. */
  readonly key: string;
  readonly occurredAt: string | null;
  readonly headline: readonly string[];
  readonly search: readonly string[];
  readonly plan: Plan | null;
  /** Formats that are notes otherwise are asserted. */
  readonly enforceFormats?: boolean;
  /** A record as JSON text, its numbers as the file writes them. */
  readonly exampleText: string;
}

export const DECLARATION_LIMITS = {
  typesMax: 200,
  fileBytesMax: 256 * 1024,
  typeCharsMax: 64,
  titleCharsMax: 100,
  descriptionCharsMax: 4_000,
  headlineMax: 10,
  searchMax: 50,
  pointerCharsMax: 300,
  /** Of a key as text. Guess, above every id that products use; an index entry of PostgreSQL takes 2,704 bytes. */
  keyCharsMax: 256,
  /** Of a record, the whole being one. */
  levelsMax: 64,
} as const;
