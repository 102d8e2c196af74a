/**
 * The chat tools by their addresses, and how many messages a second each takes. Pure, and plain enough for the page:
 * the form of a webhook recognises by it what was pasted, and the service which tool has answered.
 */
import type { ChatToolName } from "./body.ts";

export interface ChatAddress {
  readonly kind: ChatToolName;
  /** The tool's, for people. */
  readonly name: string;
  /** What its rules allow for one address. */
  readonly ratePerSecond: number;
  readonly host: RegExp;
  readonly path: RegExp;
}

export const CHAT_ADDRESSES: Readonly<Record<ChatToolName, ChatAddress>> = {
  slack: {
    kind: "slack",
    name: "Slack",
    ratePerSecond: 1,
    host: /^hooks\.slack(?:-gov)?\.com$/,
    // A workflow's address takes a message too, and reads its `text`.
    path: /^\/(?:services|workflows|triggers)\//,
  },
  teams: {
    kind: "teams",
    name: "Teams",
    ratePerSecond: 4,
    // Workflows, and the connectors that were there before.
    host: /\.(?:(?:logic\.azure|powerplatform)\.(?:com|us|cn)|webhook\.office\.com)$/,
    path: /\/(?:workflows|triggers|webhookb2|IncomingWebhook)\//,
  },
  discord: {
    kind: "discord",
    name: "Discord",
    ratePerSecond: 2,
    host: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
    // Not its `/slack` and `/github` behind that, which take the messages of those.
    path: /^\/api\/(?:v\d+\/)?webhooks\/[^/]+\/[^/]+\/?$/,
  },
  google_chat: {
    kind: "google_chat",
    name: "Google Chat",
    ratePerSecond: 1,
    host: /^chat\.googleapis\.com$/,
    path: /^\/v1\/spaces\/[^/]+\/messages$/,
  },
};

const ALL = Object.values(CHAT_ADDRESSES);

/** The tool that takes messages at this address; `null` for every other address. */
export function findChatAddress(url: string): ChatAddress | null {
  const parsed = URL.parse(url.trim());
  if (parsed?.protocol !== "https:") return null;
  const { hostname, pathname } = parsed;
  return ALL.find(({ host, path }) => host.test(hostname) && path.test(pathname)) ?? null;
}
