/**
 * Everybody who may call, with a key, a token, a session or nothing: one list for the tests of routes and keys, so that
 * a new kind of caller is tried at every route.
 */
import { makeReadKey, takeBackReadKey } from "../accounts/read-keys.ts";
import { API_KEY, type createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createPulled } from "../../test/kit/world/alerts.ts";
import { linkToken } from "../../test/kit/world/signed-in.ts";
import type { AccountThings } from "../../test/kit/world/two-accounts.ts";
import { toValue } from "../../test/kit/world/world.ts";

export interface CalledWorld {
  readonly app: Awaited<ReturnType<typeof createTestApp>>["app"];
  readonly own: AccountThings;
  readonly other: AccountThings;
}

export interface Caller {
  /** As the OpenAPI document calls what it sends; `null`: it opens nothing. */
  readonly opens: "intakeKey" | "readKey" | "manageKey" | "pullToken" | null;
  readonly of: "own" | "other" | "all";
  sign(world: CalledWorld): Headers | Promise<Headers>;
}

type Headers = Readonly<Record<string, string>>;

const BY = { person: "ada@example.com", role: "owner" } as const;

export const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });

const stranger = (sign: Caller["sign"]): Caller => ({ opens: null, of: "all", sign });

const makeKey = async (world: CalledWorld, kind: "read" | "manage", of: Caller["of"]) => {
  const accountId = of === "all" ? null : world[of].accountId;
  const made = toValue(await makeReadKey(world.app.accounts, { accountId, name: "platform", kind, by: BY }));
  return { ...made, accountId };
};

const keyOf = (kind: "read" | "manage", of: Caller["of"]): Caller => ({
  opens: `${kind}Key`,
  of,
  sign: async (world) => bearer((await makeKey(world, kind, of)).key),
});

const takenBack = (kind: "read" | "manage", of: Caller["of"]): Caller =>
  stranger(async (world) => {
    const { accountId, id, key } = await makeKey(world, kind, of);
    toValue(await takeBackReadKey(world.app.accounts, { accountId, id, by: BY }));
    return bearer(key);
  });

const makeToken = async ({ app, ...accounts }: CalledWorld, of: "own" | "other"): Promise<Headers> =>
  bearer((await createPulled(app.accounts, { accountId: accounts[of].accountId })).token);

const pullTokenOf = (of: "own" | "other"): Caller => ({
  opens: "pullToken",
  of,
  sign: (world) => makeToken(world, of),
});

export const CALLERS = {
  nobody: stranger(() => ({})),
  "an unknown key": stranger(() => bearer(`bwr_${"x".repeat(43)}`)),
  "a key in another form": stranger(() => bearer("bwr_short")),
  "a key's id": stranger(({ own }) => bearer(own.ids["read-keys"] ?? "")),
  "a viewer's session": stranger(({ own }) => ({ cookie: own.viewer.cookie })),
  "a viewer's session as a key": stranger(({ own }) => bearer(own.viewer.cookie.split("=")[1] ?? "")),
  "an owner's session": stranger(({ own }) => ({ cookie: own.owner.cookie })),
  "a sign-in link's token": stranger(async ({ app, own }) => bearer(await linkToken(app, own))),
  "an unknown pull token": stranger(() => bearer(`bwp_${"x".repeat(43)}`)),
  "the intake key": { opens: "intakeKey", of: "all", sign: () => bearer(API_KEY) },
  "the account's read key": keyOf("read", "own"),
  "a read key of another account": keyOf("read", "other"),
  "a read key of all": keyOf("read", "all"),
  "a read key that was taken back": takenBack("read", "own"),
  "a read key of all that was taken back": takenBack("read", "all"),
  "the account's manage key": keyOf("manage", "own"),
  "a manage key of another account": keyOf("manage", "other"),
  "a manage key of all": keyOf("manage", "all"),
  "a manage key that was taken back": takenBack("manage", "own"),
  "a manage key of all that was taken back": takenBack("manage", "all"),
  "a pull token": pullTokenOf("own"),
  "a pull token of another account": pullTokenOf("other"),
} as const satisfies Readonly<Record<string, Caller>>;

export type CallerName = keyof typeof CALLERS;

/** The headers of each. */
export async function signAll(world: CalledWorld): Promise<Readonly<Record<CallerName, Headers>>> {
  const signed: [string, Headers][] = [];
  for (const [name, { sign }] of Object.entries(CALLERS)) signed.push([name, await sign(world)]);
  return Object.fromEntries(signed) as Record<CallerName, Headers>;
}
