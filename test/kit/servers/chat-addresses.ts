/**
 * The stand-ins of the chat tools at addresses like the tools' own: `https://hooks.slack.com:…/services/…` leads to
 * this machine for as long as they are there, and its certificate is one that this process takes. For tests that begin
 * with what a person pastes.
 */
import { Resolver } from "node:dns/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { CHAT_TOOLS, type ChatToolName } from "../../../src/domain/body.ts";
import { makeAuthority } from "./certificates.ts";
import { type ChatStandIn, startChatTool } from "./chat-tools.ts";
import { startTlsFront } from "./tls-front.ts";

const HOSTS: Readonly<Record<ChatToolName, string>> = {
  slack: "hooks.slack.com",
  teams: "prod-12.westeurope.logic.azure.com",
  discord: "discord.com",
  google_chat: "chat.googleapis.com",
};

export interface AddressedTool {
  readonly tool: ChatStandIn;
  /** As the tool gives it to its users, but for the port. */
  readonly address: string;
}

export interface AddressedTools extends Readonly<Record<ChatToolName, AddressedTool>>, AsyncDisposable {}

export async function startAddressedTools(): Promise<AddressedTools> {
  await using starting = new AsyncDisposableStack();
  const authority = makeAuthority("the chat tools' CA");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, authority.certificate]);
  starting.defer(() => setDefaultCACertificates(before));
  starting.defer(answerNames(new Set(Object.values(HOSTS))));
  const tools = await Promise.all(
    CHAT_TOOLS.map(async (kind) => {
      const tool = starting.use(await startChatTool(kind));
      const inner = new URL(tool.address);
      const front = starting.use(await startTlsFront(Number(inner.port), { name: HOSTS[kind], authority }));
      return [kind, { tool, address: `https://${HOSTS[kind]}:${front.port}${inner.pathname}` }] as const;
    }),
  );
  const parts = starting.move();
  return {
    ...(Object.fromEntries(tools) as Record<ChatToolName, AddressedTool>),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** These names have the address of this machine; all others are asked for as before. Returns its end. */
function answerNames(names: ReadonlySet<string>): () => void {
  const { resolve4, resolve6 } = Resolver.prototype;
  const answer = (name: string, addresses: readonly string[]) =>
    addresses.length === 0
      ? Promise.reject(Object.assign(new Error(`query ENODATA ${name}`), { code: "ENODATA" }))
      : Promise.resolve(addresses.map((address) => ({ address, ttl: 60 })));
  Object.assign(Resolver.prototype, {
    resolve4(this: Resolver, name: string, options: { ttl: true }) {
      return names.has(name) ? answer(name, ["127.0.0.1"]) : resolve4.call(this, name, options);
    },
    resolve6(this: Resolver, name: string, options: { ttl: true }) {
      return names.has(name) ? answer(name, []) : resolve6.call(this, name, options);
    },
  });
  return () => void Object.assign(Resolver.prototype, { resolve4, resolve6 });
}
