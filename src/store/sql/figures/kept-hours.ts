/**
 * Results of whole hours that were read, in memory: the bars of each destination are asked for again and again, and of
 * their 24 hours 23 do not change. An hour in which anything was counted since is told by the account's own sum of it,
 * which the same transactions add to. Where a deleted destination's results are gone before the sum is, the hour is
 * read each time.
 */
import { daysMs, hoursMs } from "../../../lib/duration.ts";
import type { AttemptCount } from "../../contract/log.ts";
import type { Answer } from "../transaction.ts";

/** All accounts' together; some 100 bytes each. */
const RESULTS_MAX = 200_000;

export const HOUR_MS = hoursMs(1);

export type HourOfAccount = readonly AttemptCount[];

export interface HoursOfAccount {
  readonly accountId: string;
  /** Its own, read no later than the results: what is counted in between makes the hour be read once more. */
  readonly sums: readonly { readonly atMs: number; readonly count: number }[];
  read(hours: readonly number[]): Answer<readonly AttemptCount[]>;
}

const sumOf = (results: HourOfAccount | null): number => (results ?? []).reduce((sum, { count }) => sum + count, 0);

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

  /** Those of these hours, of which those that have changed are read. */
  async findOrRead(hours: readonly number[], { accountId, sums, read }: HoursOfAccount): Promise<AttemptCount[]> {
    this.#dropBefore((hours[0] ?? 0) - daysMs(1));
    const counted = new Map(sums.map(({ atMs, count }) => [atMs, count]));
    const found = new Map(hours.map((hourMs) => [hourMs, this.find(accountId, hourMs)]));
    const changed = hours.filter((hourMs) => sumOf(found.get(hourMs) ?? null) !== (counted.get(hourMs) ?? 0));
    const byHour = Map.groupBy(changed.length === 0 ? [] : await read(changed), ({ atMs }) => atMs);
    for (const hourMs of changed) {
      const results = byHour.get(hourMs) ?? [];
      found.set(hourMs, results);
      this.keep(accountId, hourMs, results);
    }
    return hours.flatMap((hourMs) => found.get(hourMs) ?? []);
  }

  /** The bars of the last day are asked for, and nothing older again. */
  #dropBefore(oldestMs: number): void {
    for (const [hourMs, accounts] of this.#hours) {
      if (hourMs >= oldestMs) continue;
      for (const results of accounts.values()) this.#results -= results.length;
      this.#hours.delete(hourMs);
    }
  }

  clear(): void {
    this.#hours.clear();
    this.#results = 0;
  }
}
