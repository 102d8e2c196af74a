/**
 * A TCP proxy that makes the weather of a network between two programs of this machine, and changes it while they run.
 * It knows nothing of HTTP: what it delays, holds or breaks are bytes and connections.
 */
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { pause } from "../wait.ts";

export type Weather =
  | { readonly kind: "clear" }
  /** Everything takes this much longer, each way. */
  | { readonly kind: "latency"; readonly ms: number }
  /** Connections are closed in order, and new ones at once. */
  | { readonly kind: "cut" }
  /** Connections are reset, and new ones at once. */
  | { readonly kind: "reset" }
  /** Nothing gets through, without a sign to either side. Bytes sent meanwhile arrive late, as TCP would repeat it. */
  | { readonly kind: "black_hole" }
  /** Requests arrive; in place of the first byte of an answer the connection is reset. */
  | { readonly kind: "lost_answer" };

export interface TcpProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  weather: Weather;
  /** Where connections that come from now on go, as an address that moves to another server. */
  target: ProxyTarget;
  /** Connections that bad weather has ended or never let through. */
  brokenCount(): number;
}

interface Link {
  readonly client: Socket;
  readonly target: Socket;
}

interface State {
  weather: Weather;
  target: ProxyTarget;
  broken: number;
  readonly links: Set<Link>;
}

/** A port on loopback, or the path of a socket. */
export type ProxyTarget = number | string;

/** Passes connections on to `target`. */
export async function startTcpProxy(target: ProxyTarget): Promise<TcpProxy> {
  const state: State = { weather: { kind: "clear" }, target, broken: 0, links: new Set() };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => accept(state, client));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get weather() {
      return state.weather;
    },
    set weather(next) {
      state.weather = next;
      for (const link of state.links) feel(state, link);
    },
    get target() {
      return state.target;
    },
    set target(next) {
      state.target = next;
    },
    brokenCount: () => state.broken,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const link of state.links) destroy(state, link);
      }),
  };
}

function accept(state: State, client: Socket): void {
  const to = state.target;
  const place = typeof to === "number" ? { host: "127.0.0.1", port: to, noDelay: true } : { path: to };
  const target = connect({ ...place, allowHalfOpen: true });
  const link = { client, target };
  state.links.add(link);
  for (const socket of [client, target]) {
    // A side that breaks off is noticed by the close that follows.
    socket.on("error", () => {});
    socket.on("close", () => destroy(state, link));
  }
  pass(state, link, { from: client, to: target, isAnswer: false });
  pass(state, link, { from: target, to: client, isAnswer: true });
  feel(state, link);
}

/** The weather's effect on a connection when it changes, or when the connection comes into it. */
function feel(state: State, link: Link): void {
  switch (state.weather.kind) {
    case "cut":
      state.broken += 1;
      return destroy(state, link);
    case "reset":
      return reset(state, link);
    case "black_hole":
      link.client.pause();
      link.target.pause();
      return;
    case "clear":
    case "latency":
    case "lost_answer":
      link.client.resume();
      link.target.resume();
  }
}

interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  readonly isAnswer: boolean;
}

/** In order, whatever the delays: each piece waits for the one before it. */
function pass(state: State, link: Link, { from, to, isAnswer }: Direction): void {
  let last = Promise.resolve();
  const afterLatency = (act: () => void): void => {
    const dueAtMs = performance.now() + (state.weather.kind === "latency" ? state.weather.ms : 0);
    last = last.then(() => waitUntil(dueAtMs)).then(act);
  };
  from.on("data", (chunk) => {
    if (isAnswer && state.weather.kind === "lost_answer") return reset(state, link);
    afterLatency(() => void to.write(chunk));
  });
  from.on("end", () => afterLatency(() => void to.end()));
}

function waitUntil(dueAtMs: number): Promise<void> | undefined {
  const ms = dueAtMs - performance.now();
  return ms <= 0 ? undefined : pause(ms);
}

function reset(state: State, link: Link): void {
  state.broken += 1;
  link.client.resetAndDestroy();
  destroy(state, link);
}

function destroy(state: State, link: Link): void {
  state.links.delete(link);
  link.client.destroy();
  link.target.destroy();
}
