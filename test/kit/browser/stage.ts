/**
 * The stage of most browser tests: the service with its dashboard and a browser, once for a file; and visits by
 * somebody who is signed in, each to an account of its own unless it names one.
 */
import { after } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, type Engine, type Visit, type VisitOptions, openBrowser } from "./browser.ts";
import { type Dashboard, type DashboardOptions, startDashboard } from "../world/dashboard.ts";
import { type Receiver, startReceiver } from "../servers/receiver.ts";
import { putChatAssistant } from "../../../src/accounts/put-account.ts";
import type { Plan, Role } from "../../../src/domain/account.ts";
import { toValue } from "../world/world.ts";

export interface Who extends VisitOptions {
  /** One that was there before; else a new and empty account. */
  readonly accountId?: string;
  readonly plan?: Plan;
  /** Ids of chat assistants that the new account has; each is named like its id. */
  readonly assistants?: readonly string[];
  readonly person?: string;
  readonly role?: Role;
}

export interface SignedIn extends Visit {
  readonly accountId: string;
}

export interface Stage extends AsyncDisposable {
  readonly dashboard: Dashboard;
  readonly browser: Browser;
  /** Signs in and goes to the address. */
  open(path: string, who?: Who): Promise<SignedIn>;
}

export async function setStage(options: DashboardOptions = {}, engine?: Engine): Promise<Stage> {
  const dashboard = await startDashboard(options);
  const browser = await openBrowser(engine);
  let accounts = 0;

  async function newAccount({ plan = "starter", assistants = [] }: Who): Promise<string> {
    const accountId = `account-${++accounts}`;
    await dashboard.putAccount(accountId, plan);
    for (const id of assistants) {
      toValue(await putChatAssistant(dashboard.app.accounts, accountId, { id, name: id }));
    }
    return accountId;
  }

  return {
    dashboard,
    browser,
    async open(path, who = {}) {
      const accountId = who.accountId ?? (await newAccount(who));
      const { person = "ana@example.com", role = "owner" } = who;
      const link = await dashboard.signInLink({ accountId, person, role });
      // The page of the link is another test's subject (sign-in.test.ts); most tests would wait a second for it.
      const visit = await browser.visit(`${dashboard.url}/healthz`, who);
      const data = { token: link.slice(link.lastIndexOf("/") + 1) };
      const headers = { origin: new URL(dashboard.url).origin, "sec-fetch-site": "same-origin" };
      const answer = await visit.page.context().request.post(`${dashboard.url}/dashboard/sign-in`, { data, headers });
      if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`);
      await visit.page.goto(`${dashboard.url}${path}`);
      return { ...visit, accountId };
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await dashboard[Symbol.asyncDispose]();
    },
  };
}

/** On the page of a sign-in link. */
export async function pressSignIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** For a file in which every test needs both: they are taken down after its last one. */
export async function setStageWithReceiver(options: DashboardOptions = {}): Promise<{
  readonly stage: Stage;
  readonly receiver: Receiver;
}> {
  const parts = new AsyncDisposableStack();
  after(() => parts.disposeAsync());
  const receiver = parts.use(await startReceiver());
  return { receiver, stage: parts.use(await setStage(options)) };
}
