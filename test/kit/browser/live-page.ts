/** The live stream as a page reads it, over a real socket. */
import { type IncomingMessage, get } from "node:http";
import { get as getByTls } from "node:https";

export interface Frame {
  /** Empty when the frame has none. */
  readonly id: string;
  readonly topic: string;
  readonly data: unknown;
}

export interface Listen {
  readonly port: number;
  readonly cookie: string;
  /** Over TLS with `localhost`, whose certificate this authority made. */
  readonly ca?: string;
  readonly lastEventId?: string | undefined;
}

/** As EventSource does it; `next` waits for the first frame that is wanted, `ended` for the end of the stream. */
export async function listenLive({ port, cookie, ca, lastEventId }: Listen) {
  const headers = {
    cookie,
    accept: "text/event-stream",
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { port, path: "/dashboard/live", headers, agent: false } as const;
    const asked =
      ca === undefined
        ? get({ ...options, host: "127.0.0.1" }, resolve)
        : getByTls({ ...options, host: "localhost", ca }, resolve);
    asked.on("error", reject);
  });
  const frames: Frame[] = [];
  let text = "";
  let wake = (): void => {};
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, id = "", topic = "", data = ""] = /^(?:id: (.+)\n)?event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (topic !== "") frames.push({ id, topic, data: JSON.parse(data) });
    }
    wake();
  });
  response.on("close", end);
  response.on("error", () => {});

  return {
    status: response.statusCode,
    headers: response.headers,
    frames,
    ended,
    async next(isWanted: (frame: Frame) => boolean): Promise<Frame> {
      for (;;) {
        const found = frames.find(isWanted);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.dispose]: () => void response.destroy(),
  };
}
