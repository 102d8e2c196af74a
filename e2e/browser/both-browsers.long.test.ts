/**
 * The two paths of the specification, by its own words, in each browser that people use: Settings → Alerts, and the
 * Integrations tab of a chat assistant; and an alert with conditions. Texts are typed key by key: Playwright fills
 * Firefox's fields in a way that no person can, which React does not see.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signService } from "../../src/domain/signature.ts";
import { ENGINES } from "../../test/kit/browser/browser.ts";
import { findFirefox } from "../../test/kit/browser/firefox.ts";
import { assertSound, revealSecret } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { uuid } from "../../test/kit/world/world.ts";

for (const engine of ENGINES) {
  const skip = engine === "firefox" && findFirefox() === null ? "this machine has no Firefox" : false;
  describe(`by the specification's words, in ${engine}`, { skip }, () => {
    let stage: Stage;
    let receiver: Receiver;
    const parts = new AsyncDisposableStack();
    before(async () => {
      receiver = parts.use(await startReceiver());
      stage = parts.use(await setStage({}, engine));
    });
    after(() => parts.disposeAsync());

    test("open Settings, then Alerts; create the first alert, toggle on Webhooks, test, save", async () => {
      await using visit = await stage.open("/");
      const { page, accountId } = visit;
      await page.getByRole("navigation").getByText("Settings").first().waitFor();
      await page.getByRole("navigation").getByRole("link", { name: "Alerts" }).click();
      await page.getByRole("link", { name: "Create the first alert" }).click();
      await page.getByLabel("Name", { exact: true }).pressSequentially("New sessions");
      await page.getByLabel("Webhook URL").pressSequentially(`${receiver.url}/alert?team=1`);
      await page.getByRole("group", { name: "Custom headers" }).waitFor();
      await page.getByRole("button", { name: "Add header" }).click();
      await page.keyboard.type("X-Route");
      await page.getByLabel("Value of header 1").pressSequentially("sales");
      const earlier = receiver.requests.length;
      await page.getByRole("button", { name: "Test webhook" }).click();
      await page.getByText("Your endpoint accepted the test.").waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      await assertSound(page);
      await stage.dashboard.postSession(1, {}, accountId);
      await receiver.received(earlier + 2);
      const secret = await revealSecret(page, stage.dashboard.url);
      for (const { body, headers, path } of receiver.requests.slice(earlier)) {
        assert.equal(path, "/alert?team=1");
        assert.equal(headers["x-route"], "sales");
        assert.equal(headers["x-service-signature"], signService(body.toString("utf8"), secret));
        assert.equal((JSON.parse(body.toString()) as { event: string }).event, "demo_viewed");
      }
    });

    test("say which sessions an alert wants, see which they were, read why one did not go", async () => {
      const accountId = "hot-leads";
      await stage.dashboard.putAccount(accountId);
      const post = (n: number, level: string) => stage.dashboard.postSession(n, { intent_level: level }, accountId);
      await post(1, "high");
      await post(2, "low");
      // Every page is a visit of its own: Firefox reports each fetch that another page in its place cuts off.
      await using visit = await stage.open("/settings/alerts/new", { accountId });
      const { page } = visit;
      await page.getByRole("button", { name: "Only some sessions" }).click();
      await page.getByText("Would have fired for 2 of the last 2 sessions.").waitFor();
      await page.getByLabel("Name", { exact: true }).pressSequentially("Hot leads");
      await page.getByRole("button", { name: "Add condition" }).click();
      await page.keyboard.type("intent_level");
      await page.getByLabel("Comparison of condition 1").selectOption("is at least");
      await page.getByLabel("Value of condition 1", { exact: true }).pressSequentially("high");
      await page.getByText("Would have fired for 1 of the last 2 sessions.").waitFor();
      await page.getByLabel("Webhook URL").pressSequentially(`${receiver.url}/hot`);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      await assertSound(page);
      await post(3, "low");
      await post(4, "high");
      await using left = await stage.open(`/audience/sessions/${uuid(3)}`, { accountId });
      await left.page
        .getByText("Not sent to Hot leads: intent_level is low, and the alert wants at least high.")
        .waitFor();
      await using gone = await stage.open(`/audience/sessions/${uuid(4)}`, { accountId });
      await gone.page
        .getByRole("table", { name: "Deliveries of this session" })
        .getByText("Delivered", { exact: true })
        .waitFor();
      assert.equal(receiver.requests.filter(({ path }) => path === "/hot").length, 1);
    });

    test("open the Integrations tab, enter the URL, send a test webhook with a sample conversation", async () => {
      await using visit = await stage.open("/", { assistants: ["Ada"] });
      const { page, accountId } = visit;
      await page.getByRole("navigation").getByRole("link", { name: "Assistants" }).click();
      await page.getByRole("link", { name: "Ada" }).first().click();
      await page.getByRole("tab", { name: "Integrations" }).click();
      await page.getByLabel("Webhook URL").pressSequentially(`${receiver.url}/chat`);
      const earlier = receiver.requests.length;
      await page.getByRole("button", { name: "Send test webhook" }).click();
      await page.getByText("Your endpoint accepted the test.").waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      await assertSound(page);
      await stage.dashboard.postConversation(1, { assistant_id: "Ada" }, accountId);
      await receiver.received(earlier + 2);
      for (const { body, path } of receiver.requests.slice(earlier)) {
        assert.equal(path, "/chat");
        const sent = JSON.parse(body.toString()) as { event: string; transcript: string };
        assert.equal(sent.event, "chat_conversation_completed");
        assert.match(sent.transcript, /^\[(Text|Voice) mode\]\n\n(Assistant|User): /);
      }
    });
  });
}
