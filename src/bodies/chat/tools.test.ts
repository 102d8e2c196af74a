/** Which tool an address belongs to, and what a tool's answers mean to a person. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Mood, startChatTool } from "../../../test/kit/servers/chat-tools.ts";
import { type BodyKind, CHAT_TOOLS, type ChatToolName } from "../../domain/body.ts";
import { CHAT_ADDRESSES } from "../../domain/chat-addresses.ts";
import type { ToolAnswer } from "./chat-tool.ts";
import { explainChatAnswer, findChatTool, findWriter, newestVersion } from "./tools.ts";

const ADDRESSES: Readonly<Record<ChatToolName, readonly string[]>> = {
  slack: [
    "https://hooks.slack.com/services/T0/B0/xyz",
    "https://hooks.slack.com/workflows/T0/A0/1/xyz",
    "https://hooks.slack.com/triggers/T0/1/xyz",
    "https://hooks.slack-gov.com/services/T0/B0/xyz",
  ],
  discord: [
    "https://discord.com/api/webhooks/1/xyz",
    "https://discord.com/api/v10/webhooks/1/xyz",
    "https://discordapp.com/api/webhooks/1/xyz",
    "https://ptb.discord.com/api/webhooks/1/xyz",
    "https://canary.discord.com/api/webhooks/1/xyz?wait=true",
  ],
  teams: [
    "https://prod-23.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=xyz",
    "https://default1.2.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1/triggers/x",
    "https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4",
  ],
  google_chat: ["https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t"],
};

const NONE = [
  "https://hooks.slack.com/",
  "https://hooks.slack.com.evil.example/services/T0/B0/xyz",
  "https://evil.example/hooks.slack.com/services/T0/B0/xyz",
  "http://hooks.slack.com/services/T0/B0/xyz",
  "https://slack.com/services/T0",
  "https://discord.com/channels/1/2",
  "https://evildiscord.com/api/webhooks/1/xyz",
  "https://logic.azure.com.evil.example/workflows/1",
  "https://api.powerplatform.com/scopes",
  "https://chat.googleapis.com/v1/spaces/AAAA/members",
  "https://crm.example.com/webhooks",
];

test("an address tells its tool", () => {
  for (const kind of CHAT_TOOLS) {
    for (const address of ADDRESSES[kind]) assert.equal(findChatTool(new URL(address))?.kind, kind, address);
  }
  for (const address of NONE) assert.equal(findChatTool(new URL(address)), null, address);
});

test("a version that is not written yet has no writer", () => {
  for (const kind of CHAT_TOOLS) {
    assert.equal(typeof findWriter(kind, newestVersion(kind)), "function");
    assert.equal(findWriter(kind, newestVersion(kind) + 1), undefined);
    assert.equal(findWriter(kind, 0), undefined);
  }
});

async function ask(kind: ChatToolName, mood: Mood, body: string): Promise<ToolAnswer> {
  await using tool = await startChatTool(kind);
  tool.mood = mood;
  const headers = { "content-type": "application/json" };
  const response = await fetch(tool.address, { method: "POST", headers, body });
  return { status: response.status, body: await response.text() };
}

const explain = (kind: ChatToolName, body: BodyKind, answer: ToolAnswer) =>
  explainChatAnswer({ url: new URL(ADDRESSES[kind][0] ?? ""), body, answer });

describe("an answer in words", () => {
  for (const kind of CHAT_TOOLS) {
    const { name } = CHAT_ADDRESSES[kind];
    test(`${kind} gets the event and not a message`, async () => {
      const words = explain(kind, "event", await ask(kind, "open", '{"event":"demo_viewed","id":"1"}'));
      assert.equal(words?.sentence, `This is a ${name} address, and ${name} takes messages of its own form.`);
      assert.equal(words.advice, `Change the body to ${name}.`);
    });
    test(`${kind} gets the message of another tool`, async () => {
      const other = kind === "slack" ? "discord" : "slack";
      const words = explain(kind, other, await ask(kind, "open", '{"embed":1,"blocks":7}'));
      assert.equal(words?.advice, `Change the body to ${name}.`);
    });
    test(`${kind} gets a template that it cannot read`, async () => {
      if (kind === "teams") return;
      const words = explain(kind, "template", await ask(kind, "open", '{"hello":"world"}'));
      assert.match(words?.sentence ?? "", new RegExp(`^${name} `));
      assert.equal(words?.advice, `Compare the template with what ${name} takes.`);
    });
    test(`${kind} has no such channel any more`, async () => {
      const answer = await ask(kind, "archived", "{}");
      for (const body of ["event", "template", kind] as const) {
        const words = explain(kind, body, answer);
        assert.match(words?.sentence ?? "", new RegExp(`^${name} (?:says|does)`));
        assert.notEqual(words?.advice, "");
        assert.equal(words?.isAboutForm, false);
      }
    });
    test(`${kind} asks for a pause`, async () => {
      const words = explain(kind, kind, await ask(kind, "limited", "{}"));
      assert.match(words?.sentence ?? "", new RegExp(`^${name} takes `));
      assert.match(words?.advice ?? "", /^Set a rate limit of \d a second/);
      // The others ask in the header, which every receiver's answer is read by.
      assert.equal(words?.waitMs, kind === "discord" ? 1_337 : 0);
    });
    test(`${kind} has nothing to add to a fault of its servers`, () => {
      assert.equal(explain(kind, kind, { status: 503, body: "<html>upstream</html>" }), null);
      assert.equal(explain(kind, "event", { status: 500, body: "" }), null);
    });
  }

  test("Slack's own words", () => {
    const read = (body: string, status = 400) => explain("slack", "slack", { status, body })?.sentence;
    assert.equal(read("channel_is_archived", 410), "Slack says that the channel is archived.");
    assert.match(read("no_service", 404) ?? "", /switched off, was removed, or is not whole/);
    assert.match(read("posting_to_general_channel_denied", 403) ?? "", /#general/);
    assert.match(read("invalid_blocks") ?? "", /cannot read/);
    assert.match(read("too_many_attachments") ?? "", /cannot read/);
    assert.equal(read("something_new"), undefined);
    assert.equal(read("constructor"), undefined);
  });

  test("Teams takes everything, so that only the channel tells", () => {
    const words = explain("teams", "teams", { status: 202, body: "" });
    assert.match(words?.sentence ?? "", /whatever becomes of the card/);
    const connector = {
      status: 200,
      body: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413",
    };
    assert.equal(explain("teams", "teams", connector)?.sentence, "Teams cannot read the message.");
  });

  test("a pause in a body is read in its forms, and has an end", () => {
    const discord = (value: unknown) =>
      explain("discord", "discord", { status: 429, body: JSON.stringify({ retry_after: value }) })?.waitMs;
    assert.deepEqual([0.25, 3, "2", -1, null, {}, [5], 1e12].map(discord), [250, 3_000, 2_000, 0, 0, 0, 0, 86_400_000]);
    for (const kind of CHAT_TOOLS) {
      const body = JSON.stringify({ code: "constructor", error: { code: "toString", status: "constructor" } });
      assert.equal(explain(kind, kind, { status: 418, body }), null);
    }
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }, null, 7];
    const body = JSON.stringify({ error: { code: 429, status: "RESOURCE_EXHAUSTED", details } });
    assert.equal(explain("google_chat", "google_chat", { status: 429, body })?.waitMs, 1_500);
  });

  test("of a relay with an address of its own the body tells the tool, and of no tool there is nothing to say", () => {
    const url = new URL("https://mattermost.example.com/hooks/xyz");
    const answer = { status: 400, body: "invalid_payload" };
    assert.equal(explainChatAnswer({ url, body: "slack", answer })?.sentence, "Slack cannot read the message.");
    assert.equal(explainChatAnswer({ url, body: "event", answer }), null);
  });
});
