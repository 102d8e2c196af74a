/**
 * One live stream for all windows of a browser: a shared worker, which ends with the last of them. A browser allows six
 * connections to a server over HTTP/1.1, and a stream keeps its own: with one for each window, the seventh would never
 * load. Unlike locks, shared workers are there over plain http too.
 */
import { type LiveState, type LiveStream, createLiveStream } from "./live-stream.ts";

/** A window that is looked at, or not any more. */
export interface Looking {
  readonly address: string;
  readonly isLooking: boolean;
}

const lookers = new Set<MessagePort>();
let stream: LiveStream | null = null;
let state: LiveState = "reconnecting";

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.addEventListener("message", ({ data }: MessageEvent<Looking>) => follow(port, data));
  port.start();
});

function follow(port: MessagePort, { address, isLooking }: Looking): void {
  if (isLooking) lookers.add(port);
  else lookers.delete(port);
  if (lookers.size === 0) {
    stream?.close();
    stream = null;
    state = "reconnecting";
  } else if (stream === null) {
    stream = createLiveStream(address, (message) => {
      if ("state" in message) state = message.state;
      for (const looker of lookers) looker.postMessage(message);
    });
    stream.open();
  } else if (isLooking && state === "live") {
    port.postMessage({ state });
  } else if (isLooking) {
    // Somebody who has just come, perhaps by signing in, does not wait for the next try.
    stream.open();
  }
}
