/**
 * `bellwire/receiver/repeats`: which webhooks were handled already. Delivery is at least once, so a receiver sees some
 * of them twice, always under the same `webhook-id`.
 *
 *     begin ──► running ──finish──► done (kept for `keepMs`)
 *                  └─────forget───► unknown again: the sender's next attempt is handled
 *
 * Invariant: a repeat is only called done when the first one was. One that comes while the first is still at work is
 * told to come again, or an event would be lost when that one then fails.
 */
import { systemClock } from "../lib/clock.ts";

/** Where a receiver remembers. For several processes, write one over a table or a cache that all of them share. */
export interface RepeatStore {
  /**
   * Claims the id in one step: of two calls at once only one may get `new`. A claim of which nothing more is heard
   * must end after a while, or the event of a process that died is never handled.
   */
  begin(webhookId: string): Begun | Promise<Begun>;
  /** It was handled. */
  finish(webhookId: string): void | Promise<void>;
  /** It was not: the next attempt is as good as the first. */
  forget(webhookId: string): void | Promise<void>;
}

export type Begun = "new" | "running" | "done";

export interface MemoryRepeatsOptions {
  /** The oldest are forgotten above it. 100,000 ids take 18 MB (measured on Node 24). */
  readonly idsMax?: number;
  /** Attempts of one delivery end after 3.2 days, or 3.9 at the upper end of their jitter; so 4 days. */
  readonly keepMs?: number;
  /** When a handler that never came back counts as dead. A guess: 40 times the sender's deadline. */
  readonly runMs?: number;
  readonly nowMs?: () => number;
}

const IDS_MAX = 100_000;
const KEEP_MS = 4 * 24 * 60 * 60 * 1000;
const RUN_MS = 10 * 60 * 1000;

interface Entry {
  readonly state: "running" | "done";
  readonly atMs: number;
}

/** Remembers in this process's memory, and so until it ends. */
export function createMemoryRepeats(options: MemoryRepeatsOptions = {}): RepeatStore {
  const { idsMax = IDS_MAX, keepMs = KEEP_MS, runMs = RUN_MS, nowMs = () => systemClock.nowMs() } = options;
  // A Map keeps the order of insertion, and every change inserts anew: the oldest stand in front.
  const entries = new Map<string, Entry>();

  function put(webhookId: string, state: Entry["state"]): void {
    entries.delete(webhookId);
    entries.set(webhookId, { state, atMs: nowMs() });
    for (const [id, { atMs }] of entries) {
      if (entries.size <= idsMax && nowMs() - atMs <= keepMs) break;
      entries.delete(id);
    }
  }

  function isOver({ state, atMs }: Entry): boolean {
    return nowMs() - atMs > (state === "done" ? keepMs : runMs);
  }

  return {
    begin(webhookId) {
      const known = entries.get(webhookId);
      if (known !== undefined && !isOver(known)) return known.state;
      put(webhookId, "running");
      return "new";
    },
    finish: (webhookId) => put(webhookId, "done"),
    forget: (webhookId) => void entries.delete(webhookId),
  };
}
