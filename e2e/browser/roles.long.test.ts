import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator } from "playwright-core";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { REFUSED, readDescription } from "../../test/kit/browser/page-facts.ts";
import { eventually } from "../../test/kit/wait.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
});
after(() => stage[Symbol.asyncDispose]());

/** A control that says why it may not be used, and stays reachable by keyboard. */
async function assertOwnersOnly(control: Locator): Promise<void> {
  await control.focus();
  assert.equal(await control.getAttribute("aria-disabled"), "true");
  // Its tooltip opens after the focus has come; other texts of the page may say the same before.
  await eventually("it says why", async () => (await readDescription(control)).startsWith("Only owners can "));
}

describe("a viewer", () => {
  test("sees alerts and settings, and every control that changes something says that only owners may", async () => {
    const accountId = "viewed";
    await stage.dashboard.putAccount(accountId);
    const alert = { accountId, name: "To a receiver", url: "http://127.0.0.1:9/hook" };
    const { id: alertId } = await createAlert(stage.dashboard.app.accounts, alert);
    const who = { accountId, person: "vic@example.com", role: "viewer" } as const;
    await using visit = await stage.open(`/settings/alerts/${alertId}/edit`, who);
    const { page } = visit;
    await page.getByRole("heading", { level: 1, name: "To a receiver" }).waitFor();
    await page.getByText("Viewer: may look, not change").waitFor();
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), "http://127.0.0.1:9/hook");
    assert.equal(await page.getByLabel("Name", { exact: true }).isEditable(), false);
    await page.getByText("Only owners can change alerts.").filter({ visible: true }).first().waitFor();
    for (const name of ["Test webhook", "Save"]) {
      await assertOwnersOnly(page.getByRole("button", { name, exact: true }));
    }
    await page.goto(`${stage.dashboard.url}/settings/verification`);
    for (const name of ["Reveal", "Copy", "Rotate…"]) {
      await assertOwnersOnly(page.getByRole("button", { name, exact: true }).first());
    }
    await page.goto(`${stage.dashboard.url}/settings/account`);
    await assertOwnersOnly(page.getByRole("button", { name: "Add address" }));
    await page.goto(`${stage.dashboard.url}/playground`);
    await assertOwnersOnly(page.getByRole("button", { name: "Send session" }));
  });

  test("is refused by the server too, whatever the page lets through", async () => {
    await using visit = await stage.open("/settings/account", { role: "viewer", expected: REFUSED });
    const status = await visit.page.evaluate<number>(`(async () => {
      const { csrfToken } = await (await fetch("dashboard/session")).json();
      const headers = { "content-type": "application/json", "x-bellwire-csrf": csrfToken };
      const body = JSON.stringify({ which: "current" });
      return (await fetch("dashboard/verification/reveal", { method: "POST", headers, body })).status;
    })()`);
    assert.equal(status, 403);
  });
});
