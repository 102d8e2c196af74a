/** A frame that is its product's own (test/kit/world/product.ts): its looks, tabs and height, and what is typed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import type { Embed } from "../../src/accounts/dashboard-link.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";
import { findOverflows, findViolations } from "../../test/kit/browser/axe.ts";
import { settled } from "../../test/kit/browser/page-facts.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { type Opened, startProduct } from "../../test/kit/world/product.ts";
import { eventually } from "../../test/kit/wait.ts";
import { uuid } from "../../test/kit/world/world.ts";

const parts = new AsyncDisposableStack();
after(() => parts.disposeAsync());

const DARK = { background: "#17130f", surface: "#211b15", text: "#efe6d8", accent: "#a3471d" } as const;
const LOOKS: Readonly<Record<string, Embed["look"]>> = {
  "a dark product with a serif font": { ...DARK, radius: 2, font: "serif", dense: true, transparent: true },
  "a light product with rounded cards": {
    background: "#f4f1ea",
    surface: "#fffdf7",
    text: "#3b2f4a",
    accent: "#7a3ff2",
    radius: 24,
    font: "rounded",
  },
};

const product = parts.use(await startProduct());
const receiver = parts.use(await startReceiver());

const TABS = ["/settings/alerts", "/deliveries"] as const;
const embed = (look: Embed["look"], page = "/settings/alerts"): Embed => ({ page, tabs: TABS, look });

/** An alert, and what it has sent. */
before(async () => {
  await using opened = await product.open(await product.makeLink(embed({})));
  const { frame } = opened;
  await frame.getByRole("link", { name: "Create the first alert" }).click();
  await frame.getByLabel("Name", { exact: true }).fill("New leads");
  await frame.getByLabel("Webhook URL").fill(`${receiver.url}/leads`);
  await frame.getByRole("button", { name: "Save", exact: true }).click();
  await frame.getByText("Saved.", { exact: true }).waitFor();
  for (let number = 1; number <= 3; number += 1) {
    await product.call("demo-sessions", { ...demoViewed.example, id: uuid(number) });
  }
});

/** Neither the frame nor anything in it has a bar to scroll; the page around it has the one there is. */
const findBars = (frame: Frame): Promise<string[]> =>
  frame.evaluate<string[]>(`[...document.querySelectorAll("*")].filter((element) => {
    const { overflowY } = getComputedStyle(element);
    const scrolls = element === document.documentElement ? overflowY !== "hidden" : /auto|scroll/.test(overflowY);
    return scrolls && element.scrollHeight > element.clientHeight + 1;
  }).map((element) => element.outerHTML.slice(0, 120))`);

/** On the ground that shows through a transparent frame, which axe cannot see. */
async function findFaults(frame: Frame): Promise<string[]> {
  await frame.evaluate(`document.body.style.setProperty("background", "var(--color-canvas)")`);
  const found = [...(await findOverflows(frame)), ...(await findViolations(frame))];
  await frame.evaluate(`document.body.style.removeProperty("background")`);
  return found;
}

/** Behind the frame's own word of its height. */
async function settle(page: Page, frame: Frame): Promise<void> {
  await page.waitForFunction("heard.some(({ data }) => data.type === 'bellwire:height')");
  const isEven = `document.documentElement.scrollHeight === innerHeight`;
  // The frame's policy forbids what `waitForFunction` does in it.
  while (!(await frame.evaluate<boolean>(isEven))) await page.evaluate("new Promise(requestAnimationFrame)");
}

describe("the frame of", () => {
  for (const [name, look] of Object.entries(LOOKS)) {
    test(`${name} has its looks, on each of its pages and sizes`, async () => {
      await using opened = await product.open(await product.makeLink(embed(look)));
      const { page, frame, errors } = opened;
      const scheme = name.includes("dark") ? "dark" : "light";
      const css = `color-scheme: ${scheme}; background: ${look?.background}; color: ${look?.text}`;
      await page.addStyleTag({ content: `:root { ${css}; font-family: ${look?.font}; }` });
      for (const [width, height] of [
        [1100, 800],
        [390, 800],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const tab of ["Alerts", "Deliveries"]) {
          await frame.getByRole("link", { name: tab, exact: true }).click();
          await frame.getByRole("heading", { level: 1, name: tab }).waitFor();
          await frame.getByText("New leads").first().waitFor();
          await assertFine(opened, `${name} ${tab} ${width}`);
        }
        await frame.getByRole("link", { name: "Alerts", exact: true }).click();
        await frame.getByRole("link", { name: "Create alert", exact: true }).click();
        await frame.getByLabel("Webhook URL").fill(`${receiver.url}/a`);
        await frame.getByRole("button", { name: "Test webhook" }).click();
        await frame.getByText("Your endpoint accepted the test.").waitFor();
        await assertFine(opened, `${name} form ${width}`);
        await frame.getByRole("link", { name: "Cancel" }).click();
        await frame.getByRole("button", { name: "Discard changes" }).click();
      }
      assert.deepEqual(errors, []);
    });
  }
});

/** `E2E_PICTURES` is a folder for pictures to look at. */
async function assertFine({ page, frame }: Opened, what: string): Promise<void> {
  await settle(page, frame);
  assert.deepEqual(await findBars(frame), [], what);
  assert.deepEqual(await findFaults(frame), [], what);
  const folder = process.env["E2E_PICTURES"];
  if (folder !== undefined) {
    await page.screenshot({ path: join(folder, `${what.replaceAll(" ", "-")}.png`), fullPage: true });
  }
}

describe("a frame with tabs", () => {
  test("leads to the pages of its tabs, and to no other", async () => {
    await using opened = await product.open(await product.makeLink(embed({}, "/deliveries")));
    const { frame, errors } = opened;
    await frame.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    const tabs = frame.getByRole("navigation", { name: "Main" });
    assert.deepEqual(await tabs.getByRole("link").allTextContents(), ["Alerts", "Deliveries"]);
    assert.equal(await tabs.locator("[aria-current=page]").textContent(), "Deliveries");
    await frame
      .getByRole("link", { name: /New leads/ })
      .first()
      .waitFor();
    const paths = await frame.evaluate<string[]>(`[...document.querySelectorAll("a")].map((a) => a.pathname)`);
    assert.deepEqual(
      paths.filter((path) => !/^\/(?:settings\/alerts|deliveries|dashboard\/export)(?:\/|$)/.test(path)),
      [],
    );
    await frame.evaluate("void setTimeout(() => location.reload())");
    await frame.waitForNavigation();
    await tabs.getByRole("link", { name: "Alerts" }).click();
    await frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    assert.equal(await tabs.locator("[aria-current=page]").textContent(), "Alerts");
    assert.deepEqual(errors, []);
  });

  test("shows a dialog in the part that is seen of it", async () => {
    await using opened = await product.open(await product.makeLink(embed({})));
    const { page, frame, errors } = opened;
    await page.setViewportSize({ width: 1000, height: 500 });
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    await frame.getByLabel("Name", { exact: true }).fill("Half");
    // So high that its middle is far from what is seen at its end.
    for (const fold of ["Body: Event", "Authentication, rate and order", "Only some sessions"]) {
      await frame.getByText(fold).click();
    }
    await settle(page, frame);
    const cancel = frame.getByRole("link", { name: "Cancel" });
    await cancel.scrollIntoViewIfNeeded();
    await cancel.click();
    const dialog = frame.getByRole("alertdialog", { name: "Discard changes?" });
    await dialog.waitFor();
    // Of the page around, in pixels: the frame is higher than the window.
    let box = await dialog.boundingBox();
    while (box === null || box.y < 0 || box.y + box.height > 500) {
      await page.evaluate("new Promise(requestAnimationFrame)");
      box = await dialog.boundingBox();
    }
    assert.ok((await frame.evaluate<number>("innerHeight")) > 1_200);
    assert.deepEqual(errors, []);
  });

  test("and there, too, the bar of what is selected", async () => {
    await using opened = await product.open(await product.makeLink(embed({})));
    const { page, frame, errors } = opened;
    await page.setViewportSize({ width: 1000, height: 400 });
    await frame.getByRole("checkbox", { name: "Select New leads", exact: true }).check();
    await settle(page, frame);
    const bar = frame.getByRole("region", { name: "Selected alerts" });
    let box = await bar.boundingBox();
    while (box === null || box.y < 0 || box.y + box.height > 400) {
      await page.evaluate("new Promise(requestAnimationFrame)");
      box = await bar.boundingBox();
    }
    assert.ok((await frame.evaluate<number>("innerHeight")) >= 480);
    assert.deepEqual(errors, []);
  });
});

describe("a frame's height", () => {
  const heightOf = (frame: Frame): Promise<number> =>
    frame.evaluate("Math.ceil(document.getElementById('root').getBoundingClientRect().height)");
  const framesPass = ({ page }: Opened): Promise<unknown> =>
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

  test("follows from what is on the page and its width, never from how high the frame is", async () => {
    await using opened = await product.open(await product.makeLink(embed({}, "/deliveries")));
    const { page, frame } = opened;
    await page.setViewportSize({ width: 1300, height: 700 });
    const places = {
      "a delivery beside the list": async () => {
        await frame.getByRole("row").nth(1).getByRole("link").first().click();
        await frame.waitForURL(/dlv_/);
      },
      "a list": () => frame.getByRole("link", { name: "Alerts", exact: true }).click(),
      "a form": () => frame.getByRole("link", { name: "Create alert", exact: true }).click(),
    };
    for (const [name, go] of Object.entries(places)) {
      await go();
      await frame.getByText("New leads").or(frame.getByLabel("Webhook URL")).first().waitFor();
      await settled(frame);
      await settle(page, frame);
      const height = await heightOf(frame);
      for (const other of [480, height + 300, 3 * height]) {
        await page.evaluate(`frame.style.height = "${other}px"`);
        await framesPass(opened);
        assert.equal(await heightOf(frame), height, `${name} in a frame of ${other} px`);
      }
      await page.evaluate(`frame.style.height = "${height}px"`);
    }
  });
});

describe("what is typed into a form", () => {
  const KEPT = `Object.entries(sessionStorage).find(([key]) => key.startsWith("bellwire.typed"))?.[1] ?? null`;
  const bring = async ({ page }: Opened, link: string): Promise<void> => {
    await page.evaluate(`frame.src = ${JSON.stringify(link)}`);
  };

  test("is there again behind a new link, but for secrets, until it is saved", async () => {
    await using opened = await product.open(await product.makeLink(embed({})));
    const { frame, errors } = opened;
    // No cookie of another site is kept here, and the frame works all the same.
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    assert.equal(await frame.evaluate(`document.cookie = "probe=1; SameSite=None; Secure"; document.cookie`), "");
    const name = frame.getByLabel("Name", { exact: true });
    await name.fill("Half an alert");
    await frame.getByLabel("Webhook URL").fill(`${receiver.url}/half`);
    await frame.getByRole("button", { name: "Add header" }).click();
    await frame.getByLabel("Name of header 1").fill("X-Api-Key");
    await frame.getByLabel("Value of header 1").fill("sk_live_frame");
    assert.match(await frame.evaluate<string>(KEPT), /Half an alert/);
    assert.doesNotMatch(await frame.evaluate<string>("JSON.stringify(sessionStorage)"), /sk_live/);

    await bring(opened, await product.makeLink(embed(LOOKS["a dark product with a serif font"])));
    await frame.getByText("What you typed is here again").waitFor();
    await frame.getByText(/enter them again: X-Api-Key/).waitFor();
    assert.equal(await name.inputValue(), "Half an alert");
    assert.equal(await frame.getByLabel("Webhook URL").inputValue(), `${receiver.url}/half`);
    assert.equal(await frame.evaluate("document.documentElement.dataset.theme"), "dark");
    assert.deepEqual(await findFaults(frame), []);

    // Nobody else sees it.
    await bring(opened, await product.makeLink(embed({}), "ben@example.com"));
    await frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    assert.equal(await frame.evaluate(KEPT), null);

    await bring(opened, await product.makeLink(embed({}, "/settings/alerts")));
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    await name.fill("A whole alert");
    await bring(opened, await product.makeLink(embed({})));
    await frame.getByText("What you typed is here again").waitFor();
    await frame.getByLabel("Webhook URL").fill(`${receiver.url}/half`);
    await frame.getByRole("button", { name: "Save", exact: true }).click();
    await frame.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await frame.evaluate(KEPT), null);
    assert.deepEqual(errors, []);
  });

  test("is gone once it is given up", async () => {
    await using opened = await product.open(await product.makeLink(embed({})));
    const { frame } = opened;
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    await frame.getByLabel("Name", { exact: true }).fill("Given up");
    await frame.getByRole("link", { name: "Cancel" }).click();
    await frame.getByRole("button", { name: "Discard changes" }).click();
    await frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    assert.equal(await frame.evaluate(KEPT), null);
    await bring(opened, await product.makeLink(embed({})));
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    assert.equal(await frame.getByLabel("Name", { exact: true }).inputValue(), "");
  });
});

describe("two frames of one tab", () => {
  const ALERTS = embed({ background: "#f4f1ea" }, "/settings/alerts");
  const DELIVERIES = embed(DARK, "/deliveries");
  const bringTo = (frame: Frame, link: string): Promise<unknown> =>
    Promise.all([frame.waitForNavigation(), frame.evaluate(`void setTimeout(() => location.assign("${link}"))`)]);
  const name = (frame: Frame) => frame.getByLabel("Name", { exact: true });
  const typeInto = async (frame: Frame, text: string): Promise<void> => {
    await frame.getByRole("link", { name: "Alerts", exact: true }).click();
    await frame.getByRole("link", { name: "Create alert", exact: true }).click();
    await name(frame).fill(text);
  };

  /** Below the first one, signed in by a link of its own. */
  async function openSecond({ page }: Opened, link: string): Promise<Frame> {
    const added = page.waitForEvent("frameattached");
    await page.evaluate(`{
      const second = Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(link)}, title: "Second" });
      document.body.append(second);
    }`);
    return await added;
  }

  test("keep what each was made for, and what is typed into each", async () => {
    await using opened = await product.open(await product.makeLink(ALERTS));
    const { frame: first, errors } = opened;
    await first.getByText("New leads").first().waitFor();
    const second = await openSecond(opened, await product.makeLink(DELIVERIES));
    await second.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    await typeInto(first, "In the first");
    await typeInto(second, "In the second");
    assert.equal(await name(first).inputValue(), "In the first");

    // The first loads again: it is what it was.
    await Promise.all([first.waitForNavigation(), first.evaluate("void setTimeout(() => location.reload())")]);
    await first.getByText("What you typed is here again").waitFor();
    assert.equal(await name(first).inputValue(), "In the first");
    assert.equal(await first.evaluate("document.documentElement.dataset.embed"), "/settings/alerts");

    await bringTo(second, await product.makeLink(DELIVERIES));
    await second.getByText("What you typed is here again").waitFor();
    assert.equal(await name(second).inputValue(), "In the second");
    await bringTo(first, await product.makeLink(ALERTS));
    await first.getByText("What you typed is here again").waitFor();
    assert.equal(await name(first).inputValue(), "In the first");

    // What is given up in one is not given up in the other.
    await second.getByRole("link", { name: "Cancel" }).click();
    await second.getByRole("button", { name: "Discard changes" }).click();
    await bringTo(first, await product.makeLink(ALERTS));
    await first.getByText("What you typed is here again").waitFor();
    assert.deepEqual(errors, []);
  });

  test("show nothing of one person to another, whichever of them has the new link", async () => {
    await using opened = await product.open(await product.makeLink(ALERTS));
    const { frame: first } = opened;
    await typeInto(first, "Typed by Ana");
    const second = await openSecond(opened, await product.makeLink(DELIVERIES));
    await typeInto(second, "Typed by Ana, too");

    await bringTo(second, await product.makeLink(DELIVERIES, "ben@example.com"));
    await second.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    assert.doesNotMatch(await second.evaluate<string>("JSON.stringify(sessionStorage)"), /Typed by Ana/);
    // One cookie: the first is Ben's as well, whenever it asks.
    await eventually("nothing of hers is there", async () => {
      await first.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return (await name(first).inputValue()) === "";
    });
    assert.doesNotMatch(await second.evaluate<string>("JSON.stringify(sessionStorage)"), /Typed by Ana/);
    await bringTo(first, await product.makeLink(ALERTS, "ben@example.com"));
    await first.getByText("New leads").first().waitFor();
    assert.equal(await first.getByText("What you typed").count(), 0);
  });
});
