/**
 * Recent keys against repeats, in memory: those of events that `event_keys` does not have yet. Keys are random, so each
 * would touch a page of its own in a large table. They are collected here, sorted, and merged into the table later,
 * when neighbours share a page.
 *
 *     accept ──► young ──a generation is full──► merging ──slice by slice, sorted, with later accepts──► event_keys
 *
 * Invariant: a key is in `event_keys`, or its event is not older than `path_marks.keys_from` and the key is here. A
 * start reads those events again.
 */
import { KeyTable } from "./key-table.ts";
import { leastFirst } from "./least-first.ts";

/** A key as `event_keys` has it. */
export interface EventKey {
  readonly accountId: string;
  readonly type: string;
  /** 16 bytes. */
  readonly source: Uint8Array;
}

export interface RecentKey extends EventKey {
  readonly seq: number;
}

/** More keys share more pages when they are merged, and take more memory: some 6 MB for two generations. */
export const GENERATION_KEYS = 65_536;

/**
 * The first generation of a process is smaller, and each later one twice as large: what puts keys in order is slow
 * until V8 has compiled it, and a commit waits meanwhile.
 */
const FIRST_GENERATION_KEYS = 4_096;

/** The sources of each account and type. */
type Generation = Map<string, Map<string, KeyTable>>;

export class RecentKeys {
  readonly #generationKeys: number;
  /** The young are a generation when they are so many. */
  #fullAt: number;
  #young: Generation = new Map();
  #youngCount = 0;
  #youngTo = 0;
  /** Known until it is merged whole; `null`: none is being merged. */
  #merging: Generation | null = null;
  #mergingTo = 0;
  #rest: Iterator<RecentKey> = [].values();
  /** The next of the rest, in their order. */
  readonly #next: RecentKey[] = [];
  /** By the transaction that is open; they are among the young already. */
  readonly #added: RecentKey[] = [];
  #taken = 0;

  constructor(generationKeys: number) {
    this.#generationKeys = generationKeys;
    this.#fullAt = Math.min(FIRST_GENERATION_KEYS, generationKeys);
  }

  /** Undoes what a transaction changed that was rolled back. */
  begin(): void {
    for (const key of this.#added) tableOf(this.#young, key)?.remove(key.source);
    this.#added.length = 0;
    this.#taken = 0;
  }

  commit(): void {
    for (const { seq } of this.#added) this.#youngTo = Math.max(this.#youngTo, seq);
    this.#youngCount += this.#added.length;
    this.#added.length = 0;
    const isMerged = this.findMergedTo() !== null;
    this.#next.splice(0, this.#taken);
    this.#taken = 0;
    if (isMerged) this.#endMerging();
    if (this.#merging === null && this.#youngCount >= this.#fullAt) this.#beginMerging();
  }

  /** As a process does that dies. */
  clear(): void {
    this.begin();
    this.#young = new Map();
    this.#youngCount = 0;
    this.#endMerging();
  }

  /** A key that is not here yet. */
  add({ accountId, type, source }: EventKey, seq: number): void {
    const key = { accountId, type, source, seq };
    (tableOf(this.#young, key) ?? addTable(this.#young, key)).set(source, seq);
    this.#added.push(key);
  }

  /** The number of the key's event. */
  findSeq(key: EventKey): number | null {
    const young = tableOf(this.#young, key)?.find(key.source) ?? null;
    if (young !== null || this.#merging === null) return young;
    return tableOf(this.#merging, key)?.find(key.source) ?? null;
  }

  /** The next keys to merge, in the order of the table, at most `count`. Taken when the transaction commits. */
  take(count: number): readonly RecentKey[] {
    const end = this.#taken + count;
    this.#lookAhead(end);
    const slice = this.#next.slice(this.#taken, end);
    this.#taken += slice.length;
    return slice;
  }

  /** The number behind the generation's newest event, when this transaction takes the rest of it. */
  findMergedTo(): number | null {
    if (this.#merging === null || this.#taken === 0) return null;
    this.#lookAhead(this.#taken + 1);
    return this.#next.length === this.#taken ? this.#mergingTo + 1 : null;
  }

  /** Everything, in order: to merge it at once. */
  *all(): Generator<RecentKey> {
    this.#lookAhead(Infinity);
    yield* this.#next;
    yield* inOrder(this.#young);
  }

  #lookAhead(count: number): void {
    while (this.#next.length < count) {
      const { value, done } = this.#rest.next();
      if (done === true) return;
      this.#next.push(value);
    }
  }

  #beginMerging(): void {
    this.#merging = this.#young;
    this.#mergingTo = this.#youngTo;
    this.#rest = inOrder(this.#young);
    this.#young = new Map();
    this.#youngCount = 0;
    this.#fullAt = Math.min(this.#fullAt * 2, this.#generationKeys);
  }

  #endMerging(): void {
    this.#merging = null;
    this.#rest = [].values();
    this.#next.length = 0;
  }
}

const tableOf = (generation: Generation, { accountId, type }: EventKey): KeyTable | undefined =>
  generation.get(accountId)?.get(type);

function addTable(generation: Generation, { accountId, type }: EventKey): KeyTable {
  const table = new KeyTable();
  const ofAccount = generation.get(accountId);
  if (ofAccount === undefined) generation.set(accountId, new Map([[type, table]]));
  else ofAccount.set(type, table);
  return table;
}

/**
 * Near enough to the table's order for neighbours to share pages: each account's keys together, in the order of their
 * sources. A commit waits for each, so they are not sorted beforehand: 65,536 ids that a clock has made, which begin
 * alike, took 30 ms.
 */
function* inOrder(generation: Generation): Generator<RecentKey> {
  for (const [accountId, types] of generation) {
    for (const [type, table] of types) {
      const slots = leastFirst(table.listSlots(), (one, other) => table.isBefore(one, other));
      for (const slot of slots) yield { accountId, type, source: table.keyIn(slot), seq: table.seqIn(slot) };
    }
  }
}
