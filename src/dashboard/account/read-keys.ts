/** The account's read keys, as owners list, make and take them back. */
import { makeReadKey, takeBackReadKey } from "../../accounts/read-keys.ts";
import { LIMITS } from "../../domain/limits.ts";
import { ok } from "../../lib/result.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import type { Handlers } from "../call/operation.ts";
import type { ReadKeysAnswer } from "../contract/read-keys.ts";

export const readKeyHandlers = {
  "GET /read-keys": async (ctx, { session }) => ok(await list(ctx, session)),
  async "POST /read-keys"(ctx, { session, body: { name } }) {
    const { accountId, by } = session;
    const made = await makeReadKey(ctx.accounts, { accountId, name, by });
    return made.ok ? ok({ name: made.value.name, key: made.value.key, list: await list(ctx, session) }) : made;
  },
  async "DELETE /read-keys/:id"(ctx, { session, params: { id } }) {
    const { accountId, by } = session;
    const taken = await takeBackReadKey(ctx.accounts, { accountId, id, by });
    return taken.ok ? ok(await list(ctx, session)) : taken;
  },
} satisfies Handlers;

const list = async ({ accounts: { store } }: ReadContext, { accountId }: Reader): Promise<ReadKeysAnswer> => ({
  keys: await store.listReadKeys({ accountId }),
  keysMax: LIMITS.readKeysMax,
  nameCharsMax: LIMITS.readKeyNameCharsMax,
});
