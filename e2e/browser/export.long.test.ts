/** The log as a file: one click, exactly what is filtered, and nothing in it that a spreadsheet would run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { untilRows } from "../../test/kit/browser/log-page.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

async function download(page: Page, name: string, role: "link" | "menuitem" = "link"): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole(role, { name }).click()]);
  assert.match(file.suggestedFilename(), /^deliveries-\d{4}-\d\d-\d\d(\(\d\))?\.(csv|ndjson)$/);
  return readFileSync(await file.path(), "utf8");
}

test("what the log shows is exported, with quotes, umlauts and formulas as the text that they are", async () => {
  receiver.script = ({ path }) => ({ status: path === "/refuses" ? 400 : 200 });
  await using visit = await stage.open("/deliveries", { width: 1_280 });
  const { page, accountId } = visit;
  const { app } = stage.dashboard;
  await createAlert(app.accounts, { accountId, name: 'The "best", Zoë', url: `${receiver.url}/takes` });
  await createAlert(app.accounts, { accountId, name: "=cmd|'/c calc'!A0", url: `${receiver.url}/refuses` });
  await stage.dashboard.postSessions(3, accountId);
  await page.goto(`${stage.dashboard.url}/deliveries?status=failed`);
  await untilRows(page, 3);
  const failed = await download(page, "Export CSV");
  assert.ok(failed.startsWith("\ufeffAccepted at,Status,"));
  const lines = failed.trimEnd().split("\r\n").slice(1);
  assert.equal(lines.length, 3);
  for (const line of lines) assert.match(line, /,failed,demo_viewed,'=cmd\|'\/c calc'!A0,http/);

  await page.goto(`${stage.dashboard.url}/deliveries`);
  await untilRows(page, 6);
  assert.equal((await download(page, "Export CSV")).split('"The ""best"", Zoë"').length, 4);
  const objects = (await download(page, "Export NDJSON")).trimEnd().split("\n");
  assert.deepEqual(
    objects.map((line) => (JSON.parse(line) as { sent_for: string }).sent_for).toSorted((a, b) => (a < b ? -1 : 1)),
    [...Array<string>(3).fill("=cmd|'/c calc'!A0"), ...Array<string>(3).fill('The "best", Zoë')],
  );
  await assertSound(page);
});

test("on a phone, in the dark, a menu has it, for a viewer too", async () => {
  await using visit = await stage.open("/deliveries?status=cancelled", { role: "viewer", width: 320, scheme: "dark" });
  const { page } = visit;
  await page.getByRole("button", { name: "Send again and export" }).click();
  await assertSound(page);
  const saved = await download(page, "Export CSV", "menuitem");
  assert.equal(saved.trimEnd().split("\r\n").length, 1);
});
