import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NotificationKind } from "../domain/notification.ts";
import { LINES_MAX } from "./messages.ts";
import { type ChannelLine, type ChannelNotification, notificationBody } from "./notification-body.ts";
import { SLACK_TEXT_CHARS_MAX, slackMessage, slackTest } from "./slack-message.ts";

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

interface Message {
  readonly text: string;
  readonly blocks: readonly { readonly text?: Text; readonly elements?: readonly Text[] }[];
}

interface Text {
  readonly type: string;
  readonly text: string;
  readonly verbatim: boolean;
}

const read = (json: string): Message => JSON.parse(json) as Message;
const textsOf = ({ blocks }: Message): readonly Text[] =>
  blocks.flatMap(({ text, elements = [] }) => (text === undefined ? elements : [text]));

test("says what happened, since when, what came back, how much waits, and where to look", () => {
  const message = read(slackMessage(makeNotification([makeLine("failing", "Leads to CRM")]), FRAME));
  assert.equal(
    message.text,
    "Leads to CRM: webhooks to crm.example.com are failing: " +
      "https://webhooks.example.com/settings/alerts/alr_1?incident=inc_1",
  );
  assert.deepEqual(
    textsOf(message).map(({ text }) => text),
    [
      "*Leads to CRM: webhooks to crm.example.com are failing*",
      [
        "Since 2026-11-21 11:12 UTC. Last answer: 503, at 2026-11-21 11:12 UTC. 1,252 deliveries wait.",
        "<https://webhooks.example.com/settings/alerts/alr_1?incident=inc_1|Open the alert>",
      ].join("\n"),
      "Acme · <https://webhooks.example.com/|All webhooks>",
    ],
  );
});

test("says of a backlog that is larger than what was counted that it is more", () => {
  const line = { ...makeLine("failing", "Leads to CRM"), waiting: { count: 10_000, isCapped: true } };
  const texts = textsOf(read(slackMessage(makeNotification([line]), FRAME)));
  assert.match(texts[1]?.text ?? "", /More than 10,000 deliveries wait\.$/m);
});

describe("a name cannot", () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    "ping a channel": "<!channel> <!here> <!everyone>",
    "ping a person": "<@U012AB3CD>",
    "ping where programs read bare mentions": "@channel @here @all",
    "forge a link": "<https://evil.example|All webhooks>",
    "forge a link where programs read Markdown": "[All webhooks](https://evil.example)",
    "end an escape": "&lt;!channel&gt; & &amp;",
    "begin a line of its own": "Leads\n*Turned off* (9)\r\n\u2028x",
  };
  for (const [what, name] of Object.entries(HOSTILE)) {
    test(what, () => {
      const notification = makeNotification([makeLine("failing", name)], name);
      for (const message of [
        slackMessage(notification, FRAME),
        slackTest({ ...FRAME, accountId: "acme", accountName: name }),
      ]) {
        const { text, blocks } = read(message);
        const all = [text, ...textsOf({ text, blocks }).map((each) => each.text)];
        for (const each of all) {
          // Every link is one of ours, every other "<" is escaped.
          const bare = each.replaceAll(/<https:\/\/webhooks\.example\.com\/[\w/?=]*\|[\w ]+>/g, "");
          assert.doesNotMatch(bare, /[<>]|@(?!\u2060)|\]\(/, each);
          assert.doesNotMatch(bare, /^\*Turned off/m);
          assert.doesNotMatch(bare, /&(?!amp;|lt;|gt;)/);
        }
        for (const { verbatim, type } of textsOf({ text, blocks }))
          assert.deepEqual([type, verbatim], ["mrkdwn", true]);
      }
    });
  }
});

test("stays within Slack's limits however much there is to tell, and whatever it is named", () => {
  for (const name of ["&".repeat(200), "@".repeat(200), "\u{1f514}".repeat(200)]) {
    const url = `https://${Array.from({ length: 4 }, () => "a".repeat(60)).join(".")}.example/in`;
    const lines = KINDS.flatMap((kind) => Array.from({ length: LINES_MAX }, () => makeLine(kind, name, url)));
    const message = read(slackMessage(makeNotification(lines, name), FRAME));
    assert.ok(message.blocks.length <= 50, `${message.blocks.length} blocks`);
    assert.ok(message.text.length <= SLACK_TEXT_CHARS_MAX);
    for (const { text } of textsOf(message)) assert.ok(text.length <= SLACK_TEXT_CHARS_MAX, String(text.length));
    assert.match(
      textsOf(message)
        .map(({ text }) => text)
        .join("\n"),
      /and 12 more/,
    );
  }
});

test("neither a message nor a webhook's body holds more of a Webhook URL than its host", () => {
  const notification = makeNotification(KINDS.map((kind) => makeLine(kind, "Leads")));
  for (const text of [slackMessage(notification, FRAME), notificationBody(notification, FRAME)])
    assert.doesNotMatch(text, /secret/);
});
