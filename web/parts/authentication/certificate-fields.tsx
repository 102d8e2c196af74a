/** The client certificate: a saved one by its facts, with the way to replace it; else the fields to paste one into. */
import { useId, useState } from "react";
import type { CertificateFacts } from "../../../src/dashboard/contract/destinations.ts";
import { ApiProblem } from "../../api-problem.ts";
import { call } from "../../api.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, FieldError } from "../../ui/field.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { date } from "../../words.ts";
import { keepsCertificate } from "./authentication-draft.ts";
import type { AuthenticationProps } from "./authentication-props.ts";
import { certificateEndWords } from "./certificate-words.ts";

const CHAIN = "authentication.certificate.chain";
const KEY = "authentication.certificate.key";

export function CertificateFields(props: AuthenticationProps) {
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
