/**
 * The settings as the SDK takes them, and the two queues that they name. Without name and password the SDK looks for
 * credentials itself: environment, shared files, web identity, the metadata of container or machine.
 */
import type { BridgeConfig } from "../options.ts";
import { BrokerUnusable } from "../port.ts";
import type { Queue, Sqs } from "./calls.ts";
import { type TlsSettings, readTls } from "../tls.ts";
import { toUnusable } from "./failures.ts";

export type SqsSettings = Pick<
  BridgeConfig,
  "bridgeBroker" | "bridgeSource" | "bridgeDeadLetters" | "bridgeUser" | "bridgePassword"
> &
  TlsSettings;

export interface Client {
  readonly sqs: Sqs;
  readonly queue: Queue;
  readonly letters: Queue;
}

/** The core waits and calls again; a try more of the SDK's would only hide an outage from it. */
const TRIES = 1;
const CONNECT_MS = 5_000;
/** A long poll takes 20 s. */
const REQUEST_MS = 25_000;
/** SQS says its limit, which is 1 MiB at most; servers that do not say it have the one that SQS had before. */
const BYTES_MAX = 262_144;
/** SQS's default for a queue. */
const VISIBILITY_S = 30;
/** A shorter time runs out while a call of SQS is on its way. */
const VISIBILITY_S_MIN = 3;

export async function openClient(settings: SqsSettings): Promise<Client> {
  const place = readPlace(settings.bridgeBroker);
  const credentials = readCredentials(settings);
  const lib = await import("@aws-sdk/client-sqs");
  const tls = readTls(settings);
  const client = new lib.SQSClient({
    ...place,
    ...credentials,
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      httpsAgent: tls,
    },
  });
  const sqs: Sqs = { lib, client };
  try {
    const queue = await findQueue(sqs, settings.bridgeSource);
    const letters = await findQueue(sqs, settings.bridgeDeadLetters);
    if (queue.url === letters.url) {
      throw new BrokerUnusable(
        "BELLWIRE_BRIDGE_DEAD_LETTERS names the queue that the bridge consumes: name another one",
      );
    }
    if (queue.visibilityS < VISIBILITY_S_MIN) {
      throw new BrokerUnusable(`the queue's visibility timeout must be at least ${VISIBILITY_S_MIN} s; 30 s is usual`);
    }
    return { sqs, queue, letters };
  } catch (error) {
    client.destroy();
    throw toUnusable(error) ?? error;
  }
}

const PLACE =
  "BELLWIRE_BRIDGE_BROKER must be a region such as eu-central-1, an address such as http://127.0.0.1:9324, or both";

/** A region, an address of a server that speaks SQS's protocol, or both; nothing leaves both to the SDK. */
function readPlace(entries: readonly string[]): { readonly region?: string; readonly endpoint?: string } {
  const endpoints = entries.filter((entry) => entry.includes("://"));
  const regions = entries.filter((entry) => !entry.includes("://"));
  const isKnown =
    endpoints.length <= 1 &&
    regions.length <= 1 &&
    regions.every((region) => /^[a-z0-9-]+$/.test(region)) &&
    endpoints.every((endpoint) => /^https?:\/\//.test(endpoint) && URL.canParse(endpoint));
  if (!isKnown) throw new BrokerUnusable(PLACE);
  const [endpoint] = endpoints;
  // A server of one's own takes any region.
  const region = regions[0] ?? (endpoint === undefined ? undefined : "us-east-1");
  return { ...(region === undefined ? {} : { region }), ...(endpoint === undefined ? {} : { endpoint }) };
}

function readCredentials({ bridgeUser, bridgePassword }: SqsSettings) {
  if (bridgeUser === "" && bridgePassword === "") return {};
  if (bridgeUser === "" || bridgePassword === "") {
    throw new BrokerUnusable(
      "BELLWIRE_BRIDGE_USER (the access key's id) and BELLWIRE_BRIDGE_PASSWORD (the secret access key) " +
        "are set together, or not at all",
    );
  }
  return { credentials: { accessKeyId: bridgeUser, secretAccessKey: bridgePassword } };
}

/** `named`: a queue's name in the account of the credentials, or its URL. */
async function findQueue({ lib, client }: Sqs, named: string): Promise<Queue> {
  const isUrl = named.includes("://");
  const url = isUrl ? named : (await client.send(new lib.GetQueueUrlCommand({ QueueName: named }))).QueueUrl;
  if (url === undefined) throw new Error(`SQS gave no address of the queue ${named}`);
  const { Attributes: attributes } = await client.send(
    new lib.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] }),
  );
  const name = isUrl ? named.slice(named.lastIndexOf("/") + 1) : named;
  const bytesMax = Number(attributes?.MaximumMessageSize ?? BYTES_MAX);
  const visibilityS = Number(attributes?.VisibilityTimeout ?? VISIBILITY_S);
  return { url, name, isFifo: name.endsWith(".fifo"), bytesMax, visibilityS };
}
