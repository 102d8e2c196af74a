/**
 * The doctor's checks of the network: which addresses webhooks may call, whether names resolve, the port to listen on,
 * and whether the mail server and the operator's webhook can be reached.
 */
import type { Config } from "../../config/options.ts";
import { prefixText } from "../../egress/address-bits.ts";
import { type AddressPolicy, createAddressPolicy, createOwnAddresses } from "../../egress/address-policy.ts";
import { type Nat64, createNat64 } from "../../egress/nat64.ts";
import { type NetworkEntry, type PortRange, showAddress } from "../../egress/parse-networks.ts";
import { type DoctorContext, type Finding, bad, fine, warning } from "./finding.ts";
import { probePort } from "../probe-port.ts";
import { localUrl } from "../../lib/local-url.ts";
import { createServiceClient, parseJson } from "../service-client.ts";
import { smtpPlace } from "../../egress/smtp-protection.ts";
import { createMailer } from "../../notify/mailer.ts";

/** Asks the policy itself, so that this explanation cannot differ from the guard. */
export async function checkEgress(config: Config, { clock, resolver }: DoctorContext): Promise<Finding[]> {
  const { egressAllow: allow, egressDeny: deny, httpsOnly } = config;
  const nat64 = createNat64({ clock, resolver });
  await nat64.refresh();
  const ownAddresses = createOwnAddresses(clock);
  const policy = createAddressPolicy({ allow, deny, ownAddresses, nat64Prefixes: nat64.prefixes });
  const rules = [
    "allowed: public addresses, at ports 80, 443 and above 1023, save those of databases and the like",
    "refused: this machine, private networks, link-local and cloud metadata addresses, and names that point there;",
    "         checked when a Webhook URL is saved, and again at every connect",
    ...(httpsOnly ? ["refused by BELLWIRE_HTTPS_ONLY: Webhook URLs that start with http:"] : []),
    ...allow.map((entry) => `opened by BELLWIRE_EGRESS_ALLOW: ${networkWords(entry)}`),
    ...deny.map((entry) => `closed by BELLWIRE_EGRESS_DENY: ${networkWords(entry)}`),
    ...translationWords(nat64),
  ];
  return [fine("What webhooks may call:", rules), ...sourceWords(config), ...dangers(policy, config)];
}

/** Receivers' firewalls are set by them, so a wrong one is a webhook that never arrives. */
function sourceWords({ sourceAddresses, egressProxy }: Config): Finding[] {
  if (sourceAddresses.length === 0) return [];
  const who = egressProxy === null ? "this machine, or of what translates its addresses" : "the egress proxy";
  return [
    fine("Owners read under Settings → Verification that webhooks come from:", [
      ...sourceAddresses.map(showAddress),
      `Receivers let in nothing else, so these must be the public addresses of ${who}.`,
    ]),
  ];
}

function translationWords(nat64: Nat64): string[] {
  if (!nat64.isKnown()) return ["NAT64: not known, the name servers did not say (ipv4only.arpa)"];
  return nat64
    .prefixes()
    .map((prefix) => `NAT64 of this network: ${prefixText(prefix)}, where the IPv4 address behind it is checked too`);
}

function networkWords({ cidr, ports }: NetworkEntry): string {
  if (ports === null) return `${cidr}, every port`;
  const isOne = ports.length === 1 && ports[0]?.from === ports[0]?.to;
  return `${cidr} at ${isOne ? "port" : "ports"} ${ports.map(portWords).join(", ")}`;
}

const portWords = ({ from, to }: PortRange): string => (from === to ? String(from) : `${from} to ${to}`);

function dangers(policy: AddressPolicy, { port }: Config): Finding[] {
  const found: Finding[] = [];
  const advice = "Narrow BELLWIRE_EGRESS_ALLOW to the addresses and ports that receivers have.";
  if (policy.check("169.254.169.254", 80) === null) {
    found.push(warning("Webhooks may call the cloud metadata address, which hands out credentials.", advice));
  }
  if (port !== 0 && policy.check("127.0.0.1", port) === null) {
    found.push(warning(`Webhooks may call Bellwire itself, at port ${port} of this machine.`, advice));
  }
  return found;
}

/** A name that is reserved for examples and exists. The check only asks whether the name servers answer. */
const ASKED_NAME = "example.com";

export async function checkNames(_config: Config, { resolver, clock }: DoctorContext): Promise<Finding[]> {
  const startedMs = clock.monotonicMs();
  const resolved = await resolver.resolve(ASKED_NAME);
  const tookMs = Math.round(clock.monotonicMs() - startedMs);
  // A server that does not know the name has answered; a closed network looks like that.
  const hasAnswered = resolved.ok || ["ENOTFOUND", "ENODATA"].includes(resolved.error.code);
  if (hasAnswered)
    return [fine(`Name servers answer (${ASKED_NAME}: ${resolved.ok ? "known" : "not known"}, ${tookMs} ms).`)];
  const text = `Names do not resolve: ${resolved.error.message} (${resolved.error.code}, ${tookMs} ms).`;
  return [warning(text, "Only webhooks to plain addresses can be delivered. Check /etc/resolv.conf and the firewall.")];
}

export async function checkListening(config: Config): Promise<Finding[]> {
  const { host, port } = config;
  const findings = exposure(config);
  const code = await probePort({ host, port });
  if (code === null) {
    const text = port === 0 ? `Any free port of ${host} will be taken.` : `Port ${port} of ${host} is free.`;
    return [fine(text), ...findings];
  }
  if (code === "EADDRINUSE" && (await isBellwire(localUrl(config)))) {
    return [fine(`Port ${port} of ${host} is used by a running Bellwire.`), ...findings];
  }
  return [bad(`Port ${port} of ${host} cannot be listened on (${code}).`, adviceFor(code)), ...findings];
}

/** Intake keys and sign-in links cross this connection in clear text. */
function exposure({ host, publicUrl }: Config): Finding[] {
  if (["127.0.0.1", "::1", "localhost"].includes(host)) return [];
  if (publicUrl?.startsWith("https:") === true) return [];
  const text = `The service listens on ${host}, open to others, and BELLWIRE_PUBLIC_URL is not an https address.`;
  return [warning(text, "Put a proxy with TLS in front: intake keys would otherwise cross the network in clear text.")];
}

async function isBellwire(url: string): Promise<boolean> {
  await using client = createServiceClient({ url, key: null });
  const answer = await client.call({ method: "GET", path: "/healthz" });
  const health = answer.kind === "answered" && answer.status === 200 ? parseJson(answer.text) : undefined;
  return typeof health === "object" && health !== null && "status" in health && health.status === "alive";
}

function adviceFor(code: string): string {
  if (code === "EADDRINUSE") return "Another program has it: set BELLWIRE_PORT to a free one, or stop that program.";
  if (code === "EACCES") return "Ports below 1024 need a permission: set BELLWIRE_PORT to a higher one.";
  return "Set BELLWIRE_HOST to an address of this machine, or to 127.0.0.1.";
}

/* The doctor's check of the operator's own webhook. It sends nothing: `bellwire notify-test` does. */

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export function checkOperatorWebhook({ operatorWebhookUrl: url }: Config): Finding[] {
  if (url === null) return [fine("The operator gets no notices: BELLWIRE_OPERATOR_WEBHOOK_URL is not set.")];
  const { origin, protocol, hostname } = new URL(url);
  const test = "bellwire notify-test sends a test.";
  if (protocol === "https:" || LOOPBACK.test(hostname))
    return [fine(`Notices to the operator go to ${origin}.`, [test])];
  return [
    warning(
      `Notices to the operator go to ${origin} in clear text.`,
      "They name accounts and receivers: use https.",
      test,
    ),
  ];
}

/* The doctor's check of the mail server: it connects and signs in as the service does, and sends no e-mail. */

/** Never "bad": webhooks go out without it. */
export async function checkMail({ smtpUrl, mailFrom: from }: Config): Promise<Finding[]> {
  if (smtpUrl === null) return [fine("Owners get no e-mail about failures: BELLWIRE_SMTP_URL is not set.")];
  await using mailer = createMailer({ smtpUrl, from });
  const place = smtpPlace(smtpUrl);
  try {
    await mailer.check();
    return [fine(`The mail server ${place} takes e-mails, as ${from}.`)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const after = "E-mails about failures wait for up to a day. Webhooks are not touched by it.";
    return [warning(`The mail server ${place} cannot be used.`, reason, after)];
  }
}
