/** The log's views, which people of an account share: everybody sees them, and owners keep them. */
import { LIMITS } from "../../domain/limits.ts";
import { problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { Handlers } from "../call/operation.ts";

export const viewHandlers = {
  async "GET /views"({ accounts: { store } }, { session: { accountId } }) {
    return ok({ views: await store.listViews({ accountId }) });
  },
  async "PUT /views"({ accounts: { store } }, { session: { accountId }, body: { name, search } }) {
    const { viewsMax } = LIMITS;
    const put = await store.putView({ accountId, name: name.trim(), search, viewsMax });
    if (put === "full") return refuse(FULL);
    return ok({ views: await store.listViews({ accountId }) });
  },
} satisfies Handlers;

const FULL = problem("invalid_form", `The account has ${LIMITS.viewsMax} views: delete one first.`);
