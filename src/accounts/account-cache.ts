/**
 * Account views by id, loaded when first needed and again when a caller knows of a newer version.
 *
 * For deciding where an event goes a view may be late: the store checks the version in the accept itself. For sending
 * it may not: a request starts only under a view that is `isCurrent`. That is how a change of an account reaches every
 * node, whatever is between them:
 *
 *     read, accepted or claimed with ──► current for `CONFIRMED_MS` ──► asked about again, before the next request
 *                                           └──── newer version, or forgotten: gone at once ────┘
 *
 * On a store that no other node writes to, a view is current until it is forgotten, and nothing is asked.
 */
import type { Clock } from "../lib/clock.ts";
import type { Sealer } from "../lib/seal.ts";
import { type Store, AccountAway } from "../store/contract/store.ts";
import { type AccountView, openAccount } from "./account-view.ts";

/** With half a second for the way to the receiver, this makes the 2 s that `docs/postgres.md` promises. */
export const CONFIRMED_MS = 1_500;

/** From this age on, the next request has the view confirmed without waiting: a slow answer has time. */
const CONFIRM_AGAIN_MS = 700;

/** From this age on, a view in use is asked about along with others, which makes at most three questions a second. */
const CONFIRM_ALONG_MS = CONFIRM_AGAIN_MS / 2;

/** Guess. The time for which a slow receiver may keep a lane from its next request. */
const IN_USE_MS = 15_000;

export interface AccountCache {
  /** The account at `versionMin` or newer, at once if it is cached; `null` when it does not exist. May be outdated. */
  load(accountId: string, versionMin?: number): AccountView | Promise<AccountView | null>;
  /**
   * The account as the store has it now: for people and programs, who may have changed it on another node. It is read
   * where its version is another than this node holds.
   */
  loadAnew(accountId: string): Promise<AccountView | null>;
  /**
   * The account at `versionMin` or newer, and current unless the store is slow: for sending. At once where the view is
   * held, which saves each attempt some turns of the queue.
   */
  loadCurrent(accountId: string, versionMin?: number): AccountView | Promise<AccountView | null>;
  /** Whether a request may start under this view now. Compares numbers in memory and reads a clock. */
  isCurrent(view: AccountView): boolean;
  /** Notes that the store has confirmed this version. The view is current for a time that counts from the question. */
  confirm(accountId: string, confirmation: Confirmation): void;
  /** Drops the view, and does not keep one that is being read now. The author of a change calls it. */
  forget(accountId: string): void;
}

export interface AccountCacheOptions {
  readonly store: Pick<Store, "loadAccount" | "loadConfigVersions">;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Other nodes change accounts too. */
  readonly isShared: boolean;
}

export function createAccountCache({ store, sealer, clock, isShared }: AccountCacheOptions): AccountCache {
  const held = new HeldViews();
  const reading = new Map<string, Promise<AccountView | null>>();
  const confirm: AccountCache["confirm"] = (accountId, confirmation) => held.confirm(accountId, confirmation);
  const along = (askedMs: number): readonly string[] =>
    held.unconfirmed({ wantedFromMs: askedMs - IN_USE_MS, confirmedBeforeMs: askedMs - CONFIRM_ALONG_MS });
  const ask = createVersionAsker({ store, clock, confirm, along });

  function readAnew(accountId: string): Promise<AccountView | null> {
    const askedMs = clock.monotonicMs();
    const running: Promise<AccountView | null> = store.loadAccount({ accountId }).then((stored) => {
      const view = stored === null ? null : openAccount(stored, sealer);
      // A read that was forgotten or overtaken may be from before a change.
      if (view !== null && reading.get(accountId) === running) held.keep(view, askedMs);
      return view;
    });
    reading.set(accountId, running);
    const end = (): void => {
      if (reading.get(accountId) === running) reading.delete(accountId);
    };
    running.then(end, end);
    return running;
  }

  /** Many deliveries of one account may miss at once: they share one read. */
  const read = (accountId: string): Promise<AccountView | null> => reading.get(accountId) ?? readAnew(accountId);

  async function readFrom(accountId: string, versionMin: number): Promise<AccountView | null> {
    const shared = await read(accountId);
    if (shared === null || shared.configVersion >= versionMin) return shared;
    // That read may have begun before the version that is wanted; one that runs now has not.
    return await read(accountId);
  }

  const load = (accountId: string, versionMin = 0): AccountView | Promise<AccountView | null> =>
    held.get(accountId, versionMin) ?? readFrom(accountId, versionMin);

  /** Without other nodes a view does not age; a view that is not held any more has an infinite age in both cases. */
  function ageMs(view: AccountView): number {
    const confirmedMs = held.confirmedMs(view);
    return isShared || confirmedMs === -Infinity ? clock.monotonicMs() - confirmedMs : 0;
  }

  async function loadConfirmed(accountId: string, versionMin: number, knownMs: number): Promise<AccountView | null> {
    if (knownMs >= CONFIRMED_MS) await ask(accountId);
    const view = await load(accountId, versionMin);
    held.noteWanted(accountId, clock.monotonicMs());
    return view;
  }

  return {
    load,
    loadAnew: createLook({ held, ask, clock, readAnew }),
    loadCurrent(accountId, versionMin = 0) {
      const known = held.get(accountId, versionMin);
      const knownMs = known === null ? 0 : ageMs(known);
      if (known === null || knownMs >= CONFIRMED_MS) return loadConfirmed(accountId, versionMin, knownMs);
      if (knownMs >= CONFIRM_AGAIN_MS) ask(accountId).catch(() => {});
      held.noteWanted(accountId, clock.monotonicMs());
      return known;
    },
    isCurrent: (view) => ageMs(view) < CONFIRMED_MS,
    confirm,
    forget(accountId) {
      held.forget(accountId);
      reading.delete(accountId);
    },
  };
}

interface LookOptions extends Pick<AccountCacheOptions, "clock"> {
  readonly held: HeldViews;
  readonly ask: AskVersion;
  readonly readAnew: (accountId: string) => Promise<AccountView | null>;
}

function createLook({ held, ask, clock, readAnew }: LookOptions): AccountCache["loadAnew"] {
  return async (accountId) => {
    if (held.get(accountId) === null) return await readAnew(accountId);
    const askedMs = clock.monotonicMs();
    await ask(accountId);
    const view = held.get(accountId);
    // An account that is gone is in no answer, and nothing confirms its view.
    return view !== null && held.confirmedMs(view) >= askedMs ? view : await readAnew(accountId);
  };
}

/*
 * The account views that a node holds, and when each was last confirmed by the store.
 *
 * Invariant: a view's time counts from before the question that confirmed it. So a change that the answer did not have
 * was made, and answered to its author, after that time.
 */

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

/*
 * Asks the store for the versions of accounts without a lately confirmed view. One statement covers every account
 * that was asked about while the previous statement ran, and every account that will be soon. So a node with a thousand
 * lanes asks hardly more often than a node with one.
 */

export interface VersionAskerOptions {
  readonly store: Pick<Store, "loadConfigVersions">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly confirm: (accountId: string, confirmation: Confirmation) => void;
  /** Accounts in use that are worth asking about with the others. */
  readonly along: (askedMs: number) => readonly string[];
}

/**
 * Resolves when the account's version was confirmed or read; rejects with `StoreUnavailable`, also when only the server
 * that has this account is away.
 */
export type AskVersion = (accountId: string) => Promise<void>;

export function createVersionAsker({ store, clock, confirm, along }: VersionAskerOptions): AskVersion {
  /** At most the accounts with deliveries in this node. */
  let wanted = new Set<string>();
  let next: Promise<ReadonlySet<string>> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** Gives the accounts that could not be asked about. */
  async function askAll(): Promise<ReadonlySet<string>> {
    // Before the question: a change that is made while the question is under way may be missing in the answer.
    const askedMs = clock.monotonicMs();
    const accountIds = [...wanted.union(new Set(along(askedMs)))];
    wanted = new Set();
    next = null;
    const versions = await store.loadConfigVersions({ accountIds });
    const away = new Set<string>();
    for (const { accountId, configVersion } of versions) {
      if (configVersion === null) away.add(accountId);
      else confirm(accountId, { configVersion, askedMs });
    }
    return away;
  }

  return async (accountId) => {
    wanted.add(accountId);
    if (next === null) {
      next = last.then(askAll);
      last = next.catch(() => {});
    }
    if ((await next).has(accountId)) throw new AccountAway(`the account ${accountId} cannot be asked about now`);
  };
}
