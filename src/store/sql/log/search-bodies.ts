/**
 * What a search asks of bodies, which no index has: values of fields, and a person's e-mail address to the letter. Only
 * events that the walk (`search-walk.ts`) gives are looked at, and the database leaves out most of their bodies by a
 * pattern, so that few are read and parsed here.
 *
 * On SQLite all of this is the one thread that writes, so an answer looks at little, and whoever asks goes on where it
 * ended (`dashboard/deliveries/search.ts`).
 *
 * Invariant: blocks are looked at as a whole; behind them a walk that has had `EVENTS_MAX` or `BYTES_MAX` ends.
 */
import { toLikePattern } from "../../../domain/field-values.ts";
import { createMentions } from "../../../domain/mentions.ts";
import { findFields } from "../../../events/find-field.ts";
import type { AskedOfBodies } from "../../contract/search.ts";
import type { ListBodies } from "./search-matches.ts";
import type { BodyLook } from "./search-walk.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** With bodies of 2 KiB 5 ms of SQLite's thread, so that accepts of others wait for no longer. */
const EVENTS_MAX = 512;
const BYTES_MAX = 2 * 1024 * 1024;

/** So many are in memory at once: each may have 1 MiB. */
const BODIES_AT_ONCE = 16;
const BODY_BYTES_MAX = 2 * 1024 * 1024;

export interface BodyReads<Tx> {
  /** Those whose bodies fit all patterns of `like`, and how many bytes all the bodies have. */
  listLike(tx: Tx, eventIds: readonly string[], patterns: readonly string[]): Answer<LikeBodies>;
  readonly listBodies: ListBodies<Tx>;
}

export interface LikeBodies {
  readonly ids: readonly string[];
  readonly bytes: number;
}

/** `null`: nothing is asked of bodies. */
export function lookIntoBodies<Tx extends SqlTransaction>(
  tx: Tx,
  { values = [], email }: AskedOfBodies,
  reads: BodyReads<Tx>,
): BodyLook | null {
  if (values.length === 0 && email === undefined) return null;
  const patterns = values.map(toLikePattern);
  const mentions = email === undefined ? () => true : createMentions(email);
  const has = (body: string): boolean => mentions(body) && (values.length === 0 || findFields(body, values) !== null);
  let bytes = 0;
  let count = 0;
  return {
    async keep(events) {
      count += events.length;
      const ids = events.map(({ eventId }) => eventId);
      const like = ids.length === 0 ? { ids, bytes: 0 } : await reads.listLike(tx, ids, patterns);
      bytes += like.bytes;
      const kept = new Set<string>();
      for (let at = 0; at < like.ids.length; at += BODIES_AT_ONCE) {
        const bodies = await reads.listBodies(tx, like.ids.slice(at, at + BODIES_AT_ONCE), BODY_BYTES_MAX);
        for (const { id, body } of bodies) if (has(body ?? "")) kept.add(id);
      }
      return events.filter(({ eventId }) => kept.has(eventId));
    },
    isSpent: () => count >= EVENTS_MAX || bytes >= BYTES_MAX,
    count: () => count,
  };
}
