/** The walk of docs/events.md as a new user does it: its own commands, and its clicks in a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser } from "../../test/kit/browser/browser.ts";
import { pressSignIn } from "../../test/kit/browser/stage.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { startChild } from "../../test/kit/process/child.ts";
import { BIN, freePort } from "../../test/kit/process/running.ts";
import { parseBlocks, readPages } from "../../test/doc-pages.ts";
import { envIn, makeTools, runScript } from "../../test/doc-stage.ts";

const STEPS_MAX = 12;
const MS_MAX = 5 * 60_000;

/** Each block of the page has one command. */
const [declare = "", start = "", listen = "", send = "", post = ""] = parseBlocks(
  readPages().find(({ path }) => path === "docs/events.md") ?? { path: "", text: "" },
).map(({ commands }) => commands.join("\n"));

const settingsOf = (command: string): Record<string, string> =>
  Object.fromEntries(
    [...command.matchAll(/\b(BELLWIRE_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
  );

test("an empty folder becomes a verified webhook in twelve commands and clicks", { timeout: MS_MAX }, async () => {
  using folder = newFolder();
  makeTools(folder.path);
  const [port, receiverPort] = [await freePort(), await freePort()];
  const here = (text: string): string => text.replaceAll("7071", String(receiverPort)).replaceAll("7070", String(port));
  const env = envIn(folder.path, String(port));
  const steps: string[] = [];
  const step = async <Value>(name: string, done: Promise<Value>): Promise<Value> => {
    steps.push(name);
    return await done;
  };
  const run = async (command: string): Promise<string> => {
    const { code, output } = await runScript([here(command)], { cwd: folder.path, env });
    assert.equal(code, 0, output);
    return output;
  };

  await step("declare", run(declare));
  assert.match(start, / npm start$/);
  const settings = { ...settingsOf(here(start)), BELLWIRE_PORT: String(port) };
  await using service = startChild({ args: [BIN, "serve"], cwd: folder.path, env: settings });
  const [, link = ""] = await step("start", service.err.match(/^ {2}Sign-in link {3}(\S+)/));
  await using browser = await openBrowser();
  await using visit = await step("open the link", browser.visit(link));
  const { page } = visit;
  await step("Sign in", pressSignIn(page));
  await step("Verification", page.getByRole("link", { name: "Verification", exact: true }).click());
  const current = page.getByRole("group", { name: "Current secret" });
  await step("Reveal", current.getByRole("button", { name: "Reveal" }).click());
  const secret = (await current.getByText(/^whsec_[\w+/=]+$/).textContent()) ?? "";

  const words = here(listen.replace("whsec_…", secret)).split(" ").slice(3);
  await using receiver = startChild({ args: [BIN, ...words, "--port", String(receiverPort)], cwd: folder.path });
  await step("listen", receiver.err.match(/^Listening at /));

  await step("Webhooks", page.getByRole("link", { name: "Webhooks", exact: true }).click());
  await step("Create", page.getByRole("link", { name: "Create the first webhook" }).click());
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await step("Add Order paid", page.getByRole("button", { name: "Add Order paid" }).click());
  await page.getByLabel("Webhook URL").fill(here("http://127.0.0.1:7071"));
  await step("Save", page.getByRole("button", { name: "Save", exact: true }).click());
  await page.getByText("Saved.", { exact: true }).waitFor();

  assert.match(await step("send", run(send)), /^✓ .* 1 delivery$/m);
  await receiver.out.match(/^✓ .* order_paid +ada@example\.com · Analytical engine$/);
  assert.ok(steps.length <= STEPS_MAX, `${steps.length}: ${steps.join(", ")}`);

  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await page.getByText("ada@example.com").first().waitFor();
  assert.match(await run(post), /"deliveries":1/);
  await receiver.out.match(/^✓ .* order_paid +order-2 · grace@example\.com$/);
});
