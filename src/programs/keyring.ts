/**
 * Who may read, and who manages: the auth hook of programs' routes, which knows their keys by hash and, for accounts,
 * intake keys. The store is asked at each call, so that a key that was taken back opens nothing from then on, on any
 * node.
 *
 * Without any such key in the installation the routes are not there: a call gets what an unknown address gets, but for
 * the intake key at those about accounts.
 */
import type { FastifyRequest } from "fastify";
import type { Actor } from "../domain/account.ts";
import { problem, type Problem } from "../domain/problem.ts";
import { hashToken, isReadKey } from "../domain/token.ts";
import { type AuthHook, OPERATOR } from "../http/auth-hook.ts";
import { readBearer } from "../http/bearer.ts";
import { callerAddress } from "../http/client-address.ts";
import { notServed } from "../http/not-served.ts";
import { followOpening } from "../http/opening.ts";
import { createTryCounter } from "../http/try-counter.ts";
import type { Authenticator } from "../intake/authenticate.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";
import { type FoundReadKey, READ_KEY_USED_STEP_MS } from "../store/contract/read-keys.ts";
import type { Store } from "../store/contract/store.ts";
import type { ReadRow } from "./routes.ts";

const BAD_KEYS_MAX = 20;
const BAD_KEYS_WINDOW_MS = minutesMs(1);

/** Who calls: by a read key, or the holder of an intake key (`id` is empty). */
export type ReadBy = Omit<FoundReadKey, "usedAtMs">;

export interface KeyWanted {
  /** `one`: an account's own key, and none of all accounts. */
  readonly opensFor: ReadRow["opensFor"] | "one";
  readonly takesIntakeKey?: true;
  /** Keys that read alone do not open it. */
  readonly manages?: true;
}

export interface Keyring {
  authHookFor(wanted: KeyWanted): AuthHook;
  /** Of a call that the auth hook has let in. */
  getReader(request: FastifyRequest): ReadBy;
  /** The same for the audit. */
  getActor(request: FastifyRequest): Actor;
  /** Whether there is any read key, as of a second ago at most, and at once when this node has made one. */
  isOpen(): Promise<boolean>;
  /** This node has made a key. */
  keyMade(): void;
}

export interface KeyringContext {
  readonly store: Pick<Store, "findReadKey" | "noteReadKeyUse" | "countReadKeys">;
  readonly clock: Clock;
  readonly intake: Pick<Authenticator, "hasKey">;
  /** A use could not be noted: it will be by one of the next. */
  readonly onFailure: (error: unknown) => void;
}

export function createKeyring({ store, clock, intake, onFailure }: KeyringContext): Keyring {
  const readers = new WeakMap<FastifyRequest, ReadBy>();
  const isTooMany = createTryCounter({ clock, triesMax: BAD_KEYS_MAX, windowMs: BAD_KEYS_WINDOW_MS });
  const opening = followOpening(async () => (await store.countReadKeys({ rowsMax: 1 })) > 0, clock);

  async function findReader(authorization: string | undefined, takesIntakeKey: boolean): Promise<ReadBy | null> {
    if (takesIntakeKey && intake.hasKey(authorization)) return BY_INTAKE_KEY;
    const given = readBearer(authorization);
    if (given === null || !isReadKey(given)) return null;
    const found = await store.findReadKey({ tokenHash: hashToken(given) });
    if (found !== null) noteUse(found);
    return found;
  }

  /** Nobody waits for it. */
  function noteUse({ id, accountId, usedAtMs }: FoundReadKey): void {
    const nowMs = clock.nowMs();
    if (usedAtMs !== null && nowMs - usedAtMs < READ_KEY_USED_STEP_MS) return;
    store.noteReadKeyUse({ id, accountId, nowMs }).catch(onFailure);
  }

  async function refuseOthers(request: FastifyRequest, manages: boolean | undefined): Promise<Problem> {
    if (!(await opening.isOpen())) return notServed(request);
    if (isTooMany(callerAddress(request))) {
      return problem("too_many_bad_keys", "Wait a minute, then send the right key.");
    }
    const what = manages === true ? "key that manages" : "read key";
    return problem("unauthorized", `Send a ${what} of this service as \`Authorization: Bearer bwr_…\`.`);
  }

  function getReader(request: FastifyRequest): ReadBy {
    const reader = readers.get(request);
    assert(reader !== undefined, `${request.routeOptions.url} has no auth hook that knows readers`);
    return reader;
  }

  return {
    isOpen: opening.isOpen,
    keyMade: opening.changed,
    authHookFor: ({ opensFor, takesIntakeKey, manages }) =>
      async function letReaderIn(request) {
        const reader = await findReader(request.headers.authorization, takesIntakeKey === true);
        if (reader === null) return await refuseOthers(request, manages);
        if (opensFor === "all" && reader.accountId !== null) return ofOneAccount;
        if (opensFor === "one" && reader.accountId === null) return ofAllAccounts;
        if (manages === true && reader.kind !== "manage") return readsAlone;
        readers.set(request, reader);
        return reader.accountId === null ? OPERATOR : { knownAs: reader.accountId };
      },
    getReader,
    getActor: (request) => ({
      person: `${getReader(request).kind} key ${getReader(request).name}`,
      role: "system",
      address: callerAddress(request),
    }),
  };
}

const BY_INTAKE_KEY: ReadBy = { id: "", name: "", kind: "read", accountId: null };

const readsAlone = problem("key_not_allowed", "This key reads alone; this needs a key that manages.");

const ofOneAccount = problem("key_not_allowed", "This key is of one account; this needs a key of all accounts.");

const ofAllAccounts = problem(
  "key_not_allowed",
  "This key is of all accounts; this needs a key of one, so that nothing of another comes into its answers.",
);
