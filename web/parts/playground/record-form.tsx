/** A record to edit and hand in; refusals are listed by field, and an accepted one leads to its deliveries. */
import { type SyntheticEvent, useRef, useState } from "react";
import type { PlaygroundAnswer } from "../../../src/dashboard/contract/catalog.ts";
import { ApiProblem } from "../../api.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Textarea } from "../../ui/controls.tsx";
import { Field } from "../../ui/field.tsx";
import { TextLink } from "../../ui/links.tsx";
import { count } from "../../words.ts";
import { sourceHref, sourceWord } from "../event-words.ts";

interface Props {
  readonly type: string;
  readonly sample: string;
  /** Asks for a sample with a new id. */
  readonly onSample: () => unknown;
}

export function RecordForm({ type, sample, onSample }: Props) {
  const [edited, setEdited] = useState<string | null>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const send = useChange("POST /playground");
  const disabledReason = useOwnersOnly("send records");
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    send.mutate({ body: { type, record: edited ?? sample } }, { onError: () => input.current?.focus() });
  };
  const startAfresh = (): void => {
    setEdited(null);
    send.reset();
    onSample();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Card>
        <Field label="Record" {...(send.error === null ? { help: HELP } : { error: refusalInWords(send.error) })}>
          {(control) => (
            <Textarea
              {...control}
              ref={input}
              rows={20}
              spellCheck={false}
              value={edited ?? sample}
              onChange={(event) => setEdited(event.target.value)}
              className="font-mono text-sm"
            />
          )}
        </Field>
        <FieldRefusals error={send.error} />
        <div className="mt-4 flex flex-wrap gap-2">
          <Button type="submit" tone="primary" isBusy={send.isPending} disabledReason={disabledReason}>
            Send {sourceWord(type)}
          </Button>
          <Button onClick={startAfresh}>New sample</Button>
        </div>
      </Card>
      <div role="status">{send.data !== undefined && <Accepted type={type} answer={send.data} />}</div>
    </form>
  );
}

const HELP = "Sent a second time with the same id, it is known already and nothing goes out: that is on purpose.";

/** Each field stands with its reason in the list below. */
function refusalInWords(error: Error): string {
  const fields = error instanceof ApiProblem ? error.errors.length : 0;
  return fields === 0 ? error.message : `Not sent: ${count(fields, "field")} of the record must be changed.`;
}

function FieldRefusals({ error }: { readonly error: Error | null }) {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return null;
  return (
    <ul className="mt-2 list-disc space-y-0.5 pl-5 text-sm text-bad">
      {error.errors.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{path === "" ? "record" : path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

interface AcceptedProps {
  readonly type: string;
  readonly answer: PlaygroundAnswer;
}

function Accepted({ type, answer: { sourceId, deliveries, isDuplicate, differs } }: AcceptedProps) {
  // The answer does not say which assistant a conversation is of.
  const link = sourceHref(type, sourceId, undefined);
  if (isDuplicate) {
    return (
      <Banner tone="info" title={`This ${sourceWord(type)} is known already`}>
        {differs && "It came with other content then. "}Nothing was sent again. <TextLink href={link}>See it</TextLink>
      </Banner>
    );
  }
  const title = `Accepted: ${count(deliveries, "delivery", "deliveries")}`;
  return (
    <Banner tone={deliveries === 0 ? "warn" : "ok"} title={title}>
      {deliveries === 0 && "Nothing is set up to send it, or its conditions did not hold. "}
      <TextLink href={link}>See what became of it</TextLink>
    </Banner>
  );
}
