/** The account's keys of programs, as owners list, make and take them back. */
import { makeReadKey, takeBackReadKey } from "../../accounts/read-keys.ts";
import { LIMITS } from "../../domain/limits.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { DashboardContext, Reader } from "../call/context.ts";
import { type Handlers, invalidForm } from "../call/operation.ts";
import type { ReadKeysAnswer } from "../contract/read-keys.ts";

type KeysContext = Pick<DashboardContext, "accounts" | "hasManagement">;

export const readKeyHandlers = {
  "GET /read-keys": async (ctx, { session }) => ok(await list(ctx, session)),
  async "POST /read-keys"(ctx, { session, body: { name, kind } }) {
    const { accountId, by } = session;
    if (kind === "manage" && !ctx.hasManagement) return refuse(invalidForm([CLOSED_KIND]));
    const made = await makeReadKey(ctx.accounts, { accountId, name, kind, by });
    return made.ok ? ok({ name: made.value.name, key: made.value.key, list: await list(ctx, session) }) : made;
  },
  async "DELETE /read-keys/:id"(ctx, { session, params: { id } }) {
    const { accountId, by } = session;
    const taken = await takeBackReadKey(ctx.accounts, { accountId, id, by });
    return taken.ok ? ok(await list(ctx, session)) : taken;
  },
} satisfies Handlers;

const CLOSED_KIND = { path: "kind", message: "must be read: managing by programs is closed here" };

const list = async (
  { accounts: { store }, hasManagement: mayManage }: KeysContext,
  { accountId }: Reader,
): Promise<ReadKeysAnswer> => ({
  keys: await store.listReadKeys({ accountId }),
  keysMax: LIMITS.readKeysMax,
  nameCharsMax: LIMITS.readKeyNameCharsMax,
  mayManage,
});
