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
import type { Store } from "../store/contract/store.ts";
import { type AccountView, openAccount } from "./account-view.ts";
import { type Confirmation, HeldViews } from "./held-views.ts";
import { createVersionAsker } from "./version-asker.ts";

/** With half a second for the way to the receiver, this makes the 2 s that `docs/operations.md` promises. */
export const CONFIRMED_MS = 1_500;

/** From this age on, the next request has the view confirmed without waiting: a slow answer has time. */
const CONFIRM_AGAIN_MS = 700;

/** From this age on, a view in use is asked about along with others, which makes at most three questions a second. */
const CONFIRM_ALONG_MS = CONFIRM_AGAIN_MS / 2;

/** Guess. The time for which a slow receiver may keep a lane from its next request. */
const IN_USE_MS = 15_000;

export interface AccountCache {
  /** The account at `versionMin` or newer; `null` when it does not exist. May be outdated; at once where it is held. */
  load(accountId: string, versionMin?: number): AccountView | Promise<AccountView | null>;
  /** The account as the store has it now: for people, who may have changed it on another node. */
  loadAnew(accountId: string): Promise<AccountView | null>;
  /**
   * The account at `versionMin` or newer, and current unless the store is slow: for sending. At once where the view is
   * held, which saves each attempt some turns of the queue.
   */
  loadCurrent(accountId: string, versionMin?: number): AccountView | Promise<AccountView | null>;
  /** Whether a request may start under this view now. Compares numbers in memory and reads a clock. */
  isCurrent(view: AccountView): boolean;
  /** Confirms that the store had this version, counted from the instant of the question. */
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
    loadAnew: readAnew,
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
