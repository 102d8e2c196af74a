/** The answer of a chat tool in its own words, whatever the webhook sends to it. Pure. */
import { explainChatAnswer, findChatTool, toToolAnswer } from "../../bodies/chat/tools.ts";
import type { AnswerWords } from "../../bodies/chat/chat-tool.ts";
import type { ReceiverResponse } from "../../domain/attempt.ts";
import type { Remedy } from "../contract/outcomes.ts";
import type { Told } from "./words.ts";

/** The remedy is left out where another body would not help. */
export interface ChatWords extends AnswerWords {
  readonly remedy?: Remedy;
}

/** `null` where no chat tool answers, and where one says no more than its status. */
export function explainChat(response: ReceiverResponse, { url, sends = "event" }: Told): ChatWords | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const words = explainChatAnswer({ url: parsed, body: sends, answer: toToolAnswer(response) });
  const tool = findChatTool(parsed);
  // A template may be a message of the tool that has a mistake: whoever wrote it mends it.
  if (words === null || !words.isAboutForm || tool === null || sends === "template" || sends === tool.kind)
    return words;
  return { ...words, remedy: { kind: "use_body", body: tool.kind } };
}
