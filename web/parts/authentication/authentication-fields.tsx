/** The two switches of a webhook's authentication, each with its fields while it is on. */
import { useId, useState } from "react";
import type { CertificateFacts } from "../../../src/dashboard/contract/destinations.ts";
import { ApiProblem, call } from "../../api.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { RadioCards, SavedSecret, Switch, Textarea } from "../../ui/controls.tsx";
import { Field, FieldError, Input } from "../../ui/field.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { date } from "../../words.ts";
import { PasteHint } from "../paste-hint.tsx";
import {
  type AuthenticationDraft,
  type AuthenticationProps,
  certificateEndWords,
  keepsCertificate,
  keepsClientSecret,
} from "./authentication-draft.ts";

export function AuthenticationFields(props: AuthenticationProps) {
  const { draft, onChange } = props;
  return (
    <div className="space-y-4">
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

/* The credentials with which the service gets its access token. A saved client secret is never shown again. */

type TextField = "tokenUrl" | "clientId" | "scope" | "audience";

function TokenFields(props: AuthenticationProps) {
  const { draft, onChange, isReadOnly } = props;
  return (
    <div className="space-y-4">
      <Text
        {...props}
        field="tokenUrl"
        label="Token URL"
        help="Where your identity provider gives out access tokens."
        placeholder="https://login.example.com/oauth/token"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Text {...props} field="clientId" label="Client id" />
        <ClientSecret {...props} />
        <Text {...props} field="scope" label="Scope" isOptional help="Names with blanks between them." />
        <Text {...props} field="audience" label="Audience" isOptional help="If your identity provider asks for one." />
      </div>
      <RadioCards
        isRow
        legend="Credentials are sent"
        options={WAYS}
        value={draft.clientAuthentication}
        disabled={isReadOnly}
        onChange={(clientAuthentication) => onChange({ ...draft, clientAuthentication })}
      />
    </div>
  );
}

const WAYS = [
  { value: "basic", label: "In the Authorization header" },
  { value: "post", label: "In the request’s body" },
] as const;

interface TextProps extends AuthenticationProps {
  readonly field: TextField;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
}

function Text({ draft, errors, onChange, onLeave, field, label, help, placeholder, isOptional = false }: TextProps) {
  const key = `authentication.oauth.${field}`;
  const changed = (value: string): AuthenticationDraft => ({ ...draft, [field]: value });
  return (
    <Field label={label} help={help} error={errors[key]} isOptional={isOptional}>
      {(control) => (
        <>
          <Input
            {...control}
            isCode
            placeholder={placeholder}
            value={draft[field]}
            onChange={({ target: { value } }) => onChange(changed(value), key, SECRET)}
            onBlur={() => draft[field] !== "" && onLeave(key)}
          />
          <PasteHint
            kind={field === "tokenUrl" ? "url" : "words"}
            value={draft[field]}
            control={control.id}
            error={errors[key]}
            onUse={(value) => onChange(changed(value), key, SECRET)}
          />
        </>
      )}
    </Field>
  );
}

const SECRET = "authentication.oauth.clientSecret";

function ClientSecret({ draft, hasMoved, errors, onChange, onLeave, isReadOnly }: AuthenticationProps) {
  const isKept = keepsClientSecret(draft, hasMoved);
  const replace = (isSecretReplaced: boolean) => onChange({ ...draft, clientSecret: "", isSecretReplaced }, SECRET);
  const wasSaved = draft.saved !== null && draft.saved.oauth !== null;
  const isElsewhere = wasSaved && !isKept && !draft.isSecretReplaced;
  const error = errors[SECRET];
  if (isKept) return <KeptClientSecret error={error} isReadOnly={isReadOnly} onReplace={() => replace(true)} />;
  const type = (clientSecret: string): void => onChange({ ...draft, clientSecret }, SECRET);
  return (
    <Field
      label="Client secret"
      error={error}
      help={isElsewhere ? "Another server: enter the secret again." : "It is not shown again once it is saved."}
    >
      {(control) => (
        <>
          <span className="flex gap-2">
            <Input
              {...control}
              isCode
              value={draft.clientSecret}
              onChange={(event) => type(event.target.value)}
              onBlur={() => draft.clientSecret !== "" && onLeave(SECRET)}
            />
            {wasSaved && draft.isSecretReplaced && (
              <Button className="min-h-9" tone="quiet" size="sm" onClick={() => replace(false)}>
                Keep saved
              </Button>
            )}
          </span>
          <PasteHint kind="words" isSecret value={draft.clientSecret} control={control.id} error={error} onUse={type} />
        </>
      )}
    </Field>
  );
}

interface KeptProps {
  /** The service has it no more: another person has removed it. */
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  readonly onReplace: () => void;
}

function KeptClientSecret({ error, isReadOnly, onReplace }: KeptProps) {
  const id = useId();
  return (
    <div>
      <p id={id} className="mb-1 font-medium">
        Client secret
      </p>
      <SavedSecret label="Client secret">
        {!isReadOnly && (
          <Button className="min-h-9" size="sm" aria-describedby={id} onClick={onReplace}>
            Replace
          </Button>
        )}
      </SavedSecret>
      <FieldError id={`${id}-error`} message={error} />
    </div>
  );
}

/* The client certificate: the facts of a saved one and a button to replace it, or the fields to paste one into. */

const CHAIN = "authentication.certificate.chain";
const KEY = "authentication.certificate.key";

function CertificateFields(props: AuthenticationProps) {
  const { draft, hasMoved, errors, onChange, isReadOnly } = props;
  const id = useId();
  const saved = draft.saved?.certificate ?? null;
  if (saved === null || !keepsCertificate(draft, hasMoved)) return <PastedCertificate {...props} />;
  const replaced = { ...draft, chain: "", key: "", isCertificateReplaced: true };
  return (
    <div className="space-y-3">
      <Facts facts={saved} />
      <FieldError id={`${id}-error`} message={errors[CHAIN] ?? errors[KEY]} />
      {!isReadOnly && (
        <Button size="sm" onClick={() => onChange(replaced, CHAIN, KEY)}>
          Replace certificate
        </Button>
      )}
    </div>
  );
}

function PastedCertificate({ draft, hasMoved, errors, onChange, onLeave }: AuthenticationProps) {
  const [read, setRead] = useState<{ readonly chain: string; readonly facts: CertificateFacts | null } | null>(null);
  const saved = draft.saved?.certificate ?? null;
  const look = async (chain: string): Promise<void> => {
    if (!chain.includes("-----END CERTIFICATE-----")) return;
    setRead({ chain, facts: await readFacts(chain) });
  };
  const kept = { ...draft, chain: saved?.chain ?? "", key: "", isCertificateReplaced: false };
  return (
    <div className="space-y-4">
      <Field label="Certificate" error={errors[CHAIN]} help="In PEM form; those of its issuers may follow it.">
        {(control) => (
          <Textarea
            {...control}
            isCode
            rows={4}
            wrap="off"
            placeholder="-----BEGIN CERTIFICATE-----"
            value={draft.chain}
            onChange={({ target: { value } }) => {
              onChange({ ...draft, chain: value }, CHAIN, KEY);
              void look(value);
            }}
            onBlur={() => draft.chain !== "" && onLeave(CHAIN)}
          />
        )}
      </Field>
      {read !== null && read.facts !== null && read.chain === draft.chain && <Facts facts={read.facts} />}
      <Field
        label="Private key"
        error={errors[KEY]}
        help={
          saved !== null && hasMoved
            ? "Another server: paste the key again."
            : "In PEM form, without a passphrase. It is not shown again once it is saved."
        }
      >
        {(control) => (
          <Textarea
            {...control}
            isCode
            rows={4}
            wrap="off"
            autoComplete="off"
            placeholder="-----BEGIN PRIVATE KEY-----"
            value={draft.key}
            onChange={({ target: { value } }) => onChange({ ...draft, key: value }, KEY)}
            onBlur={() => draft.key !== "" && onLeave(KEY)}
          />
        )}
      </Field>
      {saved !== null && draft.isCertificateReplaced && !hasMoved && (
        <Button tone="quiet" size="sm" onClick={() => onChange(kept, CHAIN, KEY)}>
          Keep the saved certificate
        </Button>
      )}
    </div>
  );
}

/** Test and Save tell what is wrong with it, by its field. */
async function readFacts(chain: string): Promise<CertificateFacts | null> {
  try {
    return await call("POST /client-certificate", { body: { chain } });
  } catch (error) {
    if (error instanceof ApiProblem) return null;
    throw error;
  }
}

function Facts({ facts }: { readonly facts: CertificateFacts }) {
  const { subject, issuer, validFromMs, validToMs } = facts;
  const end = certificateEndWords(validToMs, useNow());
  return (
    <div className="space-y-3">
      <dl
        aria-label="Certificate"
        className="grid gap-x-4 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2.5 text-sm
          sm:grid-cols-[auto_1fr]"
      >
        <dt className="text-ink-soft">For</dt>
        <dd className="min-w-0 font-mono [overflow-wrap:anywhere]">{subject}</dd>
        <dt className="text-ink-soft">Issued by</dt>
        <dd className="min-w-0 font-mono [overflow-wrap:anywhere]">{issuer}</dd>
        <dt className="text-ink-soft">Valid</dt>
        <dd>
          {date(validFromMs)} to {date(validToMs)}
        </dd>
      </dl>
      {end !== null && <Banner tone={end.tone} title={end.title} />}
    </div>
  );
}
