/**
 * The account views that a node holds, and when each was last confirmed by the store.
 *
 * Invariant: a view's time counts from before the question that confirmed it. So a change that the answer did not have
 * was made, and answered to its author, after that time.
 */
import type { AccountView } from "./account-view.ts";

/** Guess: an account with a few alerts takes some kilobytes, so this stays below about 100 MB. */
export const ACCOUNTS_MAX = 10_000;

interface Entry {
  readonly view: AccountView;
  confirmedMs: number;
  /** The last time that an attempt wanted the view. */
  wantedMs: number;
}

export interface Confirmation {
  readonly configVersion: number;
  /** On the monotonic clock, before the question. */
  readonly askedMs: number;
}

interface Unconfirmed {
  readonly wantedFromMs: number;
  readonly confirmedBeforeMs: number;
}

export class HeldViews {
  readonly #entries = new Map<string, Entry>();

  /** The view at `versionMin` or newer. */
  get(accountId: string, versionMin = 0): AccountView | null {
    const view = this.#entries.get(accountId)?.view;
    return view !== undefined && view.configVersion >= versionMin ? view : null;
  }

  /** When this very version was last confirmed; long ago when another version is held. */
  confirmedMs({ account, configVersion }: AccountView): number {
    const entry = this.#entries.get(account.id);
    return entry?.view.configVersion === configVersion ? entry.confirmedMs : -Infinity;
  }

  /** Notes that an attempt wants the view now; later questions include it. */
  noteWanted(accountId: string, nowMs: number): void {
    const entry = this.#entries.get(accountId);
    if (entry !== undefined) entry.wantedMs = nowMs;
  }

  /** The accounts with views that were wanted since one instant, and not confirmed since another. */
  unconfirmed({ wantedFromMs, confirmedBeforeMs }: Unconfirmed): string[] {
    const ids: string[] = [];
    for (const [id, { wantedMs, confirmedMs }] of this.#entries) {
      if (wantedMs >= wantedFromMs && confirmedMs < confirmedBeforeMs) ids.push(id);
    }
    return ids;
  }

  /** Reads end in any order: an older view does not replace a newer one. */
  keep(view: AccountView, askedMs: number): void {
    const { id } = view.account;
    const held = this.#entries.get(id);
    if (held !== undefined && held.view.configVersion > view.configVersion) return;
    this.#entries.delete(id);
    this.#entries.set(id, { view, confirmedMs: askedMs, wantedMs: held?.wantedMs ?? -Infinity });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > ACCOUNTS_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The same version makes the view's time later; a newer version ends the view. An older version is a late answer. */
  confirm(accountId: string, { configVersion, askedMs }: Confirmation): void {
    const entry = this.#entries.get(accountId);
    if (entry === undefined) return;
    if (configVersion > entry.view.configVersion) this.#entries.delete(accountId);
    else if (configVersion === entry.view.configVersion) entry.confirmedMs = Math.max(entry.confirmedMs, askedMs);
  }

  forget(accountId: string): void {
    this.#entries.delete(accountId);
  }
}
