/** The two switches of a webhook's authentication, each with its fields while it is on. */
import { Switch } from "../../ui/switch.tsx";
import type { AuthenticationProps } from "./authentication-props.ts";
import { CertificateFields } from "./certificate-fields.tsx";
import { TokenFields } from "./token-fields.tsx";

export function AuthenticationFields(props: AuthenticationProps) {
  const { draft, onChange } = props;
  return (
    <div className="space-y-4 rounded-lg border border-line p-3.5 sm:p-4">
      <Switch
        label="Access token (OAuth 2)"
        help="We fetch a token with your client’s credentials and send it in the Authorization header."
        checked={draft.hasToken}
        onChange={({ target: { checked } }) => onChange({ ...draft, hasToken: checked }, ...TOKEN_KEYS, "headers")}
      />
      {draft.hasToken && <TokenFields {...props} />}
      <hr className="border-line" />
      <Switch
        label="Client certificate (mTLS)"
        help="We present it when your server asks for one; an https: URL is needed."
        checked={draft.hasCertificate}
        onChange={({ target: { checked } }) => onChange({ ...draft, hasCertificate: checked }, ...CERTIFICATE_KEYS)}
      />
      {draft.hasCertificate && <CertificateFields {...props} />}
    </div>
  );
}

const TOKEN_KEYS = ["tokenUrl", "clientId", "clientSecret", "scope", "audience"].map(
  (field) => `authentication.oauth.${field}`,
);
const CERTIFICATE_KEYS = ["chain", "key"].map((field) => `authentication.certificate.${field}`);
