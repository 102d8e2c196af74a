/** The dashboard inside a product (test/kit/world/product.ts): one page, alone. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Frame } from "playwright-core";
import { newFolder } from "../../test/kit/folder.ts";
import { findOverflows, findViolations } from "../../test/kit/browser/axe.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { OWNERS_ACCOUNT } from "../../test/kit/world/dashboard.ts";
import { startProduct } from "../../test/kit/world/product.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";

const parts = new AsyncDisposableStack();
after(() => parts.disposeAsync());

/** The product's brand; in the dark theme its green is too dark for buttons, and is drawn lighter. */
const folder = parts.use(newFolder());
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#064"/></svg>';
writeFileSync(join(folder.path, "mark.svg"), MARK);
const brand = {
  BELLWIRE_BRAND_NAME: "Acme Hooks",
  BELLWIRE_BRAND_LOGO: join(folder.path, "mark.svg"),
  BELLWIRE_BRAND_COLOR: "#06452b",
};

const product = parts.use(await startProduct({ env: brand }));
const { service, dashboard } = product;
const receiver = parts.use(await startReceiver());
const makeLink = (page: string, theme: "light" | "dark"): Promise<string> => product.makeLink({ page, theme });

/** Alone: nothing of ours around it, and no link that leads out of it. */
async function assertAlone(frame: Frame): Promise<void> {
  assert.equal(await frame.getByRole("navigation").count(), 0);
  const hrefs = await frame.evaluate<string[]>(`[...document.querySelectorAll("a")].map((a) => a.pathname)`);
  assert.deepEqual(
    hrefs.filter((path) => !/^\/settings\/alerts(?:\/|$)/.test(path)),
    [],
  );
  assert.deepEqual(await findViolations(frame), []);
  assert.deepEqual(await findOverflows(frame), []);
}

/** A heading for screen readers alone is one pixel wide. */
async function headingWidth(frame: Frame, name: string): Promise<number> {
  const heading = frame.getByRole("heading", { level: 1, name });
  await heading.waitFor();
  return (await heading.boundingBox())?.width ?? 0;
}

/** Behind the answer to this very call, which would not come any more. */
const reload = (frame: Frame): Promise<unknown> =>
  Promise.all([frame.waitForNavigation(), frame.evaluate("void setTimeout(() => location.reload())")]);

describe("a page of the product's own site", () => {
  test("shows Settings → Alerts in its theme, signs in by link, and saves an alert", async () => {
    await using opened = await product.open(await makeLink("/settings/alerts", "dark"));
    const { context, page, frame, errors } = opened;
    await frame.getByRole("heading", { name: "No alerts yet" }).waitFor();
    assert.equal(await frame.evaluate("getComputedStyle(document.documentElement).colorScheme"), "dark");
    await assertAlone(frame);
    assert.ok((await headingWidth(frame, "Alerts")) <= 1, "a second heading below the product's own");

    await frame.getByRole("link", { name: "Create the first alert" }).click();
    assert.ok((await headingWidth(frame, "New alert")) > 1, "a page below says its name");
    await frame.getByLabel("Name", { exact: true }).fill("New leads");
    await frame.getByLabel("Webhook URL").fill(`${receiver.url}/leads`);
    await frame.getByRole("button", { name: "Test webhook" }).click();
    await frame.getByText("Your endpoint accepted the test.").waitFor();
    await frame.getByRole("button", { name: "Save", exact: true }).click();
    await frame.getByText("Saved.", { exact: true }).waitFor();
    await assertAlone(frame);
    await frame.getByRole("link", { name: "Back to alerts" }).click();
    const row = frame.getByRole("row", { name: /New leads/ });
    await row.getByText("No deliveries yet").waitFor();
    // News come into the frame by themselves.
    await product.call("demo-sessions", { ...demoViewed.example, id: uuid(1) });
    await row.getByText("Healthy").waitFor();
    await assertAlone(frame);

    const [cookie] = await context.cookies();
    assert.deepEqual(
      [cookie?.sameSite, cookie?.secure, cookie?.partitionKey],
      ["None", true, "https://product.example"],
    );
    await reload(frame);
    await frame.getByRole("row", { name: /New leads/ }).waitFor();
    await assertAlone(frame);
    assert.deepEqual(errors, []);

    // It is signed in inside of the product, and nowhere else.
    const own = await context.newPage();
    await own.goto(`${service}/settings/alerts`);
    await own.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await own.getByRole("link", { name: "Acme Hooks, overview" }).waitFor();
    assert.equal(await own.title(), "Sign in · Acme Hooks");
    assert.equal(await own.evaluate("document.querySelector('img[src$=brand-logo]').naturalWidth > 0"), true);
    for (const colorScheme of ["light", "dark"] as const) {
      await own.emulateMedia({ colorScheme });
      assert.deepEqual(await findViolations(own), []);
    }

    const { store, clock } = dashboard.app.accounts;
    const by = { person: "ana@example.com", role: "owner" } as const;
    await store.endSessions({ accountId: OWNERS_ACCOUNT, which: { kind: "all" }, by, nowMs: clock.nowMs() });
    await reload(frame);
    await frame.getByRole("heading", { name: "You are signed out" }).waitFor();
    await frame.getByText(/^Reload the page around this one/).waitFor();
    const heard = await page.evaluate<{ origin: string; data: unknown }[]>("heard");
    assert.deepEqual(
      heard.filter(({ data }) => typeof data === "string"),
      [{ origin: service, data: "bellwire:signed-out" }],
    );
    assert.deepEqual(await findViolations(frame), []);
  });

  test("is told what to do when its link was used", async () => {
    const link = await makeLink("/settings/alerts", "light");
    {
      await using first = await product.open(link);
      await first.frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    }
    await using again = await product.open(link);
    await again.frame.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    await again.frame.getByText(/^Reload the page around this one/).waitFor();
    assert.equal(await again.frame.evaluate("document.documentElement.dataset.theme"), "light");
  });
});

test("no other site can frame it, and its link stays unused", async () => {
  const link = await makeLink("/settings/alerts", "dark");
  const stranger = product.origin.replace("product", "stranger");
  {
    await using opened = await product.open(link, { origin: stranger });
    const { page, errors } = opened;
    while (!errors.some((text) => text.includes("frame-ancestors"))) await page.waitForEvent("console");
    assert.match(errors.join("\n"), new RegExp(`Framing '${service}/' violates .*frame-ancestors ${product.origin}`));
    assert.deepEqual(
      page.frames().filter((frame) => frame.url().startsWith(service)),
      [],
    );
  }
  await using opened = await product.open(link);
  await opened.frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
});
