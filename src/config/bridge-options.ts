/**
 * Settings of `bellwire bridge`, the process that brings records from a broker. They are rows of the table in
 * `options.ts`. The names are the same for every broker; bridge/README.md says what each means for which.
 */
import { ok } from "../domain/problem.ts";
import { parseAccountRule, parseBrokerAddresses, parsePem, parseEventType, parseSubjectRule } from "./bridge-text.ts";
import { defineOptions, oneOf, wholeNumber, type ValuesOf } from "./option.ts";
import { parsePublicUrl } from "./option-text.ts";

/** As Kafka writes them. */
const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

const SECRET = { isSecret: true, default: "", defaultShown: "none" } as const;
const LONG = { ...SECRET, isLong: true } as const;

const showSecret = (text: string): string => (text === "" ? "none" : "set (not shown)");
const showText = (text: string): string => (text === "" ? "none" : text);
const TEXT = { default: "", parse: (text: string) => ok(text), show: showText };
const SECRET_TEXT = { ...TEXT, ...SECRET, show: showSecret };

export const BRIDGE_OPTIONS = defineOptions({
  bridgeBroker: {
    ...SECRET,
    variable: "BELLWIRE_BRIDGE_BROKER",
    kind: "address of the broker, or several separated by commas",
    defaultShown: "none; the bridge needs it",
    sentence:
      "For `bellwire bridge`: where the broker is, such as `nats://nats:4222`. [Bridges](../bridge/README.md) has each.",
    parse: parseBrokerAddresses,
    show: (addresses) => (addresses.length === 0 ? "none" : `set (${addresses.length}, not shown)`),
  },
  bridgeSource: {
    ...TEXT,
    variable: "BELLWIRE_BRIDGE_SOURCE",
    kind: "name",
    defaultShown: "none; the bridge needs it",
    sentence:
      "What the bridge consumes: a NATS stream, a RabbitMQ or SQS queue, a Kafka topic (or several, with commas).",
  },
  bridgeGroup: {
    ...TEXT,
    variable: "BELLWIRE_BRIDGE_GROUP",
    kind: "name",
    default: "bellwire",
    sentence: "Durable consumer (NATS) or consumer group (Kafka) that all bridges of a source share.",
  },
  bridgeDeadLetters: {
    ...TEXT,
    variable: "BELLWIRE_BRIDGE_DEAD_LETTERS",
    kind: "name",
    defaultShown: "none; the bridge needs it",
    sentence: "Where refused records go, with their reason: a NATS subject, a queue, or a Kafka topic. It must exist.",
  },
  bridgeUser: {
    ...TEXT,
    variable: "BELLWIRE_BRIDGE_USER",
    kind: "name",
    sentence: "Name with which the bridge signs in to the broker.",
  },
  bridgePassword: {
    ...SECRET_TEXT,
    variable: "BELLWIRE_BRIDGE_PASSWORD",
    kind: "password",
    sentence: "Password to that name.",
  },
  bridgeSasl: {
    variable: "BELLWIRE_BRIDGE_SASL",
    ...oneOf(SASL_MECHANISMS),
    default: "SCRAM-SHA-512",
    sentence: "Kafka only: how the bridge signs in with name and password. `PLAIN` sends the password itself: use TLS.",
  },
  bridgeCredentials: {
    ...SECRET_TEXT,
    isLong: true,
    variable: "BELLWIRE_BRIDGE_CREDENTIALS",
    kind: "content of a `.creds` file, or the seed of an nkey",
    sentence: "NATS only: a JWT with its key, or a key alone, instead of name and password.",
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
    ...wholeNumber(1, 10_000),
    unit: "messages",
    default: "1000",
    sentence: "The most messages that a bridge holds unacknowledged, and at most 64 MiB of them.",
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
    ...wholeNumber(0, 65_535),
    default: "7077",
    sentence:
      "Port on which the bridge answers `/metrics`, `/healthz` and `/readyz`, at `BELLWIRE_HOST`; 0 takes a free one.",
  },
});

export type BridgeConfig = ValuesOf<typeof BRIDGE_OPTIONS>;
