/**
 * Settings of `bellwire bridge`, the process that brings records from a broker. They are rows of the table in
 * `options.ts`. The names are the same for every broker; docs/bridges.md says what each means for which.
 */
import { ok } from "../domain/problem.ts";
import {
  parseAccountRule,
  parseBrokerAddresses,
  parsePem,
  parseEventType,
  parseSubjectRule,
  type SubjectRule,
} from "./bridge-text.ts";
import type { Option } from "./option.ts";
import { parseOneOf, parsePublicUrl, parseWholeNumber } from "./option-text.ts";

/** As Kafka writes them. */
export const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

export interface BridgeConfig {
  /** Without a slash at the end. `null`: the service on this machine. */
  readonly bridgeServiceUrl: string | null;
  /** 0 takes any free port. */
  readonly bridgePort: number;
  /** As the operator wrote them, each for its broker's client; may carry passwords. */
  readonly bridgeBroker: readonly string[];
  readonly bridgeSource: string;
  readonly bridgeGroup: string;
  readonly bridgeDeadLetters: string;
  readonly bridgeUser: string;
  readonly bridgePassword: string;
  readonly bridgeSasl: SaslMechanism;
  /** The content of a NATS credentials file. */
  readonly bridgeCredentials: string;
  /** PEM; empty when not set. */
  readonly bridgeTlsCa: string;
  readonly bridgeTlsCertificate: string;
  readonly bridgeSubject: SubjectRule;
  /** An account's id, `{key}`, or empty. */
  readonly bridgeAccount: string;
  readonly bridgeEvent: string | null;
  readonly bridgeInHandMax: number;
}

const SECRET = { isSecret: true, default: "", defaultShown: "none" } as const;
const LONG = { ...SECRET, isLong: true } as const;

const plain = (text: string) => ok(text);
const showSecret = (text: string): string => (text === "" ? "none" : "set (not shown)");
const showText = (text: string): string => (text === "" ? "none" : text);

export const BRIDGE_OPTIONS: { readonly [Field in keyof BridgeConfig]: Option<BridgeConfig[Field]> } = {
  bridgeBroker: {
    ...SECRET,
    variable: "BELLWIRE_BRIDGE_BROKER",
    kind: "address of the broker, or several separated by commas",
    defaultShown: "none; the bridge needs it",
    sentence: "For `bellwire bridge`: where the broker is, such as `nats://nats:4222`. [Bridges](bridges.md) has each.",
    parse: parseBrokerAddresses,
    show: (addresses) => (addresses.length === 0 ? "none" : `set (${addresses.length}, not shown)`),
  },
  bridgeSource: {
    variable: "BELLWIRE_BRIDGE_SOURCE",
    kind: "name",
    default: "",
    defaultShown: "none; the bridge needs it",
    sentence:
      "What the bridge consumes: a NATS stream, a RabbitMQ or SQS queue, a Kafka topic (or several, with commas).",
    parse: plain,
    show: showText,
  },
  bridgeGroup: {
    variable: "BELLWIRE_BRIDGE_GROUP",
    kind: "name",
    default: "bellwire",
    sentence: "Durable consumer (NATS) or consumer group (Kafka) that all bridges of a source share.",
    parse: plain,
    show: String,
  },
  bridgeDeadLetters: {
    variable: "BELLWIRE_BRIDGE_DEAD_LETTERS",
    kind: "name",
    default: "",
    defaultShown: "none; the bridge needs it",
    sentence: "Where refused records go, with their reason: a NATS subject, a queue, or a Kafka topic. It must exist.",
    parse: plain,
    show: showText,
  },
  bridgeUser: {
    variable: "BELLWIRE_BRIDGE_USER",
    kind: "name",
    default: "",
    sentence: "Name with which the bridge signs in to the broker.",
    parse: plain,
    show: showText,
  },
  bridgePassword: {
    ...SECRET,
    variable: "BELLWIRE_BRIDGE_PASSWORD",
    kind: "password",
    sentence: "Password to that name.",
    parse: plain,
    show: showSecret,
  },
  bridgeSasl: {
    variable: "BELLWIRE_BRIDGE_SASL",
    kind: SASL_MECHANISMS.map((name) => `\`${name}\``).join(", "),
    default: "SCRAM-SHA-512",
    sentence: "Kafka only: how the bridge signs in with name and password. `PLAIN` sends the password itself: use TLS.",
    parse: parseOneOf(SASL_MECHANISMS),
    show: String,
  },
  bridgeCredentials: {
    ...LONG,
    variable: "BELLWIRE_BRIDGE_CREDENTIALS",
    kind: "content of a `.creds` file, or the seed of an nkey",
    sentence: "NATS only: a JWT with its key, or a key alone, instead of name and password.",
    parse: plain,
    show: showSecret,
  },
  bridgeTlsCa: {
    ...LONG,
    variable: "BELLWIRE_BRIDGE_TLS_CA",
    kind: "certificates in PEM",
    defaultShown: "none: the authorities that Node knows",
    sentence: "Authorities that sign the broker's certificate. Setting it demands TLS.",
    parse: parsePem("CERTIFICATE"),
    show: showSecret,
  },
  bridgeTlsCertificate: {
    ...LONG,
    variable: "BELLWIRE_BRIDGE_TLS_CERTIFICATE",
    kind: "certificates and private key in PEM",
    sentence: "Certificate that the bridge shows to the broker, with those between it and its authority, and its key.",
    parse: parsePem("CERTIFICATE", "PRIVATE KEY"),
    show: showSecret,
  },
  bridgeSubject: {
    variable: "BELLWIRE_BRIDGE_SUBJECT",
    kind: "text with `{account}`, `{event}`, `*` (any word) and a last `>` (all the rest); dots separate words",
    default: "bellwire.{account}.{event}",
    sentence:
      "How a message's subject (topic, routing key, queue) names account and event, for messages without the headers " +
      "`bellwire-account` and `bellwire-event`.",
    parse: parseSubjectRule,
    show: ({ text }) => text,
  },
  bridgeAccount: {
    variable: "BELLWIRE_BRIDGE_ACCOUNT",
    kind: "an account's id, or `{key}` for the message's key",
    default: "",
    sentence: "Account of messages whose headers and subject name none.",
    parse: parseAccountRule,
    show: showText,
  },
  bridgeEvent: {
    variable: "BELLWIRE_BRIDGE_EVENT",
    kind: "name of an event type",
    default: "",
    sentence: "Event of messages whose headers and subject name none.",
    parse: parseEventType,
    show: (type) => type ?? "none",
  },
  bridgeInHandMax: {
    variable: "BELLWIRE_BRIDGE_IN_HAND_MAX",
    kind: "whole number, 1 to 10000",
    unit: "messages",
    default: "1000",
    sentence: "The most messages that a bridge holds unacknowledged, and at most 64 MiB of them.",
    parse: parseWholeNumber(1, 10_000),
    show: String,
  },
  bridgeServiceUrl: {
    variable: "BELLWIRE_BRIDGE_SERVICE_URL",
    kind: "URL",
    default: "",
    defaultShown: "the service on this machine, at `BELLWIRE_PORT`",
    sentence: "Where the bridge finds Bellwire's intake. Its key is `BELLWIRE_API_KEY`.",
    parse: parsePublicUrl,
    show: (url) => url ?? "the service on this machine",
  },
  bridgePort: {
    variable: "BELLWIRE_BRIDGE_PORT",
    kind: "whole number, 0 to 65535",
    default: "7077",
    sentence:
      "Port on which the bridge answers `/metrics`, `/healthz` and `/readyz`, at `BELLWIRE_HOST`; 0 takes a free one.",
    parse: parseWholeNumber(0, 65_535),
    show: String,
  },
};
