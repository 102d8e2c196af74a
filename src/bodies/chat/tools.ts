/**
 * The chat tools: which of them an address belongs to, which writer a kept text names, and what an answer means. Pure.
 */
import type { Outcome, ReceiverResponse } from "../../domain/attempt.ts";
import type { BodyKind, ChatToolName } from "../../domain/body.ts";
import { CHAT_ADDRESSES, findChatAddress } from "../../domain/chat-addresses.ts";
import type { AnswerWords, ChatTool, ChatWriter, ToolAnswer } from "./chat-tool.ts";

import type { ChatMessage } from "./message.ts";
import { discord } from "./discord.ts";
import { googleChat } from "./google-chat.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";

const TOOLS: Readonly<Record<ChatToolName, ChatTool>> = { slack, teams, discord, google_chat: googleChat };

export const chatTool = (kind: ChatToolName): ChatTool => TOOLS[kind];

export const isChatTool = (kind: string): kind is ChatToolName => Object.hasOwn(TOOLS, kind);

/** The version that a text gets that is written now. */
export const newestVersion = (kind: ChatToolName): number => TOOLS[kind].writers.length;

/** `undefined`: a newer program has written that. */
export const findWriter = (kind: ChatToolName, version: number): ChatWriter | undefined =>
  TOOLS[kind].writers[version - 1];

/** `null`: the address belongs to none. */
export function findChatTool(url: URL): ChatTool | null {
  const found = findChatAddress(url.href);
  return found === null ? null : TOOLS[found.kind];
}

/** An answer as tools read it. */
export const toToolAnswer = ({ status, body }: ReceiverResponse): ToolAnswer => ({
  status,
  body: Buffer.from(body).toString("utf8"),
});

/** As long as the tool asks to wait in its answer's body; 0 where it does not, and where no answer came. */
export const readToolWaitMs = (tool: ChatTool | null, outcome: Outcome): number =>
  tool === null || outcome.kind !== "response" ? 0 : (tool.readAnswer(toToolAnswer(outcome.response))?.waitMs ?? 0);

/** For a message that is not made again later. */
export const writeMessage = (kind: ChatToolName, message: ChatMessage): string =>
  TOOLS[kind].writers.at(-1)?.(message) ?? "";

export interface Answered {
  readonly url: URL;
  /** What was sent. */
  readonly body: BodyKind;
  readonly answer: ToolAnswer;
}

/**
 * An answer as a person reads it, also where the webhook sends the event to a chat tool. `null`: the tool's file says
 * no more than the status does, or the address is none of a tool and the body is no tool's message.
 */
export function explainChatAnswer({ url, body, answer }: Answered): AnswerWords | null {
  // A relay of one's own has another address.
  const tool = findChatTool(url) ?? (isChatTool(body) ? TOOLS[body] : null);
  if (tool === null) return null;
  const words = tool.readAnswer(answer);
  const isAboutForm = words === null ? answer.status === 400 : words.isAboutForm;
  if (!isAboutForm || body === tool.kind) return words;
  const waitMs = words?.waitMs ?? 0;
  const { name } = CHAT_ADDRESSES[tool.kind];
  if (body === "template") {
    if (answer.status < 300) return words;
    const sentence = words?.sentence ?? `${name} refused the message.`;
    return { sentence, advice: `Compare the template with what ${name} takes.`, waitMs, isAboutForm };
  }
  return {
    sentence: `This is a ${name} address, and ${name} takes messages of its own form.`,
    advice: `Change the body to ${name}.`,
    waitMs,
    isAboutForm,
  };
}
