/**
 * Results of whole hours that were read, in memory: the bars of each destination are asked for again and again, and of
 * their 24 hours 23 do not change. An hour in which anything was counted since is told by the account's own sum of it,
 * which the same transactions add to, and which never gets smaller while the hour is kept.
 */
import { hoursMs } from "../../../lib/duration.ts";
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
    const counted = new Map(sums.map(({ atMs, count }) => [atMs, count]));
    const changed = hours.filter((hourMs) => sumOf(this.find(accountId, hourMs)) !== (counted.get(hourMs) ?? 0));
    const byHour = Map.groupBy(changed.length === 0 ? [] : await read(changed), ({ atMs }) => atMs);
    for (const hourMs of changed) this.keep(accountId, hourMs, byHour.get(hourMs) ?? []);
    return hours.flatMap((hourMs) => byHour.get(hourMs) ?? this.find(accountId, hourMs) ?? []);
  }

  clear(): void {
    this.#hours.clear();
    this.#results = 0;
  }
}
