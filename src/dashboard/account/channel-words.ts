/** A channel's answer in words: to a test just now, and to the latest message. Pure. */
import { chatTool, toToolAnswer } from "../../bodies/chat/tools.ts";
import type { SendResult } from "../../domain/attempt.ts";
import type { ChannelAnswer, ChannelKind } from "../../domain/channel.ts";
import { oneLine } from "../../domain/plain-text.ts";
import type { StoredChannel } from "../../store/contract/recipients.ts";
import type { NewsChannelTest } from "../contract/news-channels.ts";
import type { ExplainedOutcome, OutcomeClass } from "../contract/outcomes.ts";
import { explainOutcome, statusInWords } from "../explain/outcome.ts";

/** Slack's own words, such as `no_service`, are shorter, and the errors of the others about as long. */
const ANSWER_CHARS_MAX = 200;

export interface Tested {
  readonly result: SendResult;
  readonly startedAtMs: number;
}

/** The origin stands for the URL, so that no sentence can hold its secret part. */
export function testWords(
  { result, startedAtMs }: Tested,
  { kind, origin }: Pick<StoredChannel, "kind" | "origin">,
): Omit<NewsChannelTest, "list"> {
  const met = { result, startedAtMs, url: origin, bodyBytes: null, isTest: true, isFresh: true };
  const explained = explainOutcome(met);
  const isTaken = explained.class === "success";
  return {
    isTaken,
    status: explained.status,
    ...(chatWords(kind, result) ?? WORDS[explained.class] ?? pickWords(explained)),
    answer: isTaken ? "" : ownWords(explained),
    totalMs: result.timings.totalMs,
  };
}

type ShownWords = Pick<NewsChannelTest, "sentence" | "advice">;

const pickWords = ({ sentence, advice }: ShownWords): ShownWords => ({ sentence, advice });

/** What a chat tool's answer means; `null` where it says no more than its status. */
function chatWords(kind: ChannelKind, { outcome }: SendResult): ShownWords | null {
  if (kind === "webhook" || outcome.kind !== "response") return null;
  const words = chatTool(kind).readAnswer(toToolAnswer(outcome.response));
  return words === null ? null : pickWords(words);
}

const ADD_AGAIN = "Look up its address where you got it. To change it here, remove this channel and add it again.";

/** Where the words for a webhook would lead to settings that a channel does not have. */
const WORDS: Partial<Record<OutcomeClass, ShownWords>> = {
  success: { sentence: "The channel took the test. Look there: the message says that it is a test.", advice: "" },
  bad_request: { sentence: "The channel didn't accept the message.", advice: "See what it says in its answer." },
  redirect: { sentence: "The channel's address leads to another one, which is not followed.", advice: ADD_AGAIN },
  rejected: { sentence: "The channel rejected the message.", advice: ADD_AGAIN },
  not_found: { sentence: "There is no channel at this address any more.", advice: ADD_AGAIN },
  method_not_allowed: { sentence: "What answers at this address takes no messages.", advice: ADD_AGAIN },
  gone: { sentence: "The channel's address is no longer in use.", advice: ADD_AGAIN },
};

function ownWords({ response }: ExplainedOutcome): string {
  return response?.body.kind === "text" ? oneLine(response.body.text, ANSWER_CHARS_MAX) : "";
}

/** "404 Not Found", or what stood in the way of an answer. */
export function answerWords({ outcome, status }: ChannelAnswer): string {
  return status === null ? (MET[outcome] ?? outcome.replaceAll("_", " ")) : statusInWords(status);
}

const MET: Readonly<Record<string, string>> = {
  timeout: "no answer in time",
  dns_error: "its name was not found",
  tls_error: "a certificate problem",
  network_error: "no connection",
  blocked: "its address may not be called",
  proxy_error: "the proxy could not reach it",
};
