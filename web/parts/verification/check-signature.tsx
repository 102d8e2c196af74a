/**
 * Headers and body of a webhook as they arrived; the service says whether the signature matches, or why not. It knows
 * the secret, so the form does not ask for it. `?delivery=…&attempt=…` fills in what was sent, and
 * checks it at once.
 */
import type { UseMutationResult } from "@tanstack/react-query";
import { CircleCheck, CircleX } from "lucide-react";
import { type RefObject, type SubmitEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { CheckSignatureAnswer } from "../../../src/dashboard/contract/verification.ts";
import { useAnswerWhen, useChange, useSession } from "../../query.ts";
import { Banner, type BannerTone } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Textarea } from "../../ui/controls.tsx";
import { Field } from "../../ui/field.tsx";
import { TextLink } from "../../ui/links.tsx";
import { RowsSkeleton } from "../../ui/skeleton.tsx";
import { sentText } from "../delivery/sent-text.ts";
import { withLocalTimes } from "../../words.ts";

export function CheckSignature() {
  const [search] = useSearchParams();
  const deliveryId = search.get("delivery");
  const { data, error, refetch } = useAnswerWhen(
    "GET /deliveries/:id",
    deliveryId === null ? null : { params: { id: deliveryId } },
  );
  if (deliveryId === null) return <CheckCard given={null} deliveryId={null} />;
  if (data !== undefined) {
    const given = sentIn(data, Number(search.get("attempt") ?? 0));
    return <CheckCard key={deliveryId} given={given} deliveryId={deliveryId} />;
  }
  return (
    <Card title={TITLE}>
      {error === null ? <RowsSkeleton /> : <ErrorState what="this delivery" error={error} onRetry={refetch} />}
    </Card>
  );
}

const TITLE = "Check a signature";

interface Props {
  /** The request that was sent, where the page was asked about a delivery. It is checked at once. */
  readonly given: Sent | null;
  readonly deliveryId: string | null;
}

function CheckCard({ given, deliveryId }: Props) {
  const headersField = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [headers, setHeaders] = useState(given?.headers ?? "");
  const [body, setBody] = useState(given?.body ?? "");
  const [error, setError] = useState<string | undefined>();
  const check = useChange("POST /verification/check");
  const arrive = useEffectEvent(() => {
    if (given === null) return;
    // The focus goes to the form, whose name is read out; the next Tab leads to its first field.
    form.current?.focus({ preventScroll: true });
    check.mutate({ body: given });
  });
  useEffect(() => arrive(), []);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (headers.trim() === "") {
      setError("Paste the request’s headers.");
      headersField.current?.focus();
      return;
    }
    check.mutate({ body: { headers, body } });
  };
  const edit = (set: () => void): void => {
    set();
    check.reset();
  };
  return (
    <Card title={TITLE} description={<Description deliveryId={deliveryId} />}>
      <form ref={form} noValidate tabIndex={-1} aria-label={TITLE} onSubmit={submit} className="space-y-4 outline-none">
        {/* Above the fields where they are filled in already: the result is all that is new there. */}
        {given !== null && <Result check={check} />}
        <HeadersField
          ref={headersField}
          value={headers}
          error={error}
          onChange={(value) =>
            edit(() => {
              setHeaders(value);
              setError(undefined);
            })
          }
        />
        <Field label="Raw body" help="The exact bytes, before anything parsed them.">
          {(control) => (
            <Textarea
              {...control}
              isCode
              rows={6}
              value={body}
              onChange={({ target: { value } }) => edit(() => setBody(value))}
            />
          )}
        </Field>
        <Button type="submit" isBusy={check.isPending}>
          Check
        </Button>
        {given === null && <Result check={check} />}
      </form>
    </Card>
  );
}

function Description({ deliveryId }: Pick<Props, "deliveryId">) {
  if (deliveryId !== null) {
    return (
      <>
        Filled in with what was sent in{" "}
        <TextLink href={`/deliveries/${encodeURIComponent(deliveryId)}`}>this delivery</TextLink>. Paste what your
        server got over it to see where the two differ.
      </>
    );
  }
  return <>Paste a webhook as your server got it, and see whether the signature matches, and if not, why.</>;
}

function Result({ check }: { readonly check: Pick<UseMutationResult<CheckSignatureAnswer>, "data" | "error"> }) {
  return (
    <>
      <div role="status">{check.data !== undefined && <Finding answer={check.data} />}</div>
      {check.error !== null && <Banner tone="bad" role="alert" title={check.error.message} />}
    </>
  );
}

interface HeadersProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function HeadersField({ ref, value, error, onChange }: HeadersProps) {
  const { signatureHeader } = useSession();
  return (
    <Field label="Headers" error={error} help="One per line, such as “Name: value”.">
      {(control) => (
        <Textarea
          {...control}
          ref={ref}
          isCode
          rows={5}
          placeholder={`${signatureHeader}: …\nwebhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

const TONES: Partial<Record<CheckSignatureAnswer["verdict"], BannerTone>> = {
  matches: "ok",
  matches_previous: "warn",
  too_old: "warn",
  from_the_future: "warn",
};

function Finding({ answer: { verdict, sentence, advice, checks } }: { readonly answer: CheckSignatureAnswer }) {
  return (
    <Banner tone={TONES[verdict] ?? "bad"} title={withLocalTimes(sentence)}>
      {advice !== "" && <p>{withLocalTimes(advice)}</p>}
      <ul className="mt-2 space-y-1">
        {checks.map(({ header, matches, note }) => (
          <li key={header} className="flex gap-2">
            <span aria-hidden="true" className="mt-0.5 [&_svg]:size-4">
              {matches ? <CircleCheck className="text-ok" /> : <CircleX className="text-bad" />}
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <code className="text-ink">{header}</code>: {withLocalTimes(note)}
            </span>
          </li>
        ))}
      </ul>
    </Banner>
  );
}

/* A sent attempt as somebody would paste it into "Check a signature". Pure. */

interface Sent {
  readonly headers: string;
  readonly body: string;
}

/** `number` as in the log; the last attempt when there is none of that number. */
function sentIn(detail: DeliveryDetail, number: number): Sent {
  const { attempts } = detail;
  const attempt = attempts.find((each) => each.number === number) ?? attempts.at(-1);
  const headers = Object.entries(attempt?.requestHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  return { headers: headers.join("\n"), body: (attempt && sentText(attempt, detail)) ?? "" };
}
