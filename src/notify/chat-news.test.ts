/** News of failures in the channels of chat tools, as their readers see it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { postTo, startChatTool } from "../../test/kit/servers/chat-tools.ts";
import type { Seen } from "../../test/kit/servers/chat/seen.ts";
import { writeMessage } from "../bodies/chat/tools.ts";
import { CHAT_TOOLS, type ChatToolName } from "../domain/body.ts";
import type { NotificationKind } from "../domain/notification.ts";
import { LINES_MAX } from "./messages.ts";
import { type ChannelLine, type ChannelNotification, notificationBody } from "./notification-body.ts";
import { chatNews, chatTest } from "./chat-news.ts";

const AT = Date.UTC(2026, 10, 21, 11, 12);
const FRAME = { publicUrl: "https://webhooks.example.com", nowMs: AT };
const KINDS = ["turned_off", "failing", "certificate_ends", "still_failing", "recovered"] as const;

const makeLine = (
  kind: NotificationKind,
  name: string,
  url = "https://crm.example.com/secret?key=secret",
): ChannelLine => ({
  kind,
  atMs: AT,
  incidentId: kind === "certificate_ends" ? null : "inc_1",
  certificateEndsAtMs: kind === "certificate_ends" ? AT : null,
  waiting: kind === "recovered" ? null : { count: 1_252, isCapped: false },
  destination: {
    id: "dst_1",
    url,
    owner: { kind: "alert", id: "alr_1", name },
    offReason: kind === "turned_off" ? "gone" : null,
    failingSinceMs: AT,
    lastFailure: { atMs: AT, outcome: "response", status: 503 },
  },
});

function makeNotification(lines: readonly ChannelLine[], accountName = "Acme"): ChannelNotification {
  const count = (kind: NotificationKind) => lines.filter((line) => line.kind === kind).length;
  return {
    channelId: "chn_1",
    accountId: "acme",
    accountName,
    remindAtMs: null,
    lines,
    counts: {
      turned_off: count("turned_off"),
      failing: count("failing"),
      still_failing: count("still_failing"),
      recovered: count("recovered"),
      certificate_ends: count("certificate_ends"),
    },
  };
}

async function show(kind: ChatToolName, notification: ChannelNotification): Promise<Seen> {
  await using tool = await startChatTool(kind);
  return await postTo(tool, writeMessage(kind, chatNews(notification, FRAME)));
}

const INCIDENT = "https://webhooks.example.com/settings/alerts/alr_1?incident=inc_1";

for (const kind of CHAT_TOOLS) {
  test(`${kind} says what happened, since when, what came back, how much waits, and where to look`, async () => {
    const { texts, links } = await show(kind, makeNotification([makeLine("failing", "Leads to CRM")]));
    const read = texts.join("\n");
    assert.match(read, /Leads to CRM: webhooks to crm\.example\.com are failing/);
    assert.match(
      read,
      /Since 2026-11-21 11:12 UTC\. Last answer: 503, at 2026-11-21 11:12 UTC\. 1,252 deliveries wait\./,
    );
    assert.match(read, /Acme/);
    const ours = new Map(links.map(({ words, url }) => [words, url]));
    assert.equal(ours.get("Open the alert"), INCIDENT);
    assert.equal(ours.get("All webhooks"), "https://webhooks.example.com/");
  });
}

test("Slack's pop-up, which programs that know no blocks show alone, has the link too", () => {
  const message = writeMessage("slack", chatNews(makeNotification([makeLine("failing", "Leads to CRM")]), FRAME));
  const { text } = JSON.parse(message) as { text: string };
  assert.equal(text, `Leads to CRM: webhooks to crm.example.com are failing: ${INCIDENT}`);
});

test("a test says that it is one, and where its settings are", async () => {
  for (const kind of CHAT_TOOLS) {
    await using tool = await startChatTool(kind);
    const message = chatTest({ ...FRAME, accountId: "acme", accountName: "\u200b" });
    const { texts, links } = await postTo(tool, writeMessage(kind, message));
    assert.match(texts.join("\n"), /This is a test\.[^]*acme/);
    assert.ok(links.some(({ url }) => url === "https://webhooks.example.com/settings/account"));
  }
});

test("says of a backlog that is larger than what was counted that it is more", async () => {
  const line = { ...makeLine("failing", "Leads to CRM"), waiting: { count: 10_000, isCapped: true } };
  const { texts } = await show("slack", makeNotification([line]));
  assert.match(texts.join("\n"), /More than 10,000 deliveries wait\.$/m);
});

describe("a name cannot", () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    "ping a channel": "<!channel> <!here> <!everyone>",
    "ping a person": "<@U012AB3CD>",
    "ping where programs read bare mentions": "@channel @here @all",
    "ping a space": "<users/all>",
    "forge a link": "<https://evil.example|All webhooks>",
    "forge a link where programs read Markdown": "[All webhooks](https://evil.example)",
    "end an escape": "&lt;!channel&gt; & &amp;",
    "begin a line of its own": "Leads\n*Turned off* (9)\r\n\u2028x",
  };
  for (const kind of CHAT_TOOLS) {
    for (const [what, name] of Object.entries(HOSTILE)) {
      test(`${what} in ${kind}`, async () => {
        for (const lines of [[makeLine("failing", name)], [makeLine("failing", name), makeLine("turned_off", name)]]) {
          const { texts, links, pings, marked } = await show(kind, makeNotification(lines, name));
          assert.deepEqual(pings, []);
          for (const { url } of links) assert.match(url, /^https:\/\/webhooks\.example\.com\//);
          assert.doesNotMatch(texts.join("\n"), /^\*?Turned off\* \(9\)/m);
          // A headline is strong as a whole.
          const ours = /: webhooks to crm\.example\.com are failing$|^(?:Webhooks: |Failing \(|Turned off \()/;
          assert.deepEqual(
            marked.filter((each) => !ours.test(each)),
            [],
          );
        }
      });
    }
  }
});

describe("a message stays within a tool's limits however much there is to tell, and whatever it is named", () => {
  for (const kind of CHAT_TOOLS) {
    for (const name of ["&".repeat(200), "@".repeat(200), "\u{1f514}".repeat(200), "Leads"]) {
      test(`${kind}: ${name.slice(0, 5)}`, async () => {
        const host = Array.from({ length: 4 }, () => "a".repeat(60)).join(".");
        const url = `https://${name === "Leads" ? "crm" : host}.example/in`;
        const lines = KINDS.flatMap((each) => Array.from({ length: LINES_MAX }, () => makeLine(each, name, url)));
        const { texts, links } = await show(kind, makeNotification(lines, name));
        assert.match(texts.join("\n"), kind === "discord" ? /… and \d+ more\./ : /• and 12 more/);
        assert.ok(links.some(({ words }) => words === "All webhooks"));
      });
    }
  }
});

test("neither a message nor a webhook's body holds more of a Webhook URL than its host", () => {
  const notification = makeNotification(KINDS.map((kind) => makeLine(kind, "Leads")));
  const messages = CHAT_TOOLS.map((kind) => writeMessage(kind, chatNews(notification, FRAME)));
  for (const text of [...messages, notificationBody(notification, FRAME)]) assert.doesNotMatch(text, /secret/);
});
