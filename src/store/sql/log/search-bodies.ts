/**
 * What a search asks of bodies, which no index has: values of fields, and a person's e-mail address to the letter. Only
 * events that the walk (`search-walk.ts`) gives are looked at, and the database leaves out most of their bodies by a
 * pattern, so that few are read and parsed here.
 *
 * On SQLite one thread reads for all, so an answer looks at little, and whoever asks goes on where it
 * ended (`dashboard/deliveries/search.ts`).
 *
 * Invariant: a walk ends behind the block with which it has had `EVENTS_MAX`, and behind the instant with which it has
 * had `BYTES_MAX`, also inside a block.
 */
import { toLikePattern } from "../../../domain/field-values.ts";
import { createMentions } from "../../../domain/mentions.ts";
import { findFields } from "../../../events/find-field.ts";
import type { AskedOfBodies } from "../../contract/search.ts";
import type { ListBodies } from "./search-matches.ts";
import type { BodyLook, FoundEvent } from "./search-walk.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** With bodies of 2 KiB 5 ms of SQLite's reader, so that reads of others wait for no longer. */
const EVENTS_MAX = 512;
const BYTES_MAX = 2 * 1024 * 1024;

/** So many are in memory at once: each may have 1 MiB. */
const BODIES_AT_ONCE = 16;
const BODY_BYTES_MAX = 2 * 1024 * 1024;

export interface BodyReads<Tx> {
  /** How large the bodies are, which reads none of them. */
  listBodyBytes(tx: Tx, eventIds: readonly string[]): Answer<readonly BodyBytes[]>;
  /** Those whose bodies fit all patterns of `like`, or write a plain letter or digit as an escape of JSON. */
  listLike(
    tx: Tx,
    eventIds: readonly string[],
    patterns: readonly string[],
  ): Answer<readonly { readonly id: string }[]>;
  readonly listBodies: ListBodies<Tx>;
}

export interface BodyBytes {
  readonly id: string;
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
  const spent = { bytes: 0, events: 0 };
  return {
    async keep(events, mayEndBefore) {
      const newestFirst = events.toSorted((one, other) => other.acceptedAtMs - one.acceptedAtMs);
      const sizes = events.length === 0 ? [] : await reads.listBodyBytes(tx, events.map(toEventId));
      const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
      const end = newestFirst.findIndex((event, place) => {
        const isOver = spent.bytes >= BYTES_MAX && event.acceptedAtMs !== newestFirst[place - 1]?.acceptedAtMs;
        if (isOver && mayEndBefore(event.acceptedAtMs)) return true;
        spent.bytes += bytesOf.get(event.eventId) ?? 0;
        return false;
      });
      const looked = end === -1 ? newestFirst : newestFirst.slice(0, end);
      spent.events += looked.length;
      const found = looked.length === 0 ? [] : await reads.listLike(tx, looked.map(toEventId), patterns);
      const kept = await keepIds(found.map(({ id }) => id));
      return {
        kept: looked.filter(({ eventId }) => kept.has(eventId)),
        leftFromMs: newestFirst[looked.length]?.acceptedAtMs ?? null,
      };
    },
    isSpent: () => spent.events >= EVENTS_MAX || spent.bytes >= BYTES_MAX,
    count: () => spent.events,
  };

  async function keepIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const kept = new Set<string>();
    for (let at = 0; at < ids.length; at += BODIES_AT_ONCE) {
      const bodies = await reads.listBodies(tx, ids.slice(at, at + BODIES_AT_ONCE), BODY_BYTES_MAX);
      for (const { id, body } of bodies) if (has(body ?? "")) kept.add(id);
    }
    return kept;
  }
}

const toEventId = ({ eventId }: FoundEvent): string => eventId;
