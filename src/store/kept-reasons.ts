/**
 * The reasons why events did not go to webhooks, as both stores keep them. Events of one account that are accepted
 * under the same settings mostly have the same reasons, some fifty characters for each webhook. The first one of an
 * hour has the text (`domain/not-sent.ts` writes it), and those that follow name that event:
 *
 *     evt_1   [0,["dst_a","demos",0,"Tour"],["dst_b","plan"],…]
 *     evt_2   [0,"evt_1"]
 *
 * Invariant: the event that is named is committed and has the text itself. It is of the same day, so retention takes it
 * together with those that name it, or an hour before. One that waits for longer than that shows no reasons.
 */
import { daysMs, hoursMs } from "../lib/duration.ts";

/** An event with reasons, as it is accepted. */
export interface TellingEvent {
  readonly id: string;
  readonly accountId: string;
  readonly acceptedAtMs: number;
  readonly notSent: string;
}

/** Short ones stay where they are: a name has 36 characters, and a reader has to look for the event. */
const SHARED_CHARS_MIN = 100;
/** Rows are kept for a day at least, so that the event outlives this by far. */
const NAMED_FOR_MS = hoursMs(1);
/** PostgreSQL drops days (UTC) as a whole. */
const DAY_MS = daysMs(1);
/** All texts that a node remembers have fewer together; otherwise it begins anew. Guess. */
const CHARS_MAX = 1_000_000;

/** A node's memory of events that have their texts. Lost at a start, which only means that texts are written again. */
export class KeptReasons {
  readonly #byAccount = new Map<string, Map<string, Pick<TellingEvent, "id" | "acceptedAtMs">>>();
  #chars = 0;

  /** As the event's row has it: the text, or the name of the event that has it. */
  toRow({ accountId, notSent, acceptedAtMs }: TellingEvent): string {
    if (!isShared(notSent)) return notSent;
    const teller = this.#byAccount.get(accountId)?.get(notSent);
    if (teller === undefined) return notSent;
    return isNear(teller.acceptedAtMs, acceptedAtMs) ? `${NAME_BEGINS}${teller.id}${NAME_ENDS}` : notSent;
  }

  /** To be called when these are committed with their texts. */
  keep(events: readonly TellingEvent[]): void {
    for (const { id, accountId, acceptedAtMs, notSent } of events) {
      if (!isShared(notSent)) continue;
      if (this.#chars + notSent.length > CHARS_MAX) this.forget();
      const texts = this.#byAccount.get(accountId) ?? new Map<string, Pick<TellingEvent, "id" | "acceptedAtMs">>();
      if (!texts.has(notSent)) this.#chars += notSent.length;
      texts.set(own(notSent), { id: own(id), acceptedAtMs });
      this.#byAccount.set(own(accountId), texts);
    }
  }

  forget(): void {
    this.#byAccount.clear();
    this.#chars = 0;
  }
}

function isNear(tellerAtMs: number, atMs: number): boolean {
  const isSameDay = Math.floor(tellerAtMs / DAY_MS) === Math.floor(atMs / DAY_MS);
  return isSameDay && atMs >= tellerAtMs && atMs - tellerAtMs < NAMED_FOR_MS;
}

const isShared = (notSent: string): boolean => notSent.length >= SHARED_CHARS_MIN;

/** A text that came from another thread is a part of its batch's, which would be kept as a whole. */
const own = (text: string): string => Buffer.from(text).toString();

/** As a list of reasons, so that nodes of before read it as one that names none. */
const NAME_BEGINS = '[0,"';
const NAME_ENDS = '"]';

interface RowWithReasons {
  readonly notSent: string | null;
}

/** The event that has the row's text; `null`: the row has it itself, or there is none. */
export const findTeller = ({ notSent }: RowWithReasons): string | null =>
  notSent?.startsWith(NAME_BEGINS) === true ? notSent.slice(NAME_BEGINS.length, -NAME_ENDS.length) : null;

/** The events that these rows name, each once. */
export const listTellers = (rows: readonly RowWithReasons[]): string[] => [
  ...new Set(rows.flatMap((row) => findTeller(row) ?? [])),
];

/** The row with its text. `texts` has those of events that are named, as far as they are still there. */
export function withReasons<Row extends RowWithReasons>(row: Row, texts: ReadonlyMap<string, string | null>): Row {
  const teller = findTeller(row);
  return teller === null ? row : { ...row, notSent: texts.get(teller) ?? null };
}
