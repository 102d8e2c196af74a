/** SQS's refusals that a person must mend; everything else is tried again. */
import { BrokerUnusable } from "../port.ts";
import { findTlsFault } from "../tls.ts";

/** The SDK's names of errors, with what they mean for the bridge. */
const TO_MEND: Readonly<Record<string, string>> = {
  QueueDoesNotExist:
    "SQS has no such queue: make those of BELLWIRE_BRIDGE_SOURCE and BELLWIRE_BRIDGE_DEAD_LETTERS first",
  AccessDenied: "SQS does not let these credentials use the queue",
  AccessDeniedException: "SQS does not let these credentials use the queue",
  CredentialsProviderError:
    "the SDK finds no credentials for SQS: set BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD, " +
    "or give it those of AWS (environment, shared files, role)",
  InvalidClientTokenId: "SQS does not know the access key's id in BELLWIRE_BRIDGE_USER",
  UnrecognizedClientException: "SQS does not know the access key's id in BELLWIRE_BRIDGE_USER",
  SignatureDoesNotMatch: "SQS refuses the secret access key in BELLWIRE_BRIDGE_PASSWORD",
  InvalidAddress: "SQS does not take the queue's address",
};

/** The sentence for the operator, or `null` when trying again may help. */
export function toUnusable(error: unknown): BrokerUnusable | null {
  if (error instanceof BrokerUnusable || !(error instanceof Error)) return null;
  const why = TO_MEND[error.name.replace(/^AWS\.SimpleQueueService\./, "")];
  if (why !== undefined) return new BrokerUnusable(why, { cause: error });
  if (error.message === "Region is missing") {
    return new BrokerUnusable("no region: set BELLWIRE_BRIDGE_BROKER, such as eu-central-1, or AWS_REGION", {
      cause: error,
    });
  }
  if (statusOf(error) === FORBIDDEN) return new BrokerUnusable(REFUSED, { cause: error });
  return findTlsFault(error);
}

const FORBIDDEN = 403;
const REFUSED =
  "the server does not let these credentials in (status 403): check BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD";

/** The SDK does not read an answer in another form than SQS's own, as some servers and proxies give it. */
function statusOf(error: Error): number | undefined {
  const { $response, $metadata } = error as Error & {
    readonly $response?: { readonly statusCode?: number };
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return $response?.statusCode ?? $metadata?.httpStatusCode;
}
