/**
 * Whether a redirect leads to a page where people sign in, by its address: a Webhook URL must not become one. It may
 * say so of an address that is none; the only harm is a button less.
 */
const HOSTS = /(?:^|[.-])(?:log-?in|sign-?in|sso|auth|oauth2?|saml|idp|id|accounts?)(?=[.-])/i;
const PATHS = /(?:^|[/._-])(?:log[-_]?in|sign[-_]?in|sso|auth|authori[sz]e|oauth2?|saml2?)(?:$|[/._-])/i;
/** Where such pages lead back to. */
const PARAMETERS = /^(?:next|return.*|redirect.*|continue|goto|relaystate)$/i;

export function looksLikeSignIn({ hostname, pathname, searchParams }: URL): boolean {
  return HOSTS.test(hostname) || PATHS.test(pathname) || [...searchParams.keys()].some((key) => PARAMETERS.test(key));
}
