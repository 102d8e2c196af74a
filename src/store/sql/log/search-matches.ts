/** The text of each event of a page that was matched, read again from its body. */
import type { FieldValue } from "../../../domain/field-values.ts";
import type { Phrase } from "../../../domain/search-words.ts";
import { findFields } from "../../../events/find-field.ts";
import { findMatch, type Match } from "../../../events/find-match.ts";
import type { SearchedText } from "../../../events/event-type.ts";
import { readSearched } from "../../../events/search-fields.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** A larger body is not read for a line of its text: its words stand in for it. */
const BODY_BYTES_MAX = 256 * 1024;

export interface SmallBody {
  readonly id: string;
  readonly type: string;
  /** `null`: it is larger. */
  readonly body: string | null;
}

/** Those that there are, in any order. */
export type ListBodies<Tx> = (tx: Tx, eventIds: readonly string[], bytesMax: number) => Answer<readonly SmallBody[]>;

export async function findMatches<Tx extends SqlTransaction>(
  tx: Tx,
  { eventIds, phrases, values }: Searched,
  listBodies: ListBodies<Tx>,
): Promise<ReadonlyMap<string, Match | null>> {
  const ids = [...new Set(eventIds)];
  const bodies = ids.length === 0 ? [] : await listBodies(tx, ids, BODY_BYTES_MAX);
  const matches = await Promise.all(
    bodies.map(async (found) => {
      const field = values.length === 0 ? null : findFields(found.body ?? "", values);
      return [found.id, field ?? findMatch(await readTexts(tx, found), phrases)] as const;
    }),
  );
  return new Map(matches);
}

interface Searched {
  readonly eventIds: readonly string[];
  readonly phrases: readonly Phrase[];
  /** Where there are some, the first of them is what is shown. */
  readonly values: readonly FieldValue[];
}

async function readTexts(tx: SqlTransaction, { id, type, body }: SmallBody): Promise<readonly SearchedText[]> {
  if (body === "") return [];
  if (body !== null) return readSearched(tx.types.read(type), body).texts;
  const entry = await tx.db.get<{ words: string }>(FIND_WORDS, id);
  return entry === undefined ? [] : entry.words.split(" | ").map((text) => ({ field: "transcript", text }));
}

const FIND_WORDS = `-- name: find words of event
  select words
  from search_entries
  where event_id = $1`;
