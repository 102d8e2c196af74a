import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../test/kit/wait.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { REFUSED, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Stage, setStage, pressSignIn } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

describe("signing in", () => {
  test("a link opens the overview once; the second time it says what to do", async () => {
    const link = await stage.dashboard.signInLink();
    {
      await using visit = await stage.browser.visit(link);
      await visit.page.getByRole("heading", { name: "Sign in to Bellwire" }).waitFor();
      await assertSound(visit.page);
      await pressSignIn(visit.page);
      await visit.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      // The token is not left in the address.
      await visit.page.waitForURL((url) => url.pathname === "/");
    }
    await using again = await stage.browser.visit(link, { expected: REFUSED });
    await pressSignIn(again.page);
    await again.page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    await again.page.getByText(/used already/i).waitFor();
    await assertSound(again.page);
  });

  for (const [who, answer] of [
    ["a service that is down", { status: 503, contentType: "text/html", body: "<h1>Down</h1>" }],
    ["a service with a fault", { status: 500, json: { code: "internal_error", detail: "Something went wrong." } }],
    ["a proxy that asks something first", { status: 403, contentType: "text/html", body: "<h1>Who are you</h1>" }],
  ] as const) {
    test(`${who} leaves a link as good as it was`, async () => {
      const link = await stage.dashboard.signInLink();
      const token = link.slice(link.lastIndexOf("/") + 1);
      const expected = [/Failed to load resource: the server responded with a status of [45]\d\d/];
      await using visit = await stage.browser.visit(`${stage.dashboard.url}/healthz`, { expected });
      const { page } = visit;
      await page.route(/\/dashboard\/sign-in$/, (route) => route.fulfill(answer));
      await page.goto(`${stage.dashboard.url}/sign-in/${token}`);
      await pressSignIn(page);
      await page.getByRole("heading", { name: "You are not signed in yet" }).waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    });
  }

  test("looking at a link, as programs that scan messages do, does not use it up", async () => {
    const link = await stage.dashboard.signInLink();
    for (const method of ["HEAD", "GET"]) {
      const looked = await fetch(link, { method, headers: { "sec-purpose": "prefetch" } });
      assert.equal(looked.status, 200);
      await looked.body?.cancel();
    }
    {
      await using scanner = await stage.browser.visit(link);
      await scanner.page.waitForLoadState("networkidle");
      await scanner.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    }
    await using visit = await stage.browser.visit(link);
    await pressSignIn(visit.page);
    await visit.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  test("an unknown link and a page without a session say how to get one", async () => {
    await using unknown = await stage.browser.visit(`${stage.dashboard.url}/sign-in/nobody`, { expected: REFUSED });
    await pressSignIn(unknown.page);
    await unknown.page.getByRole("heading", { name: "This link is not known here" }).waitFor();
    await using signedOut = await stage.browser.visit(`${stage.dashboard.url}/deliveries`, { expected: REFUSED });
    await signedOut.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await signedOut.page.getByText("npx --no bellwire dashboard-link").waitFor();
    await assertSound(signedOut.page);
  });

  test("signing out ends the session for every tab", async () => {
    await using visit = await stage.open("/settings/account", { expected: REFUSED });
    const { page } = visit;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await page.goto(`${stage.dashboard.url}/settings/verification`);
    await page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
  });
});

describe("a window whose browser signs somebody else in", () => {
  /** In another window of the same browser, which shares the cookie. */
  async function signInBeside({ page }: SignedIn, who: { readonly accountId: string; readonly person: string }) {
    const tab = await page.context().newPage();
    await tab.goto(await stage.dashboard.signInLink({ role: "owner", ...who }));
    await pressSignIn(tab);
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await tab.close();
    // A headless browser's windows are all looked at, so none is told that somebody comes back to it.
    await eventually("it knows who is signed in", async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return await page.getByText(who.person).first().isVisible();
    });
  }

  test("shows nothing that was typed by the one before, in the same account", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page, accountId } = visit;
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Typed by Ana");
    await signInBeside(visit, { accountId, person: "bo@example.com" });
    assert.equal(await name.inputValue(), "");
  });

  test("shows no row of the account that it had before", async () => {
    await using visit = await stage.open("/settings/alerts", { expected: REFUSED });
    const { page, accountId } = visit;
    await createAlert(stage.dashboard.app.accounts, { accountId, name: "CRM of Ana", url: "http://127.0.0.1:9/in" });
    await page.reload();
    await page.getByText("CRM of Ana").first().waitFor();
    await stage.dashboard.putAccount("other", "starter");
    const { promise: looked, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/dashboard\/alerts$/, async (route) => {
      await looked;
      await route.continue();
    });
    await signInBeside(visit, { accountId: "other", person: "bo@example.com" });
    assert.equal(await page.getByText("CRM of Ana").count(), 0);
    answer();
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
  });
});
