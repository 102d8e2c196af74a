/**
 * Callers that break their connection off: a real service, every route that the app registers, odd forms besides, and
 * at each state of a request the caller resets the connection, ends its side, or closes it. The service must live,
 * answer others, and log none of it as a bug of its own.
 *
 * Some callers do it while the service is held (SIGSTOP): it then reads requests whose caller is gone already, and
 * takes connections that are reset before they are taken.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type Socket, connect } from "node:net";
import type { TestContext } from "node:test";
import type { FastifyInstance } from "fastify";
import { request } from "undici";
import { newFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { signIn } from "../test/kit/process/person.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { postHead } from "../test/kit/servers/raw-caller.ts";
import { soon } from "../test/kit/wait.ts";
import { createTestApp } from "../test/kit/world/app-under-test.ts";

interface Route {
  readonly method: string;
  readonly url: string;
}

/** What a caller sends: up to where its first head ends, and behind that. */
interface Sent {
  readonly head: string;
  readonly body: string;
}

interface Attempt {
  readonly name: string;
  readonly state: State;
  readonly way: Way;
  /** `known`: the headers of somebody who has a key and a session. */
  readonly write: (known: Headers) => Sent;
}

const WAYS = {
  resets: (socket: Socket) => socket.resetAndDestroy(),
  "ends its side": (socket: Socket) => socket.end(),
  closes: (socket: Socket) => socket.destroy(),
} as const;
type Way = keyof typeof WAYS;

interface Step {
  /** How many of the bytes are sent. */
  readonly upTo: (sent: Sent) => number;
  /** What the caller waits for before it breaks off. */
  readonly until?: "read" | "answered";
  /** The service does not run meanwhile: from before the connection, or from before the first byte. */
  readonly held?: "connection" | "bytes";
}

const whole = ({ head, body }: Sent): number => head.length + body.length;
const inLine = (): number => 5;
const inHead = ({ head }: Sent): number => Math.max(0, head.length - 3);
const inBody = ({ head, body }: Sent): number => head.length + Math.ceil(body.length / 2);

const STATES = {
  "before the first byte": { upTo: () => 0 },
  "in the first line": { upTo: inLine, until: "read" },
  "in the head": { upTo: inHead, until: "read" },
  "behind the head": { upTo: ({ head }) => head.length, until: "read" },
  "in the body": { upTo: inBody, until: "read" },
  "at once behind the end": { upTo: whole },
  "when the request was read": { upTo: whole, until: "read" },
  "when its answer comes": { upTo: whole, until: "answered" },
  "before its head is read": { upTo: inHead, held: "bytes" },
  "before its body is read": { upTo: inBody, held: "bytes" },
  "before its request is read": { upTo: whole, held: "bytes" },
  "before its connection is taken": { upTo: whole, held: "connection" },
} as const satisfies Record<string, Step>;
type State = keyof typeof STATES;

const stepOf = (state: State): Step => STATES[state];

/** How a request to a route may be written besides plainly. */
const FORMS: Readonly<Record<string, (sent: Sent) => Sent>> = {
  plainly: (sent) => sent,
  "with Expect": ({ head, body }) => ({ head: withHeader(head, "expect: 100-continue"), body }),
  "in chunks": ({ head, body }) => ({
    head: head.replace(/content-length: \d+/, "transfer-encoding: chunked"),
    body: `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  }),
  "as an upgrade": ({ head, body }) => ({
    head: withHeader(head, "connection: upgrade\r\nupgrade: websocket"),
    body,
  }),
  "twice, pipelined": ({ head, body }) => ({ head, body: `${body}${head}${body}` }),
  "with CONNECT behind it": ({ head, body }) => ({ head, body: `${body}${CONNECT}` }),
  "with no HTTP behind it": ({ head, body }) => ({ head, body: `${body}no HTTP\r\n\r\n` }),
  "in HTTP/1.0": ({ head, body }) => ({ head: head.replace("HTTP/1.1", "HTTP/1.0"), body }),
  "over a proxy": ({ head, body }) => ({ head: withHeader(head, "x-forwarded-for: 203.0.113.7, , x"), body }),
};

const withHeader = (head: string, line: string): string => head.replace(/\r\n\r\n$/, `\r\n${line}\r\n\r\n`);

const CONNECT = "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example:443\r\n\r\n";

/** Requests to no route. */
const ODD: Readonly<Record<string, string>> = {
  CONNECT,
  "no HTTP": "no HTTP at all\r\n\r\n",
  TLS: "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/0.9": "GET /healthz\r\n\r\n",
  "no host": "GET /healthz HTTP/1.1\r\n\r\n",
  "an absolute address": "GET http://a.example/healthz HTTP/1.1\r\nhost: a.example\r\n\r\n",
  "OPTIONS *": "OPTIONS * HTTP/1.1\r\nhost: a.example\r\n\r\n",
  "an address that cannot be read": "GET /%zz HTTP/1.1\r\nhost: a.example\r\n\r\n",
  "an address that is not served": "GET /nowhere HTTP/1.1\r\nhost: a.example\r\n\r\n",
  "an unknown method": "BREW /healthz HTTP/1.1\r\nhost: a.example\r\n\r\n",
  "a head that is too long": `GET /healthz HTTP/1.1\r\nhost: a.example\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`,
  "a length that is none": "POST /healthz HTTP/1.1\r\nhost: a.example\r\ncontent-length: x\r\n\r\n{}",
  "a length and chunks":
    "POST /healthz HTTP/1.1\r\nhost: a.example\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
  "an expectation that nobody meets": "GET /healthz HTTP/1.1\r\nhost: a.example\r\nexpect: tea\r\n\r\n",
};

/** Everything that the app registers, refusals of other methods among it. */
async function listRoutes(): Promise<readonly Route[]> {
  const routes: Route[] = [];
  const note = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", ({ method, url }) => {
      for (const each of [method].flat()) routes.push({ method: each, url });
    });
  };
  subscribe("fastify.initialization", note);
  await using app = await createTestApp({ BELLWIRE_PLAYGROUND: "1" });
  unsubscribe("fastify.initialization", note);
  await app.app.server.ready();
  return routes;
}

type Headers = Readonly<Record<string, string>>;

const CALLERS: Readonly<Record<string, (known: Headers) => Headers>> = {
  "a stranger": () => ({}),
  "somebody with a wrong key": () => ({ authorization: "Bearer wrong", cookie: "bellwire_session=wrong" }),
  "somebody known": (known) => known,
};

function writeRequest({ method, url }: Route, who: Headers): Sent {
  const path = url.replace(":account_id", ACCOUNT).replaceAll(/:\w+|\*/g, "new");
  const body = ["GET", "HEAD", "TRACE"].includes(method) ? "" : sessionRecord(randomUUID());
  const head = postHead(path, Buffer.byteLength(body), { "sec-fetch-site": "same-origin", ...who });
  const withBody = body === "" ? head.replace(/content-type: .*\r\ncontent-length: 0\r\n/, "") : head;
  return { head: withBody.replace("POST", method), body };
}

const BREAKS = (Object.keys(STATES) as State[]).flatMap((state) =>
  (Object.keys(WAYS) as Way[]).map((way) => ({ state, way })),
);

/** Every combination for requests to no route, and each so-manieth for the others. */
function listAttempts(routes: readonly Route[], every: number): readonly Attempt[] {
  const odd = Object.entries(ODD).flatMap(([name, head]) =>
    BREAKS.map((each) => ({ name, write: () => ({ head, body: "" }), ...each })),
  );
  let combination = 0;
  const ofRoutes = routes.flatMap((route) =>
    Object.entries(CALLERS).flatMap(([who, toHeaders]) =>
      Object.entries(FORMS).flatMap(([form, inForm]) => {
        const name = `${route.method} ${route.url} of ${who} ${form}`;
        const write = (known: Headers) => inForm(writeRequest(route, toHeaders(known)));
        return BREAKS.filter(() => combination++ % every === 0).map((each) => ({ name, write, ...each }));
      }),
    ),
  );
  return [...odd, ...ofRoutes];
}

/** A listener's queue has room for 511. */
const ATTEMPTS_AT_ONCE = 200;

export interface BreaksParams {
  readonly env: Headers;
  /** Of all requests to routes, each so-manieth is tried. A prime meets each pair of dimensions. */
  readonly every: number;
}

export async function breakOff(t: TestContext, { env, every }: BreaksParams): Promise<void> {
  using folder = newFolder();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir });
  await using service = await startService({ dataDir, env: { BELLWIRE_PLAYGROUND: "1", ...env } });
  const routes = await listRoutes();
  const attempts = listAttempts(routes, every);
  for (const held of [undefined, "bytes", "connection"] as const) {
    const alike = attempts.filter(({ state }) => stepOf(state).held === held);
    for (let from = 0; from < alike.length; from += ATTEMPTS_AT_ONCE) {
      await tryAll(service, alike.slice(from, from + ATTEMPTS_AT_ONCE), held);
    }
  }
  await assertUnharmed(service);
  const [states, ways, callers, forms, odd] = [STATES, WAYS, CALLERS, FORMS, ODD].map((all) => Object.keys(all).length);
  t.diagnostic(
    `${attempts.length} callers: ${states} states × ${ways} ways × (${odd} odd requests + every ${every}th of ` +
      `${routes.length} routes × ${callers} callers × ${forms} forms)`,
  );
}

async function tryAll(service: Running, attempts: readonly Attempt[], held: Step["held"]): Promise<void> {
  const { child } = service;
  // Anew each time: some calls end the session, and one that is still under way may end the link too.
  const { headers } = await signIn(service).catch(() => signIn(service));
  const known = { ...headers, authorization: `Bearer ${service.apiKey}` };
  if (held === "connection") child.kill("SIGSTOP");
  const callers = await Promise.all(attempts.map((attempt) => openCaller(service, attempt)));
  if (held === "bytes") {
    await answersOthers(service, attempts);
    child.kill("SIGSTOP");
  }
  for (const { socket, attempt } of callers) {
    const sent = attempt.write(known);
    const bytes = Buffer.from(`${sent.head}${sent.body}`, "latin1");
    socket.write(bytes.subarray(0, stepOf(attempt.state).upTo(sent)));
  }
  if (held === undefined) {
    const read = answersOthers(service, attempts);
    await Promise.all(callers.map((caller) => untilBreak(caller, read)));
    await read;
  }
  for (const { socket, attempt } of callers) WAYS[attempt.way](socket);
  await soon(Promise.all(callers.map(({ gone }) => gone)), "the ends of the callers");
  if (held !== undefined) child.kill("SIGCONT");
  await answersOthers(service, attempts);
  for (const { socket } of callers) socket.destroy();
}

interface OpenCaller {
  readonly socket: Socket;
  readonly attempt: Attempt;
  /** It has got a byte, or lost its connection. */
  readonly answered: Promise<void>;
  /** Its way of breaking off has reached the service's machine. */
  readonly gone: Promise<void>;
}

async function openCaller(service: Running, attempt: Attempt): Promise<OpenCaller> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(service.url).port), allowHalfOpen: true });
  const { promise: connected, resolve: connectedNow } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answeredNow } = Promise.withResolvers<void>();
  const { promise: gone, resolve: goneNow } = Promise.withResolvers<void>();
  socket.once("connect", connectedNow);
  socket.once("data", () => {
    // The rest of a long answer finds nobody who reads it.
    socket.pause();
    answeredNow();
  });
  socket.once("finish", goneNow);
  socket.once("close", () => {
    connectedNow();
    answeredNow();
    goneNow();
  });
  // The service may be the one that resets.
  socket.on("error", () => {});
  await soon(connected, "a connection");
  return { socket, attempt, answered, gone };
}

/** `read`: a caller that came later was answered. Not each request is answered: a part of one waits for the rest. */
async function untilBreak({ attempt, answered }: OpenCaller, read: Promise<void>): Promise<void> {
  const { until } = stepOf(attempt.state);
  if (until !== undefined) await read;
  if (until === "answered") await soon(answered, `an answer to ${attempt.name}`);
}

/** A service that has ended is told with what was tried last. */
async function answersOthers({ child, url }: Running, attempts: readonly Attempt[]): Promise<void> {
  // On a connection of its own: all that came before it have been taken when it is answered.
  const answer = await request(`${url}/healthz`, { reset: true }).catch(() => null);
  await answer?.body.dump();
  if (answer?.statusCode === 200) return;
  const tried = attempts.map(({ name, way, state }) => `${name} ${way} ${state}`).join("\n");
  assert.fail(`the service does not answer any more:\n${child.err.text}\nbehind one of these callers:\n${tried}`);
}

/** It has nothing to say of these callers, keeps nothing for them, and ends in order. */
async function assertUnharmed(service: Running): Promise<void> {
  const { child } = service;
  const person = await signIn(service);
  for (const path of ["/export/deliveries.csv", "/live"]) {
    const { statusCode, body } = await request(`${service.url}/dashboard${path}`, { headers: person.headers });
    body.on("error", () => {}).destroy();
    assert.equal(statusCode, 200, path);
  }
  const { code } = await service.stop();
  assert.equal(code, 0, child.err.text);
  assert.deepEqual(
    child.out.all.filter((line) => !/"msg":"(?:request|bellwire\.st\w+)"/.test(line)),
    [],
  );
  assert.deepEqual(
    child.err.all.filter((line) => !FIRST_START.test(line)),
    [],
  );
}

const FIRST_START =
  /^(?:Bellwire (?:is running|has stopped).*|This is its first start.*| {2}(?:Intake|Sign-in|First) .*|)$/;
