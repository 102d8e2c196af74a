/**
 * The names that custom headers cannot have, each with its reason: the service sets them, they belong to the
 * connection, or proxies, frameworks and identity services in front of a receiver set them and receivers trust them. An
 * owner's webhook comes from an address that a receiver may trust, so it must not speak with their voice.
 *
 * Names are compared as CGI reads them, where every sign is one: `x_forwarded_for` and `X-Forwarded-For` reach a PHP
 * program as the same variable. Names that owners are known to need pass, such as `authorization`, `x-api-key`,
 * `cf-access-client-id` and `x-vercel-protection-bypass`.
 */
interface Reserved {
  /** Why: the end of a sentence that begins with the header's name. */
  readonly because: string;
  readonly names: readonly string[];
  /** Every name that begins with one of these belongs to the group. */
  readonly prefixes: readonly string[];
}

/** The first group that matches gives the reason. */
const GROUPS: readonly Reserved[] = [
  {
    because: "is set by the service itself; use another name",
    names: ["host", "user-agent"],
    prefixes: ["content-", "webhook-", "bellwire-"],
  },
  {
    because: "belongs to the connection, not to the webhook; leave it out",
    names: [
      "connection",
      "keep-alive",
      "transfer-encoding",
      "te",
      "trailer",
      "upgrade",
      "expect",
      "date",
      "accept-encoding",
      "http2-settings",
      "max-forwards",
      "early-data",
      "alt-used",
    ],
    prefixes: ["sec-"],
  },
  {
    because: "carries a browser's session; send a token in Authorization or in a header of your own",
    names: ["cookie", "cookie2", "set-cookie", "set-cookie2"],
    prefixes: [],
  },
  {
    because: "makes servers act on another address or method than the one that is called; set the Webhook URL instead",
    names: [
      "x-host",
      "x-http-host-override",
      "x-http-method",
      "x-http-method-override",
      "x-method",
      "x-method-override",
      "x-override-url",
      "x-rewrite-url",
      "x-rewrite-uri",
      "x-matched-path",
      "x-sendfile-type",
    ],
    prefixes: ["x-original-", "x-middleware-", "x-invoke-", "x-now-route-", "x-accel-"],
  },
  {
    because: "is what proxies tell servers about the caller, and they are believed; use another name",
    names: [
      "forwarded",
      "x-forwarded",
      "via",
      "x-via",
      // CGI makes HTTP_PROXY of it, which programs take for their own proxy (CVE-2016-5385).
      "proxy",
      "real-ip",
      "x-real-ip",
      "client-ip",
      "x-client-ip",
      "true-client-ip",
      "x-true-client-ip",
      "x-cluster-client-ip",
      "x-originating-ip",
      "x-remote-ip",
      "x-remote-addr",
      "x-host-ip",
      "x-proxyuser-ip",
      "remote-addr",
      "x-scheme",
      "x-url-scheme",
      "x-arr-ssl",
      "front-end-https",
      "cdn-loop",
      "cf-connecting-ip",
      "cf-connecting-ipv6",
      "cf-connecting-o2o",
      "cf-pseudo-ipv4",
      "cf-ipcountry",
      "cf-ray",
      "cf-visitor",
      "cf-worker",
      "cf-ew-via",
      "fastly-client",
      "fastly-client-ip",
      "fastly-ff",
      "fastly-ssl",
      "fly-client-ip",
      "x-nf-client-connection-ip",
      "x-azure-clientip",
      "x-azure-socketip",
      "x-azure-fdid",
      "x-vercel-forwarded-for",
      "x-vercel-proxied-for",
    ],
    prefixes: ["forwarded-", "x-forwarded-", "proxy-", "x-vercel-ip-", "x-appengine-", "x-envoy-", "x-amzn-"],
  },
  {
    because: "is how a proxy says who has signed in, and it is believed; use another name",
    names: [
      "remote-user",
      "x-remote-user",
      "x-authenticated-user",
      "x-webauth-user",
      "client-cert",
      "client-cert-chain",
      "x-client-cert",
      "x-arr-clientcert",
      "cf-access-jwt-assertion",
      "cf-access-authenticated-user-email",
      "x-goog-iap-jwt-assertion",
    ],
    prefixes: [
      "x-auth-request-",
      "x-goog-authenticated-user-",
      "x-ms-client-principal",
      "ssl-client-",
      "x-ssl-client-",
    ],
  },
];

/** The reason, as the end of a sentence that begins with the name; `null` when an owner may use it. */
export function reasonReserved(name: string, signatureHeader: string): string | null {
  const read = asRead(name);
  if (signatureHeader !== "" && read === asRead(signatureHeader)) return GROUPS[0]?.because ?? null;
  const group = GROUPS.find(
    ({ names, prefixes }) => names.includes(read) || prefixes.some((prefix) => read.startsWith(prefix)),
  );
  return group?.because ?? null;
}

/** The form in which servers may take two names for the same one: lower case, and a hyphen for every sign. */
export const asRead = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");
