/** Calls of SQS for any number of messages: it takes ten at once, and says for each of them what became of it. */
import { createHash } from "node:crypto";
import type * as Library from "@aws-sdk/client-sqs";
import { splitLetters } from "../letters.ts";
import type { DeadLetter } from "../port.ts";

export interface Sqs {
  readonly lib: typeof Library;
  readonly client: Library.SQSClient;
}

export interface Queue {
  readonly url: string;
  readonly name: string;
  readonly isFifo: boolean;
  /** The most bytes of one message, its attributes included. */
  readonly bytesMax: number;
  /** The time for which a message that is in hand is shown to no other bridge, as the queue's owner has set it. */
  readonly visibilityS: number;
}

interface InHand {
  readonly receipt: string;
}

export const ENTRIES_MAX = 10;

export async function deleteAll(sqs: Sqs, queue: Queue, messages: readonly InHand[]): Promise<void> {
  await inTens(messages, async (ten) => {
    const entries = ten.map(({ receipt }, place) => ({ Id: String(place), ReceiptHandle: receipt }));
    const { Failed: failed } = await sqs.client.send(
      new sqs.lib.DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries: entries }),
    );
    refuseFailed("delete", failed);
  });
}

export async function changeVisibility(
  sqs: Sqs,
  queue: Queue,
  { messages, seconds }: { readonly messages: readonly InHand[]; readonly seconds: number },
): Promise<void> {
  await inTens(messages, async (ten) => {
    const entries = ten.map(({ receipt }, place) => ({
      Id: String(place),
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }));
    const { Failed: failed } = await sqs.client.send(
      new sqs.lib.ChangeMessageVisibilityBatchCommand({ QueueUrl: queue.url, Entries: entries }),
    );
    refuseFailed("change the visibility of", failed);
  });
}

/** One call after another, so that letters of a FIFO queue keep their order. */
export async function sendAll(sqs: Sqs, queue: Queue, letters: readonly DeadLetter[]): Promise<void> {
  // The entries of one call together have the limit of one message.
  for (const some of splitLetters(letters, { countMax: ENTRIES_MAX, bytesMax: queue.bytesMax })) {
    const entries = some.map((letter, place) => toEntry(letter, { id: String(place), isFifo: queue.isFifo }));
    const { Failed: failed } = await sqs.client.send(
      new sqs.lib.SendMessageBatchCommand({ QueueUrl: queue.url, Entries: entries }),
    );
    refuseFailed("store", failed);
  }
}

function toEntry(
  { key, headers, body }: DeadLetter,
  { id, isFifo }: { readonly id: string; readonly isFifo: boolean },
): Library.SendMessageBatchRequestEntry {
  const text = Buffer.from(body).toString("utf8");
  const attributes = Object.entries(headers).filter(([, value]) => value !== "");
  const order = {
    MessageGroupId: key ?? "bellwire",
    // The core sends a letter again when the answer was lost: with the same instant in it, so it is stored once.
    MessageDeduplicationId: createHash("sha256")
      .update(JSON.stringify([key, headers, text]))
      .digest("hex"),
  };
  return {
    Id: id,
    // SQS takes no empty body, and the reason says what there was.
    MessageBody: text === "" ? " " : text,
    MessageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, { DataType: "String", StringValue: value }]),
    ),
    ...(isFifo ? order : {}),
  };
}

async function inTens<Each>(all: readonly Each[], call: (ten: readonly Each[]) => Promise<void>): Promise<void> {
  const tens = Array.from({ length: Math.ceil(all.length / ENTRIES_MAX) }, (_, place) =>
    all.slice(place * ENTRIES_MAX, (place + 1) * ENTRIES_MAX),
  );
  await Promise.all(tens.map(call));
}

/** A receipt that has run out: the message is visible again, or another bridge has it. */
const GONE = /^(?:AWS\.SimpleQueueService\.)?(?:ReceiptHandleIsInvalid|InvalidParameterValue|MessageNotInflight)$/;

function refuseFailed(what: string, failed: readonly Library.BatchResultErrorEntry[] = []): void {
  const real = failed.filter(({ Code: code }) => what === "store" || !GONE.test(code ?? ""));
  const [first] = real;
  if (first === undefined) return;
  throw new Error(`SQS did not ${what} ${real.length} messages: ${first.Code} ${first.Message ?? ""}`.trim());
}
