/**
 * Walks an account's blocks of search from the newest, and gives the events that are found, until a page is full.
 *
 * A frequent word stands in nearly every block, so the index of words would name all of them and help nothing. So the
 * first few blocks are read without asking it. Only where most of them have nothing, the index says which of the others
 * may have the words; words that most of these blocks have are left out of the question.
 *
 * Invariant: a walk reads `BLOCKS_MAX` blocks at most. A block is asked for by its newest event, so whatever is newer
 * than the next block's is complete.
 */
import type { Phrase } from "../../../domain/search-words.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

const BLOCKS_MAX = 128;
/** Where bodies are looked into, which is bounded by itself: 128 events of a small account. */
const BLOCKS_LOOKED_INTO = 2;
/** Their words are counted, so they are enough to tell frequent from rare. A frequent word fills the page with them. */
const BLOCKS_AT_FIRST = 4;
const BLOCKS_AT_ONCE = 16;
/** Those that the index names have an event each, nearly: two such steps fill a page. */
const NAMED_AT_ONCE = 32;
/** So many are found in a few blocks, and no page needs more unless its filter leaves out most of them. */
const EVENTS_MAX = 2_000;

/** A share of the blocks that were read: where fewer have something, the index of words is asked. */
const USUAL_SHARE = 1 / 2;

export interface WantedWord {
  readonly word: string;
  /** The word may go on. */
  readonly isBeginning: boolean;
}

/** Where a block stands among the account's. */
export interface FoundBlock {
  readonly id: number;
  readonly newestMs: number;
}

export interface WantedBlocks {
  readonly accountId: string;
  /** Sealed blocks have all of them; none: any block. */
  readonly words: readonly WantedWord[];
  /** This one and those behind it. */
  readonly from: FoundBlock;
  /** Blocks with anything accepted in this time, both ends included. */
  readonly newestMs: number;
  readonly oldestMs: number;
  readonly limit: number;
}

/** Which events of a block count. */
export interface WantedEntries {
  readonly phrases: readonly Phrase[];
  readonly newestMs: number;
  readonly oldestMs: number;
  readonly type: string | null;
  readonly assistantId: string | null;
  readonly withTests: boolean;
}

export interface FoundEvent {
  readonly eventId: string;
  readonly blockId: number;
  readonly acceptedAtMs: number;
}

export interface BlockReads<Tx> {
  /** The newest first. */
  listBlocks(tx: Tx, wanted: WantedBlocks): Answer<readonly FoundBlock[]>;
  listEntries(tx: Tx, blockIds: readonly number[], wanted: WantedEntries): Answer<readonly FoundEvent[]>;
  /** How many of the blocks have a word with each of these beginnings, in their order. */
  countBlocksWith(tx: Tx, blockIds: readonly number[], beginnings: readonly string[]): Answer<readonly number[]>;
}

export interface Walk<Tx> extends WantedEntries {
  readonly accountId: string;
  readonly reads: BlockReads<Tx>;
  /** What is asked of bodies; `null`: nothing. */
  readonly look: BodyLook | null;
}

/** Behind every block. */
const NEWEST: FoundBlock = { id: Number.MAX_SAFE_INTEGER, newestMs: Number.MAX_SAFE_INTEGER };

/** What is asked of bodies (`search-bodies.ts`). */
export interface BodyLook {
  /** Looks into bodies from the newest, and ends early only in front of an instant that is asked for and allowed. */
  keep(events: readonly FoundEvent[], mayEndBefore: (ms: number) => boolean): Promise<LookedInto>;
  /** True: enough was read for one answer. */
  isSpent(): boolean;
  /** Bodies that were looked at. */
  count(): number;
}

interface LookedInto {
  /** The events whose bodies have what was asked for. */
  readonly kept: readonly FoundEvent[];
  /** The newest event that was not looked into; `null` when all were. */
  readonly leftFromMs: number | null;
}

/**
 * Gives `take` the events that are found, the newest first and each once, until it says that it has enough. Returns the
 * instant up to which all has been looked at; `null` when that is everything.
 */
export async function walkBlocks<Tx extends SqlTransaction>(
  tx: Tx,
  walk: Walk<Tx>,
  take: (events: readonly FoundEvent[]) => Promise<boolean>,
): Promise<number | null> {
  const { reads, look, phrases } = walk;
  const give = createGiver(take);
  // Without words there is nothing to ask the index for.
  let isDecided = phrases.length === 0;
  let end = BLOCKS_MAX;
  let blocks = await listBlocks(tx, walk, { words: [], from: NEWEST, limit: end + 1 });
  let step = look === null ? BLOCKS_AT_FIRST : BLOCKS_LOOKED_INTO;
  for (let place = 0; place < Math.min(blocks.length, end);) {
    const read = blocks.slice(place, Math.min(place + step, end));
    if (look === null) step = Math.max(step, BLOCKS_AT_ONCE);
    const ids = read.map(({ id }) => id);
    const found = await reads.listEntries(tx, ids, walk);
    place += read.length;
    const next = blocks[place];
    const reach = (ms: number): number => Math.max(ms, next?.newestMs ?? -1);
    // A walk that ends no farther back than it began would begin there again.
    const { kept, leftFromMs } = (await look?.keep(found, (ms) => reach(ms) < walk.newestMs - 1)) ?? {
      kept: found,
      leftFromMs: null,
    };
    const nextMs = leftFromMs === null ? next?.newestMs : reach(leftFromMs);
    const isEnough = (await give(kept, nextMs)) || leftFromMs !== null || look?.isSpent() === true;
    if (isEnough && nextMs !== undefined) return nextMs;
    if (next === undefined || isDecided || isUsual(found, read.length)) continue;
    isDecided = true;
    const words = await findUnusual(tx, ids, walk);
    if (words.length === 0) continue;
    end -= place;
    blocks = await listBlocks(tx, walk, { words, from: next, limit: end + 1 });
    place = 0;
    step = look === null ? NAMED_AT_ONCE : BLOCKS_LOOKED_INTO;
    const [first] = blocks;
    if ((await give([], first?.newestMs)) && first !== undefined) return first.newestMs;
  }
  return blocks[end]?.newestMs ?? null;
}

function listBlocks<Tx>(
  tx: Tx,
  { accountId, newestMs, oldestMs, reads }: Walk<Tx>,
  wanted: Pick<WantedBlocks, "words" | "from" | "limit">,
): Answer<readonly FoundBlock[]> {
  return reads.listBlocks(tx, { accountId, newestMs, oldestMs, ...wanted });
}

/** Holds back what is not complete yet: the next block may have something newer. True: that is enough. */
function createGiver(
  take: (events: readonly FoundEvent[]) => Promise<boolean>,
): (found: readonly FoundEvent[], nextMs: number | undefined) => Promise<boolean> {
  let waiting: FoundEvent[] = [];
  let given = 0;
  return async (found, nextMs = -1) => {
    const all = [...waiting, ...found];
    const complete = all.filter(({ acceptedAtMs }) => acceptedAtMs > nextMs);
    waiting = all.filter(({ acceptedAtMs }) => acceptedAtMs <= nextMs);
    given += complete.length;
    const isEnough = complete.length > 0 && (await take(complete));
    return isEnough || given >= EVENTS_MAX;
  };
}

const isUsual = (found: readonly FoundEvent[], blocks: number): boolean =>
  new Set(found.map(({ blockId }) => blockId)).size >= blocks * USUAL_SHARE;

/**
 * The words that are worth asking the index for: all but beginnings that most of these blocks have, because such a
 * beginning stands for thousands of words and leaves out hardly any block.
 */
async function findUnusual<Tx>(
  tx: Tx,
  blockIds: readonly number[],
  { phrases, type, assistantId, reads }: Walk<Tx>,
): Promise<readonly WantedWord[]> {
  const words = phrases.flatMap(toWanted);
  // Few of these blocks have it, or they would not be looked at here.
  if (words.length === 1 && type === null && assistantId === null) return words;
  const beginnings = words.filter(({ isBeginning }) => isBeginning).map(({ word }) => word);
  const counts = await reads.countBlocksWith(tx, blockIds, beginnings);
  const usual = new Set(beginnings.filter((_, place) => (counts[place] ?? 0) >= blockIds.length * USUAL_SHARE));
  return words.filter(({ word, isBeginning }) => !isBeginning || !usual.has(word));
}

const toWanted = (phrase: Phrase): WantedWord[] =>
  phrase.map((word, place) => ({ word, isBeginning: place === phrase.length - 1 }));
