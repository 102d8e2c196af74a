import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FORM_LIMITS } from "../../../src/domain/limits.ts";
import {
  type AddressedDraft,
  checkBody,
  chooseBody,
  followAddress,
  noteAddress,
  toBodyDraft,
  toBodySettings,
} from "./body-draft.ts";

const SLACK = "https://hooks.slack.com/services/T0/B0/x";
const DISCORD = "https://discord.com/api/webhooks/1/x";
const LIMITS = { ...FORM_LIMITS, httpsOnly: true };

const draft = (parts: Partial<AddressedDraft> = {}): AddressedDraft => ({
  url: "",
  body: toBodyDraft(null),
  kept: { ratePerSecond: "" },
  ...parts,
});
const paste = (before: AddressedDraft, url: string): AddressedDraft => followAddress({ ...before, url });
const shown = ({ body, kept }: AddressedDraft) => [body.kind, kept.ratePerSecond];

describe("the address of a chat tool", () => {
  test("chooses its message and its rate, and takes both back when it goes", () => {
    const slack = paste(draft(), SLACK);
    assert.deepEqual(shown(slack), ["slack", "1"]);
    const discord = paste(slack, DISCORD);
    assert.deepEqual(shown(discord), ["discord", "2"]);
    assert.deepEqual(shown(paste(discord, "https://crm.example/in")), ["event", ""]);
  });

  test("leaves a rate that somebody has typed, and a body that somebody has chosen", () => {
    const own = draft({ kept: { ratePerSecond: "5" } });
    assert.deepEqual(shown(paste(paste(own, SLACK), "https://crm.example/in")), ["event", "5"]);
    const chosen = draft({ body: chooseBody(toBodyDraft(null), "template") });
    assert.deepEqual(shown(paste(chosen, SLACK)), ["template", ""]);
    const saved = draft({ body: toBodyDraft({ body: "slack", template: null }) });
    assert.deepEqual(shown(paste(saved, "https://proxy.example/slack")), ["slack", ""]);
  });

  test("is named with one press that takes it back, and is not taken again", () => {
    const note = noteAddress(paste(draft(), SLACK)) ?? assert.fail();
    assert.equal(note.words, "This is a Slack address: each event is sent as a Slack message, 1 a second at most.");
    assert.deepEqual(shown(note.after), ["event", ""]);
    assert.deepEqual(shown(paste(note.after, `${SLACK}y`)), ["event", ""]);
    const back = noteAddress(note.after) ?? assert.fail();
    assert.equal(back.action, "Send Slack messages");
    assert.deepEqual(shown(back.after), ["slack", "1"]);
  });

  test("of another tool than the chosen one is pointed out", () => {
    const saved = draft({ url: DISCORD, body: toBodyDraft({ body: "slack", template: null }) });
    const note = noteAddress(saved) ?? assert.fail();
    assert.match(note.words, /^This is a Discord address/);
    assert.deepEqual(shown(note.after), ["discord", "2"]);
  });

  test("says nothing where its body was saved, or where a template is sent", () => {
    const saved = draft({ url: SLACK, body: toBodyDraft({ body: "slack", template: null }) });
    assert.equal(noteAddress(saved), null);
    assert.equal(noteAddress(draft({ url: SLACK, body: toBodyDraft({ body: "template", template: "{}" }) })), null);
    assert.equal(noteAddress(draft({ url: "https://crm.example/in" })), null);
  });
});

test("a template is sent while it is chosen, and stays while something else is", () => {
  const saved = toBodyDraft({ body: "template", template: "{}" });
  assert.deepEqual(toBodySettings(saved), { body: "template", template: "{}" });
  const other = chooseBody(saved, "slack");
  assert.deepEqual(toBodySettings(other), { body: "slack", template: null });
  assert.deepEqual(toBodySettings(chooseBody(other, "template")), { body: "template", template: "{}" });
});

test("a template that is empty or too large is an error, while it is the body", () => {
  const template = (text: string) => toBodyDraft({ body: "template", template: text });
  assert.deepEqual(checkBody(template(" "), LIMITS), { template: "Write a template, or choose another body." });
  assert.deepEqual(checkBody(chooseBody(template(" "), "event"), LIMITS), {});
  assert.deepEqual(checkBody(template("x".repeat(LIMITS.templateBytesMax)), LIMITS), {});
  assert.deepEqual(checkBody(template("é".repeat(LIMITS.templateBytesMax / 2 + 1)), LIMITS), {
    template: "The template has 16,386 bytes; at most 16,384 are taken.",
  });
});
