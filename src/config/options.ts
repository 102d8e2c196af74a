/**
 * Every setting, once: its variable, kind, default, unit, and effect. The program reads its settings by this table, and
 * `docs/config.md` is written from it, so the two cannot differ. A new setting is one row here.
 */
import { ok } from "../lib/result.ts";
import {
  type NetworkEntry,
  parseEgressAllow,
  parseEgressDeny,
  parseTrustedProxies,
  showAddress,
  showNetwork,
} from "../egress/parse-networks.ts";
import { parseEgressProxy, showEgressProxy } from "../egress/proxy-tunnel.ts";
import { daysMs, secondsMs } from "../lib/duration.ts";
import {
  parseMailFrom,
  parseOperatorSecret,
  parseOperatorUrl,
  parseSmtpUrl,
  parseDatabase,
  parseEncryptionKey,
  parseFolder,
  parseSignatureHeader,
  showDatabase,
} from "./option-text.ts";
import {
  API_KEY_CHARS_MIN,
  parseApiKeys,
  parseHost,
  type Parsed,
  parsePublicUrl,
} from "../lib/settings/option-text.ts";
import { LOG_LEVEL, oneOf, SWITCH, type ValuesOf, wholeNumber } from "../lib/settings/option.ts";
import { defineOptions } from "./option.ts";
import { PRODUCT_OPTIONS } from "./product-options.ts";
import { TELEMETRY_OPTIONS } from "./telemetry-options.ts";

export const DATABASE_POOLERS = ["none", "transaction"] as const;

const DAYS = { ...wholeNumber(1, 3_650, daysMs(1)), unit: "days" };

export const OPTIONS = defineOptions({
  database: {
    variable: "BELLWIRE_DATABASE",
    isSecret: true,
    kind: "`sqlite:` and a path, `sqlite::memory:`, or `postgres://user:password@host/database`",
    default: "sqlite:data/bellwire.db",
    defaultShown: "`sqlite:data/bellwire.db` (`bellwire.db` in the data folder)",
    sentence:
      "Where everything is stored: a file for one process, or a PostgreSQL database (14 or newer) that any number of " +
      "nodes share. `sqlite::memory:` forgets it all when the process ends.",
    parse: parseDatabase,
    show: showDatabase,
  },
  databasePooler: {
    ...oneOf(DATABASE_POOLERS),
    variable: "BELLWIRE_DATABASE_POOLER",
    default: "none",
    sentence:
      "`transaction` for a PostgreSQL behind PgBouncer (or the like) in transaction mode. Bellwire then leaves no " +
      "state on a session and names no statement: any version works, `max_prepared_statements` or not. " +
      "Nodes do not listen to each other: a node finds another one's due deliveries within a quarter of a second.",
  },
  dataDir: {
    variable: "BELLWIRE_DATA_DIR",
    kind: "path of a folder",
    default: "data",
    sentence: "Holds the keys that the first start makes, and the database unless that is set itself.",
    parse: parseFolder,
    show: String,
  },
  host: {
    variable: "BELLWIRE_HOST",
    kind: "IP address or host name",
    // Intake keys cross this connection in clear text, so opening it to the network is a decision, and not the default.
    default: "127.0.0.1",
    sentence:
      "Address to listen on. The default lets only this machine in, where a proxy with TLS belongs; " +
      "`0.0.0.0` (or `::`) listens on every network, as a container needs.",
    parse: parseHost,
    show: String,
  },
  port: {
    ...wholeNumber(0, 65_535),
    variable: "BELLWIRE_PORT",
    default: "7070",
    sentence: "Port to listen on; 0 takes any that is free.",
  },
  publicUrl: {
    variable: "BELLWIRE_PUBLIC_URL",
    kind: "URL, with a path where a proxy shows the service below one",
    default: "",
    defaultShown: "`http://localhost:<port>`",
    sentence:
      "How people's browsers reach this service; sign-in links start with it. With a path, such as " +
      "`https://example.com/bellwire`, requests are taken with and without it, as proxies differ.",
    parse: parsePublicUrl,
    show: (url) => url ?? "http://localhost:<port>",
  },
  apiKeys: {
    variable: "BELLWIRE_API_KEY",
    isSecret: true,
    kind: `one key, or several separated by commas; each at least ${API_KEY_CHARS_MIN} characters`,
    default: "",
    defaultShown: "made by the first start: `intake-key` in the data folder",
    sentence:
      "Key with which the product's back end signs in to intake. With several, each works, so that keys can change.",
    parse: parseApiKeys,
    show: (keys) => (keys.length === 0 ? "from the data folder" : `set (${keys.length}, not shown)`),
  },
  encryptionKey: {
    variable: "BELLWIRE_ENCRYPTION_KEY",
    isSecret: true,
    kind: "base64 of 32 bytes",
    default: "",
    defaultShown: "made by the first start: `encryption-key` in the data folder",
    sentence:
      "Encrypts verification secrets and secret header values at rest. Keep a copy: without it they are lost. " +
      "`openssl rand -base64 32` makes one.",
    parse: parseEncryptionKey,
    show: (key) => (key === null ? "from the data folder" : "set (not shown)"),
  },
  egressAllow: {
    variable: "BELLWIRE_EGRESS_ALLOW",
    kind: "addresses and networks, separated by commas, each with optional ports",
    default: "",
    sentence:
      "Private networks that webhooks may call although they are refused by default, " +
      "such as `10.1.2.0/24:8443` or `[fd00::/8]:8000-8099`.",
    parse: parseEgressAllow,
    show: showNetworks,
  },
  egressDeny: {
    variable: "BELLWIRE_EGRESS_DENY",
    kind: "addresses and networks, as in `BELLWIRE_EGRESS_ALLOW`",
    default: "",
    sentence:
      "Networks that webhooks may not call although they are public, such as a public block that you use inside: " +
      "`11.0.0.0/8`. It wins over `BELLWIRE_EGRESS_ALLOW`.",
    parse: parseEgressDeny,
    show: showNetworks,
  },
  trustedProxies: {
    variable: "BELLWIRE_TRUSTED_PROXIES",
    kind: "addresses and networks, separated by commas, without ports",
    default: "",
    defaultShown: "none: `x-forwarded-for` is not read",
    sentence:
      "Your own proxies and load balancers, as this service sees them, such as `10.0.0.0/8`. The caller's address, " +
      "by which wrong keys and links are limited and which audit and access log have, is then the one that they name.",
    parse: parseTrustedProxies,
    show: (entries) => (entries.length === 0 ? "none" : entries.map(showAddress).join(",")),
  },
  httpsOnly: {
    ...SWITCH,
    variable: "BELLWIRE_HTTPS_ONLY",
    sentence:
      "`1` refuses Webhook URLs that start with `http:`, and calls none that was saved before: see " +
      "[Secure](secure.md#https-only).",
  },
  egressProxy: {
    variable: "BELLWIRE_EGRESS_PROXY",
    isSecret: true,
    kind: "`http://host:port`, with `name:password@` where the proxy asks for it",
    default: "",
    sentence:
      "Forward proxy that webhooks go out through, by `CONNECT` for http and https. Names are still resolved and " +
      "checked here, and the proxy is asked for the checked address. Faults of the proxy do not count against a " +
      "destination.",
    parse: parseEgressProxy,
    show: showEgressProxy,
  },
  ...PRODUCT_OPTIONS,
  signatureHeader: {
    variable: "BELLWIRE_SIGNATURE_HEADER",
    kind: "header name in lower case",
    default: "x-service-signature",
    sentence: "Name of the header that carries the signature of each webhook.",
    parse: parseSignatureHeader,
    show: String,
  },
  inFlightMax: {
    ...wholeNumber(1, 10_000),
    variable: "BELLWIRE_IN_FLIGHT_MAX",
    unit: "deliveries",
    default: "2048",
    sentence:
      "The most deliveries that this process holds at once, in flight or about to be; bounds its sockets and memory. " +
      "One account has half of them at most.",
  },
  shutdownDeadlineMs: {
    ...wholeNumber(1, 600, secondsMs(1)),
    variable: "BELLWIRE_SHUTDOWN_DEADLINE_SECONDS",
    unit: "seconds",
    // One attempt may take 15 s, and its result must be stored; Kubernetes kills after 30 s.
    default: "20",
    sentence:
      "How long a stop waits for requests and attempts in flight before it ends them; no event is lost by that.",
  },
  payloadRetentionMs: {
    ...DAYS,
    variable: "BELLWIRE_PAYLOAD_RETENTION_DAYS",
    default: "30",
    sentence: "How long the bodies of webhooks are kept. Without its body a delivery cannot be sent again.",
  },
  attemptBodyRetentionMs: {
    ...DAYS,
    variable: "BELLWIRE_ATTEMPT_BODY_RETENTION_DAYS",
    default: "7",
    sentence: "How long the headers and bodies of receivers' answers are kept.",
  },
  rowRetentionMs: {
    ...DAYS,
    variable: "BELLWIRE_ROW_RETENTION_DAYS",
    default: "90",
    sentence: "How long the rows of deliveries and attempts are kept. Pending deliveries are never deleted.",
  },
  smtpUrl: {
    variable: "BELLWIRE_SMTP_URL",
    isSecret: true,
    kind: "`smtp://` or `smtps://`, host and port, with `name:password@` where the server asks for it",
    default: "",
    defaultShown: "none: no e-mail is sent",
    sentence: "Mail server for e-mail to owners when a destination fails, is turned off or works again.",
    parse: parseSmtpUrl,
    show: (url) => (url === null ? "none" : "set (not shown)"),
  },
  mailFrom: {
    variable: "BELLWIRE_MAIL_FROM",
    kind: "e-mail address, with a name before it if you like",
    default: "Bellwire <bellwire@localhost>",
    defaultShown: "`Bellwire <bellwire@localhost>`, with the name of `BELLWIRE_BRAND_NAME`",
    sentence: "Sender of those messages.",
    parse: parseMailFrom,
    show: String,
  },
  operatorWebhookUrl: {
    variable: "BELLWIRE_OPERATOR_WEBHOOK_URL",
    isSecret: true,
    kind: "`https://` or `http://` address",
    default: "",
    defaultShown: "none: the operator gets no notices",
    sentence:
      "Address for signed notices to the operator; [notices](notices.md#the-operators-webhook) lists them. " +
      "It is trusted: private addresses are called too, and no proxy is used.",
    parse: parseOperatorUrl,
    show: (url) => (url === null ? "none" : `${new URL(url).origin} (its path is not shown)`),
  },
  operatorWebhookSecret: {
    variable: "BELLWIRE_OPERATOR_WEBHOOK_SECRET",
    isSecret: true,
    kind: "`whsec_` and base64 of 24 to 64 bytes",
    default: "",
    defaultShown: "none; needed with the URL",
    sentence: "Secret that signs those webhooks. `echo whsec_$(openssl rand -base64 32)` makes one.",
    parse: parseOperatorSecret,
    show: (secret) => (secret === null ? "none" : "set (not shown)"),
  },
  events: {
    variable: "BELLWIRE_EVENTS",
    kind: "path of a folder",
    default: "",
    defaultShown: "none: the two built-in types are all",
    sentence:
      "Folder with event types of your own, a JSON file each; read at start. `bellwire events check` checks them " +
      "without one.",
    parse: (text): Parsed<string | null> => (text === "" ? ok(null) : parseFolder(text)),
    show: (folder: string | null) => folder ?? "none",
  },
  hasPlayground: {
    ...SWITCH,
    variable: "BELLWIRE_PLAYGROUND",
    sentence:
      "`1` gives the dashboard a page on which owners send a session or a conversation by hand, as the product " +
      "would. For trying out: it makes real events. The demo has it on.",
  },
  hasManagement: {
    ...SWITCH,
    variable: "BELLWIRE_MANAGEMENT",
    sentence:
      "`1` opens calls by which programs make, change, pause, test and delete webhooks over HTTP, each with a manage " +
      "key that an owner or you make. Closed, which is the specification's, none of these addresses exists: webhooks " +
      "are set up in the dashboard alone.",
  },
  logLevel: LOG_LEVEL,
  hasAccessLog: {
    ...SWITCH,
    variable: "BELLWIRE_ACCESS_LOG",
    sentence:
      "`1` writes a line `request` for each answer: the caller's address, method, path, status and milliseconds, " +
      "without queries and tokens.",
  },
  ...TELEMETRY_OPTIONS,
});

/** What each row parses; durations are in milliseconds. */
export type Config = ValuesOf<typeof OPTIONS>;

function showNetworks(entries: readonly NetworkEntry[]): string {
  return entries.length === 0 ? "none" : entries.map(showNetwork).join(", ");
}
