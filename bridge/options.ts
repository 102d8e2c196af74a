/**
 * Every setting of a bridge, once: its variable, kind, default and effect. The program reads its settings by this
 * table, and `settings.md` is written from it. The names are the same for every broker; README.md says what each means
 * for which.
 */
import { ok } from "../src/lib/result.ts";
import { LOG_LEVEL, type ValuesOf, defineOptions, oneOf, wholeNumber } from "../src/lib/settings/option.ts";
import {
  API_KEY_CHARS_MIN,
  type Parsed,
  parseApiKeys,
  parseHost,
  parsePublicUrl,
} from "../src/lib/settings/option-text.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { parseAccountRule, parseBrokerAddresses, parseEventType, parsePem, parseSubjectRule } from "./option-text.ts";

/** As Kafka writes them. */
const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

const SECRET = { isSecret: true, default: "", defaultShown: "none" } as const;
const LONG = { ...SECRET, isLong: true } as const;

const TEXT = { default: "", parse: (text: string): Parsed<string> => ok(text) };
const SECRET_TEXT = { ...TEXT, ...SECRET };

export const BRIDGE_OPTIONS = defineOptions({
  bridgeBroker: {
    ...SECRET,
    variable: "BELLWIRE_BRIDGE_BROKER",
    kind: "address of the broker, or several separated by commas",
    defaultShown: "none; the bridge needs it",
    sentence: "Where the broker is, such as `nats://nats:4222`; [README](README.md#start-one) has the form of each.",
    parse: parseBrokerAddresses,
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
  },
  bridgeTlsCertificate: {
    ...LONG,
    variable: "BELLWIRE_BRIDGE_TLS_CERTIFICATE",
    kind: "certificates and private key in PEM",
    sentence: "Certificate that the bridge shows to the broker, with those between it and its authority, and its key.",
    parse: parsePem("CERTIFICATE", "PRIVATE KEY"),
  },
  bridgeSubject: {
    variable: "BELLWIRE_BRIDGE_SUBJECT",
    kind: "text with `{account}`, `{event}`, `*` (any word) and a last `>` (all the rest); dots separate words",
    default: "bellwire.{account}.{event}",
    sentence:
      "How a message's subject (topic, routing key, queue) names account and event, for messages without the headers " +
      "`bellwire-account` and `bellwire-event`.",
    parse: parseSubjectRule,
  },
  bridgeAccount: {
    variable: "BELLWIRE_BRIDGE_ACCOUNT",
    kind: "an account's id, or `{key}` for the message's key",
    default: "",
    sentence: "Account of messages whose headers and subject name none.",
    parse: parseAccountRule,
  },
  bridgeEvent: {
    variable: "BELLWIRE_BRIDGE_EVENT",
    kind: "name of an event type",
    default: "",
    sentence: "Event of messages whose headers and subject name none.",
    parse: parseEventType,
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
    sentence: "Where the bridge finds Bellwire's intake.",
    parse: parsePublicUrl,
  },
  bridgePort: {
    ...wholeNumber(0, 65_535),
    variable: "BELLWIRE_BRIDGE_PORT",
    default: "7077",
    sentence: "Port on which the bridge answers `/metrics`, `/healthz` and `/readyz`; 0 takes a free one.",
  },
  apiKeys: {
    variable: "BELLWIRE_API_KEY",
    isSecret: true,
    kind: `the service's intake key, at least ${API_KEY_CHARS_MIN} characters; of several with commas the first`,
    default: "",
    defaultShown: "`intake-key` in the data folder",
    sentence: "Key with which the bridge signs in to intake.",
    parse: parseApiKeys,
  },
  host: {
    variable: "BELLWIRE_HOST",
    kind: "IP address or host name",
    default: "127.0.0.1",
    sentence: "Address to listen on, and where the service on this machine listens.",
    parse: parseHost,
  },
  port: {
    ...wholeNumber(0, 65_535),
    variable: "BELLWIRE_PORT",
    default: "7070",
    sentence: "Port of the service on this machine.",
  },
  dataDir: {
    ...TEXT,
    variable: "BELLWIRE_DATA_DIR",
    kind: "path of a folder",
    default: "data",
    sentence:
      "Holds the folder `clients`, with the broker's client where that is not beside the program, and `intake-key` " +
      "where no setting has the key: on the service's machine, its own data folder.",
  },
  shutdownDeadlineMs: {
    ...wholeNumber(1, 600, secondsMs(1)),
    variable: "BELLWIRE_SHUTDOWN_DEADLINE_SECONDS",
    unit: "seconds",
    default: "20",
    sentence: "How long a stop waits for messages in hand before it gives them back; none is lost by that.",
  },
  logLevel: LOG_LEVEL,
});

export type BridgeConfig = ValuesOf<typeof BRIDGE_OPTIONS>;
