/** All about one person: how many clicks it takes, what a support desk's link needs, sending again and erasing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { setDestinationState } from "../../src/accounts/set-destination-state.ts";
import { accept } from "../../src/delivery/accept.ts";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { REFUSED, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Who, pressSignIn, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { indexAll, putAlert, untilInLog } from "../../test/kit/browser/webhooks.ts";
import { findRequests, untilRows } from "../../test/kit/browser/log-page.ts";
import { eventually } from "../../test/kit/wait.ts";
import { toValue } from "../../test/kit/world/world.ts";

const JANE = "jane@acme.example";
const LINK = `/people#email=${encodeURIComponent(JANE)}`;
const ORDER = toDeclaration({ type: "order.paid", title: "Order paid", search: ["/customer"] });
const types = createEventTypes([ORDER]);

const { stage, receiver } = await setStageWithReceiver({ changes: { types } });

const PAUSED = { state: "paused", reason: "paused", by: { person: "ana@example.com", role: "owner" } } as const;

const folder = process.env["PEOPLE_PICTURES"];

const lead = (email: string, n: number) => ({
  lead: { id: `00000000-0000-4000-8000-00000000070${n}`, email, first_name: "Jane", last_name: "Roe" },
});

/** Three of hers, one of them of the product's own type, and one of somebody whose address has hers in it. */
async function open(path: string, who: Who = {}): Promise<SignedIn> {
  const visit = await stage.open("/settings/account", who);
  const { dashboard } = stage;
  const { accountId } = visit;
  await putAlert(dashboard, accountId, { name: "CRM", url: `${receiver.url}/crm` });
  await putAlert(dashboard, accountId, { name: "No level", url: `${receiver.url}/none`, intentLevels: ["none such"] });
  await dashboard.postSession(1, lead(JANE, 1), accountId);
  await dashboard.postSession(2, lead(`mary.${JANE}`, 2), accountId);
  await dashboard.postConversation(3, lead(JANE.toUpperCase(), 1), accountId);
  const order = toValue(
    types.find("order.paid")?.parse(JSON.stringify({ id: "o-17", customer: JANE })) ?? assert.fail(),
  );
  const { delivery: ctx, engine } = dashboard.app;
  toValue(await accept({ ctx, engine }, accountId, [order]));
  await untilInLog(dashboard, accountId, { status: "delivered", count: 2 });
  await indexAll(dashboard);
  await visit.page.goto(`${dashboard.url}${path}`);
  return visit;
}

async function untilAllOfJane(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1, name: JANE, exact: true }).waitFor();
  await page.getByRole("link", { name: /^Open/ }).nth(2).waitFor();
  assert.equal(await page.getByRole("link", { name: /^Open/ }).count(), 3);
  await page.getByText(/^Not sent to No level: /).waitFor();
  assert.equal(await page.getByText(`mary.${JANE}`).count(), 0);
}

/** What stands behind `#` reaches nobody. */
function assertInNoAddress(urls: readonly string[]): void {
  assert.deepEqual(
    urls.filter((url) => url.split("#")[0]?.includes("jane")),
    [],
  );
}

/** Addresses of all calls from now on. */
function listen(page: Page): string[] {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(decodeURIComponent(request.url())));
  return urls;
}

async function picture(page: Page, name: string): Promise<void> {
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

describe("all about a person", () => {
  test("a field and no click by the palette", async () => {
    await using visit = await open("/");
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(JANE);
    await page.getByRole("option", { name: `${JANE} Person`, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await untilAllOfJane(page);
  });

  test("neither by a support desk’s link, and no call has her address in its own", async () => {
    for (const look of [
      { scheme: "light", width: 1440 },
      { scheme: "dark", width: 390 },
      { scheme: "light", width: 320 },
    ] as const) {
      await using visit = await open("/settings/account", look);
      const { page } = visit;
      const urls = listen(page);
      await page.goto(`${stage.dashboard.url}${LINK}`);
      await untilAllOfJane(page);
      await assertSound(page);
      await picture(page, `people-${look.width}-${look.scheme}`);
      assert.ok(urls.some((url) => url.endsWith("/dashboard/people")));
      assertInNoAddress(urls);
    }
  });

  test("nor by a search for her, in the palette and in each list: no call has her address in its own", async () => {
    await using visit = await open("/");
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const urls = listen(page);
    for (const list of ["Deliveries", "Sessions"]) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(JANE);
      await page.getByRole("option", { name: `${list} with “${JANE}”` }).click();
      await page.getByLabel(`Search ${list.toLowerCase()}`).waitFor();
      assert.equal(await page.getByLabel(`Search ${list.toLowerCase()}`).inputValue(), JANE);
      await page.getByRole("link", { name: `All events of ${JANE}` }).waitFor();
      await page.reload();
      await page.getByRole("link", { name: `All events of ${JANE}` }).waitFor();
    }
    await page.goto(`${stage.dashboard.url}/settings/activity`);
    const sent = page.waitForRequest((request) => "x-bellwire-search" in request.headers());
    await page.getByRole("searchbox").fill(JANE);
    await sent;
    assert.ok(urls.filter((url) => url.includes("/dashboard/")).length > 10);
    assertInNoAddress(urls);
    // An old link has said it already; from then on it does not.
    await page.goto(`${stage.dashboard.url}/deliveries?tests=1&q=${JANE}`);
    await page.waitForURL(/\/deliveries\?tests=1#q=jane/);
    await page.getByRole("link", { name: `All events of ${JANE}` }).waitFor();
  });

  test("a link keeps her while somebody signs in", async () => {
    await using known = await open("/");
    const { accountId } = known;
    {
      await using visit = await stage.browser.visit(`${await stage.dashboard.signInLink({ accountId })}#email=${JANE}`);
      await pressSignIn(visit.page);
      await untilAllOfJane(visit.page);
    }
    await using desk = await stage.browser.visit(`${stage.dashboard.url}${LINK}`, { expected: REFUSED });
    await desk.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    const other = await desk.page.context().newPage();
    await other.goto(await stage.dashboard.signInLink({ accountId }));
    await pressSignIn(other);
    await other.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await desk.page.reload();
    await untilAllOfJane(desk.page);
  });

  test("a click from what a search has found, and from a delivery of hers", async () => {
    await using visit = await open(`/deliveries?q=${JANE}`);
    const { page } = visit;
    await page.getByRole("link", { name: `All events of ${JANE}` }).click();
    await untilAllOfJane(page);
    await page.getByRole("table").first().getByRole("link").first().click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("link", { name: JANE, exact: false }).last().click();
    await untilAllOfJane(page);
  });
});

describe("a person’s page", () => {
  test("is asked for again after half a minute, however much comes", async () => {
    await using visit = await open(LINK);
    const { page, accountId } = visit;
    await untilAllOfJane(page);
    await page.getByText("Live", { exact: true }).first().waitFor();
    const other = await page.context().newPage();
    await other.goto(`${stage.dashboard.url}/deliveries`);
    await untilRows(other, 2);
    await page.bringToFront();
    await page.clock.install();
    const urls = listen(page);
    const questions = () => urls.filter((url) => url.endsWith("/dashboard/people")).length;
    for (const number of [4, 5]) {
      await stage.dashboard.postSession(number, lead(JANE, 1), accountId);
      // The browser's windows share a stream: the other one is told when this one is.
      await untilRows(other, number - 1);
      await page.clock.fastForward(5_000);
      await page.evaluate("fetch('/healthz').then(({ status }) => status)");
      assert.equal(questions(), 0);
    }
    await indexAll(stage.dashboard);
    await page.clock.fastForward(21_000);
    await page.getByRole("link", { name: /^Open/ }).nth(4).waitFor();
    assert.equal(questions(), 1);
  });

  test("sends again what an owner asks for, once they have seen how much it is", async () => {
    await using visit = await open(LINK);
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { name: "Down", url: `${receiver.url}/paused` }).then((destinationId) =>
      setDestinationState(stage.dashboard.app.accounts, { accountId, destinationId, ...PAUSED }),
    );
    await untilAllOfJane(page);
    const urls = listen(page);
    const before = findRequests(receiver, "/crm").length;
    await page.getByRole("button", { name: "Send again everything…" }).click();
    await page.waitForURL(/\/replays\/rpl_/);
    assert.equal(findRequests(receiver, "/crm").length, before);
    await page.getByRole("button", { name: "Send 1", exact: true }).click();
    await eventually("hers is sent again", () => findRequests(receiver, "/crm").length === before + 1);
    await page.getByText(JANE, { exact: true }).waitFor();
    await page.getByRole("link", { name: "View its deliveries" }).click();
    await untilAllOfJane(page);
    assertInNoAddress(urls);
  });

  test("erases her for an owner, says what that was, and has nothing of her then", async () => {
    await using visit = await open(LINK, { width: 390, scheme: "dark" });
    const { page } = visit;
    await untilAllOfJane(page);
    const urls = listen(page);
    await page.getByRole("button", { name: "Erase this person…" }).click();
    const dialog = page.getByRole("alertdialog", { name: `Erase ${JANE}?` });
    await dialog.getByText(/This can’t be taken back/).waitFor();
    await assertSound(page);
    await picture(page, "erase-390-dark");
    await dialog.getByRole("button", { name: "Erase this person" }).click();
    await page.getByText("Events without their bodies now: 3").waitFor();
    await page.getByRole("heading", { name: "No event has this address" }).waitFor();
    await assertSound(page);
    await picture(page, "erased-390-dark");
    assertInNoAddress(urls);
    const field = page.getByLabel("E-mail address");
    await field.fill(`ary.${JANE}`);
    await page.getByRole("heading", { level: 1, name: `ary.${JANE}`, exact: true }).waitFor();
    // The caret stays where it was put, while the page below follows what is typed.
    await field.press("Home");
    await page.keyboard.type("m");
    await page.getByRole("heading", { level: 1, name: `mary.${JANE}`, exact: true }).waitFor();
    await page.getByRole("link", { name: /^Open/ }).first().waitFor();
    await page.keyboard.type("-");
    assert.equal(await field.inputValue(), `m-ary.${JANE}`);
  });

  test("shows a viewer all, and sends and erases nothing for them", async () => {
    await using visit = await open(LINK, { role: "viewer", person: "vic@example.com" });
    const { page } = visit;
    await untilAllOfJane(page);
    for (const name of ["Send again what did not arrive…", "Send again everything…", "Erase this person…"]) {
      const button = page.getByRole("button", { name });
      assert.equal(await button.getAttribute("aria-disabled"), "true");
      await button.focus();
      await page.keyboard.press("Enter");
    }
    assert.equal(await page.getByRole("alertdialog").count(), 0);
    assert.equal(new URL(page.url()).pathname, "/people");
  });
});
