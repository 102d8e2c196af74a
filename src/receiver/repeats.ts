/**
 * `bellwire/receiver/repeats`: remembers the handled webhooks. Delivery is at least once, so a receiver sees some of
 * them twice, always under the same `webhook-id`.
 *
 *     begin ──► running ──finish──► done (kept for `keepMs`)
 *                  └─────forget───► unknown again: the sender's next attempt is handled
 *
 * Invariant: a repeat is only answered as done when the first one was handled. A repeat that comes while the first is
 * still running is asked to come again; otherwise the event would be lost if the first then fails.
 */
import { systemClock } from "../lib/clock.ts";

/** The receiver's memory. For several processes, write one over a table or a cache that all of them share. */
export interface RepeatStore {
  /**
   * Claims the id in one step: of two calls at once only one may get `new`. A claim without an end must run out after a
   * while, or the event of a process that died is never handled.
   */
  begin(webhookId: string): Begun | Promise<Begun>;
  /** The webhook was handled. */
  finish(webhookId: string): void | Promise<void>;
  /** The webhook was not handled: the next attempt counts as the first. */
  forget(webhookId: string): void | Promise<void>;
}

export type Begun = "new" | "running" | "done";

export interface MemoryRepeatsOptions {
  /** The oldest are forgotten above it. 100,000 ids take 18 MB (measured on Node 24). */
  readonly idsMax?: number;
  /** The attempts of one delivery end after 3.2 days, or 3.9 at the upper end of their jitter; so 4 days. */
  readonly keepMs?: number;
  /** A guess: 40 times the sender's deadline. A handler that has not returned by then counts as dead. */
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

/** Remembers in this process's memory, until the process ends. */
export function createMemoryRepeats(options: MemoryRepeatsOptions = {}): RepeatStore {
  const { idsMax = IDS_MAX, keepMs = KEEP_MS, runMs = RUN_MS, nowMs = () => systemClock.nowMs() } = options;
  // A Map keeps the order of insertion, and every change inserts anew: the oldest entries are in front.
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
