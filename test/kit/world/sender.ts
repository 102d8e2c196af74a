/** The sender of production for tests: real sockets, the real guard, name servers as the test writes them. */
import assert from "node:assert/strict";
import type { WebhookRequest } from "../../../src/delivery/send/request.ts";
import { type Sender, type SenderOptions, createSender } from "../../../src/delivery/send/send.ts";
import { createAddressPolicy } from "../../../src/egress/address-policy.ts";
import { createEgressGuard } from "../../../src/egress/guard.ts";
import { parseEgressAllow } from "../../../src/egress/parse-networks.ts";
import { parseEgressProxy } from "../../../src/egress/proxy-tunnel.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { type Zone, toResolver, scriptedDns } from "../servers/scripted-dns.ts";

export interface SenderSetup extends Partial<SenderOptions> {
  /** As in `BELLWIRE_EGRESS_ALLOW`; loopback unless said otherwise. */
  readonly allow?: string;
  readonly zone?: Zone;
  readonly ttl?: number;
  /** As in `BELLWIRE_EGRESS_PROXY`. */
  readonly proxy?: string;
  readonly ownAddresses?: () => readonly string[];
}

/** `hook.test` is 127.0.0.1 unless the zone says otherwise. */
export function makeSender(setup: SenderSetup = {}): Sender {
  const { allow: allowText = "127.0.0.0/8", zone = { "hook.test": ["127.0.0.1"] }, ttl, proxy: proxyText = "" } = setup;
  const { ownAddresses = () => [], ...options } = setup;
  const allow = parseEgressAllow(allowText);
  const proxy = parseEgressProxy(proxyText);
  assert.ok(allow.ok && proxy.ok);
  const guard = createEgressGuard({
    policy: createAddressPolicy({ allow: allow.value, ownAddresses }),
    resolver: toResolver(scriptedDns(zone, ttl)),
    proxy: proxy.value,
  });
  return createSender({ guard, clock: systemClock, deadlineMs: 300, ...options });
}

/** A request as `buildRequest` makes them, but for the signature. */
export function requestTo(url: string, overrides: Partial<WebhookRequest> = {}): WebhookRequest {
  const body = overrides.body ?? '{"name":"Zoë – 東京","big":9007199254740993}';
  const headers = { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}`, "x-own": "1" };
  const bytes = Buffer.from(body);
  return { lane: "dst_1", url: new URL(url), headers, maskedHeaders: headers, body, bytes, ...overrides };
}
