/**
 * Stand-ins of the chat tools: servers that check a message by the tool's published rules, answer as the tool does, and
 * keep what a reader of the channel would see. A file for each tool reads its messages (`chat/`), with the rules'
 * sources in `src/bodies/chat`.
 *
 *     await using slack = await startChatTool("slack");
 *     slack.mood = "archived";
 */
import assert from "node:assert/strict";
import type { ChatToolName } from "../../../src/domain/body.ts";
import { takeDiscord } from "./chat/discord.ts";
import { takeGoogleChat } from "./chat/google-chat.ts";
import type { Refusal, Seen, Take } from "./chat/seen.ts";
import { takeSlack } from "./chat/slack.ts";
import { takeTeams } from "./chat/teams.ts";
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from "./receiver.ts";

/** How the channel is: open, no longer there, or asking for a pause. */
export type Mood = "open" | "archived" | "limited";

export interface ChatStandIn extends AsyncDisposable {
  /** The whole address, with its secret. */
  readonly address: string;
  readonly receiver: Receiver;
  /** The messages that are in the channel. */
  readonly channel: readonly Seen[];
  /** Why a message that was taken is not in the channel: Teams says it to nobody. */
  readonly lost: readonly string[];
  mood: Mood;
}

export async function startChatTool(kind: ChatToolName): Promise<ChatStandIn> {
  const { path, take, taken, moods, refuse } = TOOLS[kind];
  const channel: Seen[] = [];
  const lost: string[] = [];
  const receiver = await startReceiver(answer);
  const standIn: ChatStandIn = {
    address: `${receiver.url}${path}`,
    receiver,
    channel,
    lost,
    mood: "open",
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
  function answer({ path: asked, headers, body }: ReceivedRequest): Answer {
    const { mood } = standIn;
    if (asked.split("?")[0] !== path) return { status: 404 };
    if (mood !== "open") return moods[mood];
    if (headers["content-type"]?.startsWith("application/json") !== true) return { status: 415 };
    const read = readJson(body.toString("utf8"), take);
    if (!("refusal" in read)) channel.push(read);
    else if (refuse !== null) return refuse(read);
    else lost.push(read.detail);
    return taken;
  }
  return standIn;
}

/** Posts what the tool must take, and returns it as it is in the channel. */
export async function postTo({ address, channel, lost }: ChatStandIn, body: string): Promise<Seen> {
  const before = channel.length;
  const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.ok(response.ok, `${response.status} ${await response.text()}`);
  assert.deepEqual(lost, []);
  return channel[before] ?? assert.fail("it is not in the channel");
}

function readJson(text: string, take: Take): Seen | Refusal {
  try {
    return take(JSON.parse(text), text);
  } catch (error) {
    if (error instanceof SyntaxError) return { refusal: "not_json", detail: error.message };
    throw error;
  }
}

interface Tool {
  readonly path: string;
  readonly take: Take;
  readonly taken: Answer;
  readonly moods: Readonly<Record<Exclude<Mood, "open">, Answer>>;
  /** `null`: it takes whatever comes. */
  readonly refuse: ((refusal: Refusal) => Answer) | null;
}

const json = (status: number, body: object, headers = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const google = (code: number, status: string, message: string): Answer =>
  json(code, { error: { code, message, status } });

const TOOLS: Readonly<Record<ChatToolName, Tool>> = {
  slack: {
    path: "/services/T00000000/B00000000/standInOfSlack",
    take: takeSlack,
    taken: { status: 200, body: "ok" },
    moods: {
      archived: { status: 410, body: "channel_is_archived" },
      limited: { status: 429, headers: { "retry-after": "30" }, body: "rate_limited" },
    },
    refuse: ({ refusal }) => ({ status: 400, body: refusal === "not_json" ? "invalid_payload" : refusal }),
  },
  teams: {
    path: "/workflows/0123456789abcdef/triggers/manual/paths/invoke",
    take: takeTeams,
    taken: { status: 202 },
    moods: {
      archived: json(400, { error: { code: "WorkflowTriggerIsNotEnabled", message: "The workflow is not enabled." } }),
      limited: json(429, { error: { code: "TooManyRequests", message: "Slow down." } }, { "retry-after": "30" }),
    },
    refuse: null,
  },
  discord: {
    path: "/api/webhooks/000000000000000000/standInOfDiscord",
    take: takeDiscord,
    taken: { status: 204 },
    moods: {
      archived: json(404, { message: "Unknown Webhook", code: 10015 }),
      limited: json(
        429,
        { message: "You are being rate limited.", retry_after: 1.337, global: false },
        {
          "retry-after": "2",
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset-after": "1.337",
        },
      ),
    },
    refuse: ({ refusal, detail }) =>
      refusal === "empty"
        ? json(400, { message: "Cannot send an empty message", code: 50006 })
        : json(400, { message: "Invalid Form Body", code: refusal === "not_json" ? 50109 : 50035, errors: { detail } }),
  },
  google_chat: {
    path: "/v1/spaces/AAAAstandIn/messages",
    take: takeGoogleChat,
    taken: json(200, { name: "spaces/AAAAstandIn/messages/1" }),
    moods: {
      archived: google(404, "NOT_FOUND", "Space not found."),
      limited: google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    },
    refuse: ({ detail }) => google(400, "INVALID_ARGUMENT", detail),
  },
};
