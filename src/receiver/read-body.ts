/** Reads a request's whole body, up to the size that a webhook can have. */
import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX } from "./take-webhook.ts";

/**
 * Calls back once: with the whole body, or with `null` as soon as it is too large. Never for a body that is cut off.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) return void chunks.push(chunk);
    request.off("data", keep).off("end", finish);
    done(null);
  };
  const finish = (): void => done(Buffer.concat(chunks));
  request.on("data", keep).on("end", finish);
  // Its sender went away and needs no answer; an error without a listener would end the process.
  request.on("error", () => {});
}
