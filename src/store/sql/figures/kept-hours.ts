/**
 * Results of whole hours that were read, in memory: the bars of each destination are asked for again and again, and of
 * their 24 hours 23 do not change. How each store knows that an hour has changed is its own.
 */
import { hoursMs } from "../../../lib/duration.ts";
import type { AttemptCount } from "../../contract/log.ts";

/** All accounts' together; some 100 bytes each. */
const RESULTS_MAX = 200_000;

export const HOUR_MS = hoursMs(1);

export type HourOfAccount = readonly AttemptCount[];

export class KeptHours {
  readonly #hours = new Map<number, Map<string, HourOfAccount>>();
  #results = 0;

  find(accountId: string, hourMs: number): HourOfAccount | null {
    return this.#hours.get(hourMs)?.get(accountId) ?? null;
  }

  keep(accountId: string, hourMs: number, results: HourOfAccount): void {
    this.#results -= this.find(accountId, hourMs)?.length ?? 0;
    if (this.#results + results.length > RESULTS_MAX) this.clear();
    this.#results += results.length;
    const accounts = this.#hours.get(hourMs) ?? new Map<string, HourOfAccount>();
    accounts.set(accountId, results);
    this.#hours.set(hourMs, accounts);
  }

  /** A count of the hour changes. */
  forget(atMs: number): void {
    const hourMs = atMs - (atMs % HOUR_MS);
    for (const results of this.#hours.get(hourMs)?.values() ?? []) this.#results -= results.length;
    this.#hours.delete(hourMs);
  }

  clear(): void {
    this.#hours.clear();
    this.#results = 0;
  }
}
