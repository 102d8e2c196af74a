/**
 * What a chat tool is: how a message is written for it, and what its answers mean. A file for each tool makes one;
 * `tools.ts` has them all, and `domain/chat-addresses.ts` their names and addresses.
 */
import type { ChatToolName } from "../../domain/body.ts";
import type { ChatMessage } from "./message.ts";

export interface ChatTool {
  readonly kind: ChatToolName;
  /**
   * By version, the first one at the front. A text that is kept names the version that it was written by, so a writer
   * never changes what it writes: what is to look different is the next version, behind it.
   */
  readonly writers: readonly ChatWriter[];
  /** `null` where the answer says no more than its status. Pure. */
  readAnswer(answer: ToolAnswer): AnswerWords | null;
}

/** JSON, within the tool's limits. */
export type ChatWriter = (message: ChatMessage) => string;

export interface ToolAnswer {
  readonly status: number;
  readonly body: string;
}

export interface AnswerWords {
  /** "Slack says that the channel is archived." */
  readonly sentence: string;
  /** What to do about it; empty where nothing can be done. */
  readonly advice: string;
  /** As long as the tool asks to wait in its body; 0 where it does not. */
  readonly waitMs: number;
  /** It could not read the message, so another body may help. */
  readonly isAboutForm: boolean;
}
