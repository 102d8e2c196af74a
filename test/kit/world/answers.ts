/**
 * The dashboard's handlers on the whole program: a real store, guard and sender; what `register.ts` does around them
 * (sockets, cookies, roles) is tested by itself. Bodies are checked against their schemas here too.
 *
 *     await using answers = await createAnswers();
 *     const { alerts } = toValue(await answers.call("GET /alerts"));
 */
import assert from "node:assert/strict";
import Type from "typebox";
import { putAccount, putChatAssistant } from "../../../src/accounts/put-account.ts";
import type { AppOptions } from "../../../src/app/options.ts";
import type { DashboardContext } from "../../../src/dashboard/call/context.ts";
import { type RouteRow, ROUTES, type Routes } from "../../../src/dashboard/contract/routes.ts";
import { type Call, createQueryReader, type Handler, type TableRoute } from "../../../src/dashboard/call/operation.ts";
import { HANDLERS } from "../../../src/dashboard/handlers.ts";
import type { Session } from "../../../src/dashboard/guard/session.ts";
import { createCheckLimit } from "../../../src/dashboard/verification/verification.ts";
import { createTestSlots } from "../../../src/dashboard/tests/slots.ts";
import { accept } from "../../../src/delivery/accept.ts";
import type { Plan } from "../../../src/domain/account.ts";
import type { Problem, Result } from "../../../src/domain/problem.ts";
import type { ParsedRecord } from "../../../src/events/event-type.ts";
import { createValidator } from "../../../src/events/validate.ts";
import { createTestApp } from "./app-under-test.ts";
import { makeAccount } from "../make.ts";
import { ACCOUNT, APP_URL, toValue } from "./world.ts";

export const OTHER_ACCOUNT = "acct-2";
export const ASSISTANT = "website-assistant";

export const ANA = { person: "ana@example.com", role: "owner" } as const;
export const BEN = { person: "ben@example.com", role: "owner" } as const;

export interface Who {
  readonly accountId?: string;
  readonly by?: typeof ANA | typeof BEN;
}

export type Answers = Awaited<ReturnType<typeof createAnswers>>;

export interface AnswersOptions extends Partial<AppOptions> {
  readonly plan?: Plan;
  /** Settings besides that loopback may be called. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A query as it stands in an address, also one that is refused. */
type CallParts<Name extends TableRoute> = Partial<Omit<Call<Name>, "query">> & {
  readonly query?: Readonly<Record<string, string>>;
};

export async function createAnswers(changes: AnswersOptions = {}) {
  const { plan = "starter", env = {}, ...options } = changes;
  const test = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", ...env }, options);
  const { app } = test;
  const ctx = { ...toContext(app), hasPlayground: env["BELLWIRE_PLAYGROUND"] === "1" };
  for (const id of [ACCOUNT, OTHER_ACCOUNT]) await put(id, plan);

  async function put(id: string, accountPlan: Plan): Promise<void> {
    await putAccount(app.accounts, makeAccount({ id, plan: accountPlan, appUrl: APP_URL }));
    toValue(await putChatAssistant(app.accounts, id, { id: ASSISTANT, name: "Website assistant" }));
  }

  /** As the page would call it; `who` is Ana of the first account unless said otherwise. */
  async function call<Name extends TableRoute>(
    name: Name,
    parts: CallParts<Name> = {},
    who: Who = {},
  ): Promise<Result<Routes[Name]["answer"]>> {
    const row: RouteRow = ROUTES[name];
    if (row.body !== undefined) assert.deepEqual(createValidator(row.body)((parts as { body?: unknown }).body), []);
    const query = createQueryReader(row.query ?? Type.Object({}))({ query: parts.query ?? {} });
    if (!query.ok) return query;
    const handle: Handler<Name> = HANDLERS[name];
    return await handle(ctx, {
      params: {},
      body: {},
      ifMatch: 0,
      ...parts,
      query: query.value,
      session: makeSession(who),
    } as unknown as Call<Name>);
  }

  return {
    app,
    ctx,
    call,
    put,
    /** Accepts records of the first account as intake would. */
    accept: (...records: ParsedRecord[]) => ctx.accept(ACCOUNT, records),
    /** Delivers what is due until nothing is under way. */
    async run(): Promise<void> {
      do await app.engine.lanes.load.idle();
      while ((await app.engine.tick()) > 0);
    },
    /** Takes everything that was accepted into the index of search. */
    async index(): Promise<void> {
      const limits = { nowMs: app.accounts.clock.nowMs(), eventsMax: 1_000, bytesMax: 10 ** 9 };
      while ((await app.store.indexEvents(limits)).hasMore);
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** The refusal; fails when there was none. */
export function toProblem(result: Result<unknown>): Problem {
  assert.ok(!result.ok, "it was not refused");
  return result.error;
}

export const listPaths = (result: Result<unknown>): string[] => toProblem(result).errors?.map(({ path }) => path) ?? [];

function toContext(app: Awaited<ReturnType<typeof createTestApp>>["app"]): DashboardContext {
  const nothing = () => {};
  return {
    accounts: app.accounts,
    delivery: app.delivery,
    engine: app.engine,
    accept: (accountId, records) => accept({ ctx: app.delivery, engine: app.engine }, accountId, records),
    live: {
      deliveriesChanged: nothing,
      destinationsChanged: nothing,
      replaysChanged: nothing,
      configurationChanged: nothing,
      sessionsEnded: nothing,
    },
    tests: createTestSlots(app.accounts.clock),
    isCheckedTooOften: createCheckLimit(app.accounts.clock),
    hasPlayground: false,
    hasManagement: false,
    httpsOnly: false,
    hasMail: false,
    sourceAddresses: [],
    upgradeUrl: null,
    mayBeFramed: false,
    isHeld: () => false,
    nudgeMail: nothing,
    // The whole program has channels; tests of them go by its server.
    channels: { nudge: nothing, test: () => Promise.resolve(null) },
  };
}

const makeSession = ({ accountId = ACCOUNT, by = ANA }: Who): Session => ({
  accountId,
  by,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  csrfToken: "",
  id: "ses_1",
  hash: "",
});
