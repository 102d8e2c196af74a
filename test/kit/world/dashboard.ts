/**
 * The whole service with its dashboard on a real port, an account to sign in to, and receivers on loopback that it may
 * call: what a browser test starts from.
 *
 *     await using dashboard = await startDashboard();
 *     await using browser = await openBrowser();
 *     await using visit = await browser.visit(await dashboard.signInLink());
 */
import { createDashboardLink } from "../../../src/accounts/dashboard-link.ts";
import { putAccount, putChatAssistant } from "../../../src/accounts/put-account.ts";
import type { App } from "../../../src/app.ts";
import type { AppOptions } from "../../../src/app/options.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import type { Plan, Role } from "../../../src/domain/account.ts";
import { API_KEY, createTestApp } from "./app-under-test.ts";
import { makeAccount } from "../make.ts";
import { shareCluster } from "../servers/postgres.ts";
import { uuid, toValue } from "./world.ts";
import { demoViewed } from "../../../src/events/demo-viewed.ts";
import { chatConversationCompleted } from "../../../src/events/chat-conversation-completed.ts";

/** The account that tests sign in to, unless they name another. */
export const OWNERS_ACCOUNT = "acme";

export interface DashboardOptions {
  readonly plan?: Plan;
  /** Ids of chat assistants; each is named like its id. */
  readonly assistants?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly changes?: Partial<AppOptions>;
  /** SQLite in memory unless it is said here or by `E2E_STORE`. */
  readonly store?: "sqlite" | "postgres";
}

export interface Dashboard extends AsyncDisposable {
  readonly app: App;
  /** Where it is served, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  putAccount(id: string, plan?: Plan): Promise<void>;
  /** A link that signs in once. */
  signInLink(who?: { accountId?: string; person?: string; role?: Role }): Promise<string>;
  /** Posts a session as the product's back end would; `number` makes its id. Throws when it is refused. */
  postSession(number: number, changes?: Readonly<Record<string, unknown>>, accountId?: string): Promise<void>;
  /** Posts many at once, as NDJSON; ids count up from 1. */
  postSessions(count: number, accountId?: string): Promise<void>;
  postConversation(number: number, changes?: Readonly<Record<string, unknown>>, accountId?: string): Promise<void>;
  /** Ends the service and its sockets; `start` may be called again on the same port. */
  stop(): Promise<void>;
}

/** `E2E_STORE=postgres` runs every browser test on PostgreSQL: `E2E_STORE=postgres npm run e2e`. */
const STORE = process.env["E2E_STORE"] === "postgres" ? "postgres" : "sqlite";

export async function startDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { plan = "starter", assistants = [], env = {}, changes = {}, store = STORE } = options;
  await using starting = new AsyncDisposableStack();
  const database = store === "sqlite" ? {} : await makeDatabase(starting);
  const test = starting.use(
    await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", ...database, ...env }, changes),
  );
  const { app } = test;
  const { port, publicUrl } = await app.start();

  async function put(id: string, accountPlan: Plan): Promise<void> {
    await putAccount(app.accounts, makeAccount({ id, plan: accountPlan }));
  }

  async function post(path: string, record: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    const answer = await fetch(`${publicUrl}${path}`, { method: "POST", headers, body: JSON.stringify(record) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }

  /** In batches, as intake takes them. */
  async function postMany(path: string, records: readonly unknown[]): Promise<void> {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/x-ndjson" };
    for (let from = 0; from < records.length; from += LIMITS.batchRecordsMax) {
      const lines = records.slice(from, from + LIMITS.batchRecordsMax).map((record) => JSON.stringify(record));
      const answer = await fetch(`${publicUrl}${path}`, { method: "POST", headers, body: lines.join("\n") });
      const text = await answer.text();
      if (!answer.ok || text.includes('"code"')) throw new Error(`${answer.status} ${text.slice(0, 500)}`);
    }
  }

  await put(OWNERS_ACCOUNT, plan);
  for (const id of assistants) toValue(await putChatAssistant(app.accounts, OWNERS_ACCOUNT, { id, name: id }));
  const parts = starting.move();
  return {
    app,
    url: publicUrl,
    port,
    putAccount: (id, accountPlan = "starter") => put(id, accountPlan),
    async signInLink({ accountId = OWNERS_ACCOUNT, person = "ana@example.com", role = "owner" } = {}) {
      return toValue(await createDashboardLink(app.accounts, { accountId, person, role })).url;
    },
    postSession: (number, record = {}, accountId = OWNERS_ACCOUNT) =>
      post(`/v1/accounts/${accountId}/demo-sessions`, {
        ...demoViewed.example,
        id: uuid(number),
        ...record,
      }),
    postSessions: (count, accountId = OWNERS_ACCOUNT) => {
      const { example } = demoViewed;
      const records = Array.from({ length: count }, (_, index) => ({ ...example, id: uuid(index + 1) }));
      return postMany(`/v1/accounts/${accountId}/demo-sessions`, records);
    },
    postConversation: (number, record = {}, accountId = OWNERS_ACCOUNT) =>
      post(`/v1/accounts/${accountId}/chat-conversations`, {
        ...chatConversationCompleted.example,
        id: uuid(number),
        ...record,
      }),
    stop: () => app.stop(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function makeDatabase(starting: AsyncDisposableStack): Promise<Readonly<Record<string, string>>> {
  const cluster = starting.use(await shareCluster());
  return { BELLWIRE_DATABASE: await cluster.createStoreDatabase() };
}
