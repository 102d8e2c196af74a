/**
 * What a node holds of accounts, and how long ago each view was known to be what the store has.
 *
 * Invariant: a view's time counts from before the question that confirmed it, so that a change that its answer did not
 * have was made, and so answered, later than that.
 */
import type { AccountView } from "./account-view.ts";

/** Guess: an account with a few alerts takes some kilobytes, so this stays below about 100 MB. */
const ACCOUNTS_MAX = 10_000;

interface Entry {
  readonly view: AccountView;
  confirmedMs: number;
  /** When it was wanted for sending last. */
  wantedMs: number;
}

export interface Confirmation {
  readonly configVersion: number;
  /** Of the monotonic clock, before the question. */
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

  /** When this very version was confirmed last; long ago when it is not the one that is held. */
  confirmedMs({ account, configVersion }: AccountView): number {
    const entry = this.#entries.get(account.id);
    return entry?.view.configVersion === configVersion ? entry.confirmedMs : -Infinity;
  }

  /** It is wanted for sending now; later questions take it along. */
  noteWanted(accountId: string, nowMs: number): void {
    const entry = this.#entries.get(accountId);
    if (entry !== undefined) entry.wantedMs = nowMs;
  }

  /** Accounts whose views were wanted since one instant, and not confirmed since another. */
  unconfirmed({ wantedFromMs, confirmedBeforeMs }: Unconfirmed): string[] {
    const ids: string[] = [];
    for (const [id, { wantedMs, confirmedMs }] of this.#entries) {
      if (wantedMs >= wantedFromMs && confirmedMs < confirmedBeforeMs) ids.push(id);
    }
    return ids;
  }

  /** Reads end in any order: an older one does not take the newer one's place. */
  keep(view: AccountView, askedMs: number): void {
    const { id } = view.account;
    const held = this.#entries.get(id);
    if (held !== undefined && held.view.configVersion > view.configVersion) return;
    this.#entries.delete(id);
    this.#entries.set(id, { view, confirmedMs: askedMs, wantedMs: held?.wantedMs ?? -Infinity });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > ACCOUNTS_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The same version makes the view's time later, a newer one ends it. An older one is an answer that was late. */
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
