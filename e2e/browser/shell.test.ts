import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { after, before, describe, test } from "node:test";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Stage, setStage, pressSignIn, type Who } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const EVERYWHERE = [
  ["/", "Overview"],
  ["/deliveries", "Deliveries"],
  ["/audience/sessions", "Sessions"],
  ["/settings/alerts", "Alerts"],
  ["/settings/verification", "Verification"],
  ["/events", "Event catalog"],
  ["/settings/account", "Account"],
] as const;

describe("the shell", () => {
  test("by keyboard: the first stop skips to the content, and a followed link reads its heading", async () => {
    await using visit = await stage.open("/");
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Tab");
    await assertFocused(page.getByRole("link", { name: "Skip to content" }));
    await page.keyboard.press("Enter");
    await assertFocused(page.getByRole("main"));
    await page.getByRole("link", { name: "Event catalog" }).click();
    await page.getByRole("heading", { level: 1, name: "Event catalog" }).waitFor();
    assert.match(await page.title(), /^Event catalog · /);
  });

  test("the current page can be told where colours are forced", async () => {
    await using visit = await stage.open("/");
    const { page } = visit;
    await page.emulateMedia({ forcedColors: "active" });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const outline = (which: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("nav a${which}")).outlineStyle`);
    assert.equal(await outline("[aria-current=page]"), "solid");
    assert.equal(await outline(":not([aria-current])"), "none");
  });

  test("on a small screen the rail is a menu that gives the focus back", async () => {
    await using visit = await stage.open("/", { width: 320, height: 640 });
    const { page } = visit;
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    await menu.click();
    const drawer = page.getByRole("dialog", { name: "Menu" });
    await drawer.getByRole("link", { name: "Deliveries" }).waitFor();
    await assertSound(page);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await assertFocused(menu);
  });

  test("the theme that somebody chose is there before the first paint of the next visit", async () => {
    await using visit = await stage.open("/settings/account");
    const { page } = visit;
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.reload();
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
    const ground = String(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
    assert.equal(ground, "rgb(14, 17, 22)");
  });

  test("a page behind a link of the rail, and an empty list on it, are told to readers of the screen", async () => {
    await using visit = await stage.open("/");
    const { page } = visit;
    const told = (text: RegExp) => page.getByRole("status").filter({ hasText: text });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(await told(/^Overview$/).count(), 0);
    const link = page.getByRole("link", { name: "Sessions", exact: true });
    await link.focus();
    await page.keyboard.press("Enter");
    await told(/^(Sessions|No sessions yet)$/).waitFor();
    await page.getByRole("link", { name: "Deliveries", exact: true }).press("Enter");
    await told(/^No deliveries yet$/).waitFor();
  });

  test("opens each page in a browser that refuses storage, workers, the clipboard and notifications", async () => {
    await using visit = await stage.open("/");
    const { page } = visit;
    await page.addInitScript(`
      const refuse = () => { throw new DOMException("The operation is insecure.", "SecurityError"); };
      for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"]) {
        Object.defineProperty(globalThis, name, { get: refuse });
      }
      for (const name of ["SharedWorker", "Worker", "BroadcastChannel", "Notification"]) {
        Object.defineProperty(globalThis, name, { value: class { constructor() { refuse(); } } });
      }
      for (const name of ["clipboard", "locks", "permissions", "serviceWorker"]) {
        Object.defineProperty(navigator, name, { get: refuse });
      }
    `);
    for (const [path, title] of EVERYWHERE) {
      await page.goto(`${stage.dashboard.url}${path}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    }
    await page.getByRole("radio", { name: "Dark" }).check();
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
  });

  test("an address with nothing at it says so", async () => {
    await using visit = await stage.open("/settings/nothing/here", { expected: REFUSED });
    await visit.page.getByRole("heading", { name: "There is no such page" }).waitFor();
  });
});

describe("a page that cannot be loaded", () => {
  const LOST = [/Failed to (?:load resource|fetch)/, /dynamically imported module/];

  /** In a browser that was told to save data, which loads no page ahead. */
  async function openSaving(who: Who): Promise<SignedIn> {
    const visit = await stage.open("/", who);
    await visit.page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
    await visit.page.reload();
    return visit;
  }

  test("says that the connection was lost, and comes back with it", async () => {
    await using visit = await openSaving({ expected: LOST });
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Event catalog" }).click();
    await page.getByRole("heading", { name: "The connection was lost" }).waitFor();
    assert.equal(await page.getByText("new version").count(), 0);
    await assertSound(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "The connection was lost" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Event catalog" }).waitFor();
  });

  test("says that there is a new version where the service has one", async () => {
    await using visit = await openSaving({ expected: [...LOST, ...REFUSED] });
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    // As after an update: the part of the page is gone, and the document names other scripts.
    await page.route(/assets\/events-/, (route) => route.fulfill({ status: 404 }));
    await page.route(`${stage.dashboard.url}/`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: '<script type="module" src="/assets/index-other.js"></script><div id="root">',
      }),
    );
    await page.getByRole("link", { name: "Event catalog" }).click();
    await page.getByRole("heading", { name: "A new version is ready" }).waitFor();
    await page.getByRole("button", { name: "Reload" }).waitFor();
  });
});

test("a session that is not there says so, and leads back instead of asking again", async () => {
  const path = "/audience/sessions/00000000-0000-4000-8000-00000000dead";
  await using visit = await stage.open(path, { expected: REFUSED });
  const { page } = visit;
  await page.getByRole("heading", { name: "We couldn’t find this session" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  await assertSound(page);
  await page.getByRole("link", { name: "Back to Sessions" }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
});

test("the playground counts the fields that are refused, and lists each with its reason", async () => {
  await using open = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
  await using visit = await open.open("/playground", { expected: REFUSED });
  const { page } = visit;
  await page.getByLabel("Record", { exact: true }).fill('{ "id": 7 }');
  await page.getByRole("button", { name: "Send session" }).click();
  const told = await page.getByText(/^Not sent: \d+ fields of the record must be changed\.$/).textContent();
  const listed = await page.getByRole("form").or(page.locator("form")).locator("ul li").count();
  assert.equal(Number(/\d+/.exec(told ?? "")), listed);
  assert.equal(await page.getByText(/listed in errors/).count(), 0);
});

describe("where it is served", () => {
  test("below a path of its host, everything works under that path", async () => {
    await using below = await setStage({ env: { BELLWIRE_PUBLIC_URL: "http://127.0.0.1:1/tools/bellwire" } });
    const { port } = below.dashboard;
    const link = (await below.dashboard.signInLink()).replace("http://127.0.0.1:1/", `http://127.0.0.1:${port}/`);
    await using visit = await below.browser.visit(link);
    const { page } = visit;
    await pressSignIn(page);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.getByRole("link", { name: "Alerts" }).click();
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    await page.waitForURL((url) => url.pathname === "/tools/bellwire/settings/alerts");
    await page.reload();
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
  });

  test("over plain http on a network address, where a browser keeps the clipboard and more to itself", async (t) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((candidate) => candidate?.family === "IPv4" && !candidate.internal)?.address;
    if (address === undefined) return t.skip("this machine has no network address of its own");
    await using open = await setStage({ env: { BELLWIRE_HOST: "0.0.0.0" } });
    const link = (await open.dashboard.signInLink()).replace(/\/\/[^/]+/, `//${address}:${open.dashboard.port}`);
    await using visit = await open.browser.visit(link);
    const { page } = visit;
    await pressSignIn(page);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(await page.evaluate("isSecureContext"), false);
    await page.goto(`http://${address}:${open.dashboard.port}/settings/verification`);
    await page.getByRole("button", { name: "Copy", exact: true }).first().click();
    await page.getByText("Copied").first().waitFor();
  });
});
