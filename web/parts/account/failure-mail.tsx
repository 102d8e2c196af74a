/** Who gets an e-mail when a destination fails, is turned off, or works again. */
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useId, useRef, useState } from "react";
import type { FailureMailAnswer } from "../../../src/dashboard/contract/session.ts";
import { useAnswer, useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { addressesIn, refusalInWords } from "./addresses.ts";

export function FailureMail() {
  const settings = useAnswer("GET /failure-mail");
  return (
    <Card
      title="E-mail about failures"
      description="Sent when a webhook begins to fail, when it is turned off, and when it works again."
    >
      <Loaded what="the addresses" query={settings}>
        {(answer) => <Form answer={answer} />}
      </Loaded>
    </Card>
  );
}

function Form({ answer }: { readonly answer: FailureMailAnswer }) {
  const id = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const client = useQueryClient();
  /** `null` follows what is saved, also when a colleague saves. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? answer.addresses.join("\n");
  const save = useChange("PUT /failure-mail", "GET /audit");
  const disabledReason = useOwnersOnly("change who is told about failures");
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const addresses = addressesIn(text);
    save.mutate(
      { body: { addresses } },
      {
        onSuccess(saved) {
          client.setQueryData(["GET /failure-mail", undefined], saved);
          setTyped((now) => (now === typed ? null : now));
        },
        onError: () => input.current?.focus(),
      },
    );
  };
  return (
    <form aria-labelledby={id} onSubmit={submit} className="space-y-3">
      <span id={id} className="sr-only">
        E-mail about failures
      </span>
      {!answer.isSetUpByOperator && (
        <Banner tone="info" title="E-mail is not set up on this service">
          Addresses are kept, and used once the operator sets <code>BELLWIRE_SMTP_URL</code>. The dashboard shows
          failures in any case.
        </Banner>
      )}
      <Field
        label="Addresses"
        help="One per line."
        isOptional
        error={refusalInWords(save.error, save.variables?.body.addresses ?? [])}
      >
        {(control) => (
          <Textarea
            {...control}
            ref={input}
            rows={3}
            value={text}
            readOnly={disabledReason !== undefined}
            onChange={(event) => setTyped(event.target.value)}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <div className="flex items-center gap-3">
        <Button type="submit" isBusy={save.isPending} disabledReason={disabledReason}>
          Save addresses
        </Button>
        <span role="status" className="text-sm text-ink-soft">
          {save.isSuccess && (typed === null ? "Saved" : "Saved. What you typed since is not saved yet.")}
        </span>
      </div>
    </form>
  );
}
