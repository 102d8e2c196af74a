/**
 * Messages as the tools take and show them: each tool's stand-in gets what its writer makes of each event type, and the
 * golden files have it byte for byte, as a log renders again what was sent years ago.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { DECLARED_TYPES, LEAD_TYPE } from "../../../test/kit/declared-types.ts";
import { postTo, startChatTool } from "../../../test/kit/servers/chat-tools.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { CHAT_TOOLS, type ChatToolName } from "../../domain/body.ts";
import type { EventType } from "../../events/event-type.ts";
import { createValues } from "../values.ts";
import type { ChatMessage } from "./message.ts";
import { fillRecipe, recipeOf } from "./recipe.ts";
import { findWriter, newestVersion } from "./tools.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const FIRST = 1;

const valuesOf = (body: string) => createValues({ body, webhookId: "msg_1", acceptedAtMs: 0 });

function bodyOf(type: EventType, change: (record: Record<string, unknown>) => void = () => {}): string {
  const record = JSON.parse(JSON.stringify(type.example)) as Record<string, unknown>;
  change(record);
  return toValue(type.parse(JSON.stringify(record))).buildBody({ appUrl: "https://app.example.com" });
}

const messageOf = (type: EventType, body: string): ChatMessage => fillRecipe(recipeOf(type, type.type), valuesOf(body));

function write(kind: ChatToolName, message: ChatMessage, version = newestVersion(kind)): string {
  const writer = findWriter(kind, version);
  assert.ok(writer !== undefined);
  return writer(message);
}

const typesWithLinks = new Map([["demo_viewed", "https://app.example.com/audience/sessions/"]]);

for (const kind of CHAT_TOOLS) {
  describe(kind, () => {
    for (const type of DECLARED_TYPES.all) {
      test(`takes a message of ${type.type}`, async () => {
        await using tool = await startChatTool(kind);
        const seen = await postTo(tool, write(kind, messageOf(type, bodyOf(type))));
        assert.match(seen.texts.join("\n"), new RegExp(type.title));
        assert.match(seen.texts.join("\n"), /2026-11-20 1\d:\d\d UTC/);
        assert.deepEqual(seen.pings, []);
        const link = typesWithLinks.get(type.type);
        assert.equal(
          seen.links.some(({ url }) => link !== undefined && url.startsWith(link)),
          link !== undefined,
        );
      });
    }
  });
}

const GOLDEN_TYPES = ["demo_viewed", "chat_conversation_completed", LEAD_TYPE];

for (const kind of CHAT_TOOLS) {
  for (const name of GOLDEN_TYPES) {
    test(`${kind} gets the message of ${name} to the byte`, () => {
      const type = DECLARED_TYPES.find(name) ?? assert.fail();
      const file = join(GOLDEN, `${kind}.${name}.1.json`);
      const message = write(kind, messageOf(type, bodyOf(type)), FIRST);
      assert.equal(`${JSON.stringify(JSON.parse(message), null, 2)}\n`, readFileSync(file, "utf8"));
      assert.equal(message, JSON.stringify(JSON.parse(message)), "as compact as it goes out");
    });
  }
}

/** What a visitor could write. `evil` is the word that tells what became of it. */
const HOSTILE: Readonly<Record<string, string>> = {
  "Slack's mentions": "evil <!channel> <!here> <!everyone> <@U012AB3CD> <#C012AB3CD> <!subteam^S012>",
  "bare mentions": "evil @everyone @here @channel @all @admin ada@everyone",
  "Discord's mentions": "evil <@80351110224678912> <@&165511591545143296> <#1> <:evil:1> <t:1:R> <id:customize>",
  "Google Chat's mentions": "evil <users/all> <users/123>",
  "Teams' mentions": 'evil <at>everyone</at> <at id="0">all</at>',
  "Slack's links": "<https://evil.example|evil>",
  "Markdown's links": "[evil](https://evil.example) ![evil](https://evil.example/x.png) [evil]: https://evil.example",
  "HTML's links": '<a href="https://evil.example">evil</a> <img src="https://evil.example/x.png"> </a></b><br><b>evil',
  "bare addresses": "evil https://evil.example http://evil.example/a?b=c www.evil.example",
  Markdown:
    "# evil\n- evil\n> evil\n1. evil **evil** *evil* __evil__ _evil_ ~~evil~~ `evil` ```evil``` ||evil|| -# evil",
  "a list": "- evil",
  "a numbered list": "1. evil",
  "a heading": "# evil",
  "a quote": "> evil",
  "functions of cards":
    "evil {{DATE(2026-01-01T00:00:00Z,SHORT)}} {{{TIME(2026-01-01T00:00:00Z)}} ${evil} @{triggerBody()}",
  emoji: "evil :rotating_light: :evil:",
  escapes: "evil \\ \\\\ \\* &lt;!channel&gt; &amp; &#64;everyone \\u0040everyone",
  "the end of JSON": 'evil"}],"text":"<!channel>","allowed_mentions":{"parse":["everyone"]}',
  "invisible letters": "evil\u202e\u2066\u200b @\u200beveryone <\u200b!channel>\u0007\u2028\u2029\u0085",
  "names of prototypes": "__proto__ constructor evil",
};

function withText(type: EventType, text: string): string {
  return bodyOf(type, (record) => {
    const put = (object: Record<string, unknown>): void => {
      for (const [name, value] of Object.entries(object)) {
        if (typeof value === "object" && value !== null && !Array.isArray(value)) put(value as Record<string, unknown>);
        else if (TEXTS.has(name)) object[name] = text;
        else if (name === "topics") object[name] = [text, text];
      }
    };
    put(record);
  });
}

/** Fields that take any text, of built-in and declared types. */
const TEXTS = new Set([
  "first_name",
  "last_name",
  "visitor_name",
  "phone_number",
  "company_name",
  "company_domain",
  "link_name",
  "conversation_summary",
  "name",
  "title",
]);

describe("a visitor's text", () => {
  for (const kind of CHAT_TOOLS) {
    for (const [what, text] of Object.entries(HOSTILE)) {
      test(`pings nobody, makes no link and no markup in ${kind}: ${what}`, async () => {
        await using tool = await startChatTool(kind);
        for (const type of DECLARED_TYPES.all) {
          const { texts, links, pings, marked } = await postTo(
            tool,
            write(kind, messageOf(type, withText(type, text))),
          );
          assert.deepEqual(pings, [], type.type);
          assert.deepEqual(
            links.filter(({ url }) => url.includes("evil")),
            [],
            type.type,
          );
          // A headline is strong as a whole, and so it holds the visitor's name.
          assert.deepEqual(
            marked.filter((each) => each.includes("evil") && !each.startsWith(`${type.title}: `)),
            [],
            type.type,
          );
          assert.ok(
            texts.some((each) => each.includes("evil")),
            `${type.type} shows it`,
          );
        }
      });
    }
  }

  test("can be copied: an e-mail address stays as it is", async () => {
    for (const kind of CHAT_TOOLS) {
      await using tool = await startChatTool(kind);
      const type = DECLARED_TYPES.find("demo_viewed") ?? assert.fail();
      const { texts } = await postTo(tool, write(kind, messageOf(type, bodyOf(type))));
      assert.ok(
        texts.some((each) => each.includes("ada@example.com")),
        kind,
      );
    }
  });
});

describe("a message", () => {
  const LONG = { plain: "a".repeat(70_000), escaped: "&<*_[`\\@".repeat(9_000), wide: "\u{1f514}".repeat(40_000) };
  const link = { words: "Open it", url: `https://app.example.com/${"a".repeat(900)}` };
  for (const kind of CHAT_TOOLS) {
    for (const [what, text] of Object.entries(LONG)) {
      test(`stays within the limits of ${kind}, however long its texts are: ${what}`, async () => {
        await using tool = await startChatTool(kind);
        const paragraph = { title: text, text, link };
        const fact = { name: text, value: text };
        const seen = await postTo(
          tool,
          write(kind, {
            headline: text,
            paragraphs: Array.from({ length: 120 }, () => paragraph),
            facts: Array.from({ length: 30 }, () => fact),
            link,
            footer: { text, link },
          }),
        );
        assert.ok(
          seen.texts.some((each) => /… and \d+ more\.$/m.test(each)),
          "says what is left out",
        );
        assert.ok(seen.links.some(({ url }) => url === link.url));
        const ends = seen.texts.filter((each) => each.endsWith("…"));
        assert.ok(ends.length > 0);
        for (const end of ends) {
          const [last = ""] = end.replaceAll("\u2060", "").split("\n").slice(-1);
          const parts = last.split(/…(?:: ?)?/);
          assert.ok(
            parts.every((part) => text.startsWith(part)),
            `cut within an escape: ${last.slice(-20)}`,
          );
        }
      });
      test(`of one event stays within the limits of ${kind}: ${what}`, async () => {
        await using tool = await startChatTool(kind);
        for (const type of DECLARED_TYPES.all) {
          const body = bodyOf(type);
          const values = {
            text: (path: string) => (/url|link|_at$|^at$/.test(path) ? valuesOf(body).text(path) : text),
          };
          await postTo(tool, write(kind, fillRecipe(recipeOf(type, type.type), values)));
        }
      });
    }

    test(`of many short paragraphs fills ${kind} to its limit and no further`, async () => {
      await using tool = await startChatTool(kind);
      const fact = { name: "n".repeat(100), value: "&".repeat(400) };
      for (const count of [0, 6, 30]) {
        const message = {
          headline: "a".repeat(300),
          paragraphs: Array.from({ length: 2_000 }, (_, n) => ({ title: null, text: `${n} &*`, link: null })),
          facts: Array.from({ length: count }, () => fact),
          link,
          footer: { text: "a".repeat(300), link: null },
        };
        const { texts } = await postTo(tool, write(kind, message));
        const [, left = "0"] = /… and (\d+) more\./.exec(texts.join("\n")) ?? [];
        assert.ok(Number(left) > 0 && Number(left) < 1_990, `${count}: ${left}`);
      }
    });

    test(`with nothing in it but a headline is taken by ${kind}`, async () => {
      await using tool = await startChatTool(kind);
      const message = fillRecipe(recipeOf(undefined, "no_longer_declared"), valuesOf("{}"));
      const { texts } = await postTo(tool, write(kind, message));
      assert.ok(texts.every((text) => text === "no_longer_declared"));
    });
  }
});
