import assert from "node:assert/strict";
import { test } from "node:test";
import { findChatAddress } from "./chat-addresses.ts";

const WORKFLOW = "workflows/0123456789abcdef/triggers/manual/paths/invoke?api-version=2016-06-01&sig=x";

test("knows the addresses of chat tools, and no other of theirs", () => {
  const table: Readonly<Record<string, string | null>> = {
    "https://hooks.slack.com/services/T000/B000/XXXX": "slack",
    " https://hooks.slack.com/services/T000/B000/XXXX\n": "slack",
    "https://hooks.slack-gov.com/services/T000/B000/XXXX": "slack",
    "https://hooks.slack.com/triggers/E000/1/x": "slack",
    "https://hooks.slack.com/help": null,
    "https://hooks.slack.com.evil.example/services/T000/B000/XXXX": null,
    "http://hooks.slack.com/services/T000/B000/XXXX": null,
    [`https://prod-12.westeurope.logic.azure.com:443/${WORKFLOW}`]: "teams",
    [`https://prod-12.westeurope.logic.azure.com/${WORKFLOW}`]: "teams",
    [`https://default0a.1b.environment.api.powerplatform.com:443/powerautomate/automations/direct/${WORKFLOW}`]:
      "teams",
    "https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4": "teams",
    "https://prod-12.westeurope.logic.azure.com/subscriptions/1": null,
    "https://logic.azure.com.evil.example/workflows/1?sig=x": null,
    "https://discord.com/api/webhooks/123/abc-_": "discord",
    "https://discordapp.com/api/webhooks/123/abc": "discord",
    "https://canary.discord.com/api/v10/webhooks/123/abc?thread_id=9": "discord",
    "https://discord.com/api/webhooks/123/abc/slack": null,
    "https://discord.com/channels/1/2": null,
    "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t": "google_chat",
    "https://chat.googleapis.com/v1/spaces/AAAA/members": null,
    "https://hooks.example.com/in": null,
    "": null,
  };
  for (const [url, kind] of Object.entries(table)) assert.equal(findChatAddress(url)?.kind ?? null, kind, url);
});
