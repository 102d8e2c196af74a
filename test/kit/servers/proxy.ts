/**
 * A forward proxy for tests: a real one on a free loopback port that takes `CONNECT` and nothing else, records what it
 * was asked for, and can be told to misbehave. Disposing it ends every tunnel.
 */
import { type AddressInfo, type Socket, connect, createServer } from "node:net";

export interface ProxyOptions {
  /** `tunnel` connects; a number is answered as a status; a text is sent as it is; `hang` and `close` say nothing. */
  readonly does?: "tunnel" | "hang" | "close" | number | { readonly raw: string };
  /** The value of `proxy-authorization` without which it answers 407. */
  readonly authorization?: string;
}

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The whole head of each request, as it came. */
  readonly requests: readonly string[];
  /** Resolves when no socket is open, neither to a client nor to a target. */
  allClosed(): Promise<void>;
}

export async function startProxy({ does = "tunnel", authorization }: ProxyOptions = {}): Promise<TestProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let wake = () => {};
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) wake();
    });
  };

  const server = createServer((client) => {
    track(client);
    let head = "";
    const onData = (chunk: Buffer) => {
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      client.off("data", onData);
      requests.push(head);
      answer(client, head);
    };
    client.on("data", onData);
  });

  function answer(client: Socket, head: string): void {
    const wants407 = authorization !== undefined && !head.includes(`\r\nproxy-authorization: ${authorization}\r\n`);
    if (does === "hang") return void client.resume();
    if (does === "close") return void client.end();
    if (typeof does === "object") return void client.write(does.raw, "latin1");
    if (does !== "tunnel" || wants407) return refuse(client, wants407 ? 407 : Number(does));
    tunnel(client, head);
  }

  function tunnel(client: Socket, head: string): void {
    const [, host = "", port = ""] = /^CONNECT \[?([^\s\]]+?)\]?:(\d+) HTTP\/1\.1\r\n/.exec(head) ?? [];
    const target = connect(Number(port), host);
    track(target);
    target.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\nvia: 1.1 test\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    target.once("error", () => refuse(client, 502));
    target.once("close", () => client.destroy());
    client.once("close", () => target.destroy());
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    allClosed: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function refuse(client: Socket, status: number): void {
  if (!client.destroyed) client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
}
