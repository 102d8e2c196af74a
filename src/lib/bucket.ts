/**
 * An account's bucket: by it a database of several servers knows where everything of the account lies. It stands last
 * in every key of the PostgreSQL store, and no account ever changes its bucket: ids never do.
 */
import { hash } from "node:crypto";
import { assert } from "./assert.ts";

export const BUCKETS = 256;

/** Few accounts are busy at a time; a hash costs 2 µs. */
const KNOWN_MAX = 10_000;

const known = new Map<string, number>();

export function bucketOf(accountId: string): number {
  const before = known.get(accountId);
  if (before !== undefined) return before;
  const bucket = Number.parseInt(hash("md5", accountId, "hex").slice(0, 4), 16) % BUCKETS;
  if (known.size === KNOWN_MAX) known.clear();
  known.set(accountId, bucket);
  return bucket;
}

/** A token and its hash begin with it, so that one is looked for where its account lies and nowhere else. */
export const bucketPrefix = (accountId: string): string => bucketOf(accountId).toString(16).padStart(2, "0");

/** By the mark that the text begins with. A text without one is no token of ours: it is found nowhere. */
export function bucketOfMarked(text: string): number {
  const bucket = /^[\da-f]{2}/.test(text) ? Number.parseInt(text.slice(0, 2), 16) : 0;
  assert(bucket < BUCKETS, `no bucket has the number ${bucket}`);
  return bucket;
}
