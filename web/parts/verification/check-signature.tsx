/**
 * Headers and body of a webhook as they arrived; the service says whether the signature matches, or why not. It knows
 * the secret, so the form does not ask for it. `?delivery=…&attempt=…` fills in what was sent.
 */
import { CircleCheck, CircleX } from "lucide-react";
import { type SubmitEvent, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { CheckSignatureAnswer } from "../../../src/dashboard/contract/verification.ts";
import { useAnswerWhen, useChange } from "../../query.ts";
import { useSession } from "../../session.ts";
import { Banner, type BannerTone } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { sentIn } from "./sent-in.ts";

export function CheckSignature() {
  const [search] = useSearchParams();
  const deliveryId = search.get("delivery");
  const { data } = useAnswerWhen("GET /deliveries/:id", deliveryId === null ? null : { params: { id: deliveryId } });
  const given = data === undefined ? NOTHING : sentIn(data, Number(search.get("attempt") ?? 0));
  // A delivery that arrives later than the page starts the form afresh.
  return <CheckForm key={deliveryId !== null && data === undefined ? "" : (deliveryId ?? "")} given={given} />;
}

const NOTHING = { headers: "", body: "" };

function CheckForm({ given }: { readonly given: typeof NOTHING }) {
  const { signatureHeader } = useSession();
  const headersField = useRef<HTMLTextAreaElement>(null);
  const [headers, setHeaders] = useState(given.headers);
  const [body, setBody] = useState(given.body);
  const [error, setError] = useState<string | undefined>();
  const check = useChange("POST /verification/check");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (headers.trim() === "") {
      setError("Paste the request’s headers.");
      headersField.current?.focus();
      return;
    }
    check.mutate({ body: { headers, body } });
  };
  return (
    <Card
      title="Check a signature"
      description="Paste a webhook as your server got it. We say whether the signature matches, and if not, why. The
        secret is not needed for this."
    >
      <form noValidate aria-label="Check a signature" onSubmit={submit} className="space-y-4">
        <Field label="Headers" error={error} help="One in a line, such as “Name: value”. Others than ours do no harm.">
          {(control) => (
            <Textarea
              {...control}
              ref={headersField}
              isCode
              rows={5}
              placeholder={`${signatureHeader}: …\nwebhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…`}
              value={headers}
              onChange={(event) => {
                setHeaders(event.target.value);
                setError(undefined);
                check.reset();
              }}
            />
          )}
        </Field>
        <Field label="Raw body" help="The exact bytes, before anything parsed them.">
          {(control) => (
            <Textarea
              {...control}
              isCode
              rows={6}
              value={body}
              onChange={(event) => {
                setBody(event.target.value);
                check.reset();
              }}
            />
          )}
        </Field>
        <Button type="submit" isBusy={check.isPending}>
          Check
        </Button>
        <div role="status">{check.data !== undefined && <Finding answer={check.data} />}</div>
        {check.error !== null && <Banner tone="bad" role="alert" title={check.error.message} />}
      </form>
    </Card>
  );
}

const TONES: Partial<Record<CheckSignatureAnswer["verdict"], BannerTone>> = {
  matches: "ok",
  matches_old_secret: "warn",
  matches_next_secret: "warn",
  too_old: "warn",
  from_the_future: "warn",
};

function Finding({ answer: { verdict, sentence, advice, checks } }: { readonly answer: CheckSignatureAnswer }) {
  return (
    <Banner tone={TONES[verdict] ?? "bad"} title={sentence}>
      {advice !== "" && <p>{advice}</p>}
      <ul className="mt-2 space-y-1">
        {checks.map(({ header, matches, note }) => (
          <li key={header} className="flex gap-2">
            <span aria-hidden="true" className="mt-0.5 [&_svg]:size-4">
              {matches ? <CircleCheck className="text-ok" /> : <CircleX className="text-bad" />}
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <code className="text-ink">{header}</code>: {note}
            </span>
          </li>
        ))}
      </ul>
    </Banner>
  );
}
